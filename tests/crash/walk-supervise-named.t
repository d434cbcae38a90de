#!/usr/bin/env bash
# Dying at each CRASH_POINT where a role is paused for what it did, where it is reached first, last and every tenth time (every time:
# tests/soak): see walk_supervise.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_supervise.py" named 10
