#!/usr/bin/env bash
# Disks that are full or dying at some of the points, with a face; all of them are in tests/soak: see walk_face.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_face.py" errors 60
