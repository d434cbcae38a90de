#!/usr/bin/env bash
# Dying at each CRASH_POINT of asking for a permission, of using a yes and of hearing a no, where it is reached first, last
# and every 13th time (every time: tests/soak): see walk_permit.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_permit.py" named 13
