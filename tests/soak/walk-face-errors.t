#!/usr/bin/env bash
# Disks that are full or dying, at every point, with a face: see walk_face.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_face.py" errors
