#!/usr/bin/env bash
# 64 senders for a minute while any process is killed, five times a second.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/kills.py" any 60
