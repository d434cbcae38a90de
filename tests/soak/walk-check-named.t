#!/usr/bin/env bash
# Dying at each CRASH_POINT of a task with a check: see walk_check.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_check.py" named
