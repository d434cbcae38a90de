#!/usr/bin/env bash
# Dying at each CRASH_POINT, while old things go: see walk_keep.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_keep.py" named
