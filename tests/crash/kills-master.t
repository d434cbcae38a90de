#!/usr/bin/env bash
# 64 senders while the master is killed every second: see kills.py.
exec /usr/bin/python3 -B "$(dirname "$0")/kills.py" master 10
