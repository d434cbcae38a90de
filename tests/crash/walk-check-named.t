#!/usr/bin/env bash
# Dying at each CRASH_POINT of a task with a check, where it is reached first, last and every seventh time (every time:
# tests/soak): see walk_check.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_check.py" named 7
