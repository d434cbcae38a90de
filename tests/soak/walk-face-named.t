#!/usr/bin/env bash
# Dying at each CRASH_POINT, with a face: see walk_face.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_face.py" named
