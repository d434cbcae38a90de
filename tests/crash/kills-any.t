#!/usr/bin/env bash
# 64 senders while any process is killed, five times a second: see kills.py.
exec /usr/bin/python3 -B "$(dirname "$0")/kills.py" any 10
