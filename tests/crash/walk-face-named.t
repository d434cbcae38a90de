#!/usr/bin/env bash
# Dying at each CRASH_POINT, with a face, where it is reached first, last and every seventh time (every time: tests/soak): see
# walk_face.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_face.py" named 7
