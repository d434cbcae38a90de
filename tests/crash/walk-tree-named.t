#!/usr/bin/env bash
# Dying at each CRASH_POINT, while a job works in a git repository, where it is reached first, last and every seventh time
# (every time: tests/soak): see walk_tree.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_tree.py" named 7
