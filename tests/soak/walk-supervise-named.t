#!/usr/bin/env bash
# Dying at each CRASH_POINT, every time that it is reached: see walk_supervise.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_supervise.py" named
