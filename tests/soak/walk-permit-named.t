#!/usr/bin/env bash
# Dying at each CRASH_POINT of asking for a permission, of using a yes and of hearing a no: see walk_permit.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_permit.py" named
