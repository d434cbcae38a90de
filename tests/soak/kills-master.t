#!/usr/bin/env bash
# 64 senders for a minute while the master is killed every second.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/kills.py" master 60
