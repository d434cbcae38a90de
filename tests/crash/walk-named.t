#!/usr/bin/env bash
# The program dies at each of its own CRASH_POINTs: see walk.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk.py" named
