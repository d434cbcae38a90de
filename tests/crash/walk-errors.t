#!/usr/bin/env bash
# Disks that are full or dying, at some of the points; all of them are in tests/soak.
exec /usr/bin/python3 -B "$(dirname "$0")/walk.py" errors 17
