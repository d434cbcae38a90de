#!/usr/bin/env bash
# The program dies at each of its own CRASH_POINTs, where it is reached first, last and every third time (every time: tests/soak):
# see walk.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk.py" named 3
