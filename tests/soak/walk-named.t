#!/usr/bin/env bash
# The program dies at each of its own CRASH_POINTs, each time that one is reached: see walk.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk.py" named
