#!/usr/bin/env bash
# Dying at each CRASH_POINT, while a job works in a git repository: see walk_tree.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_tree.py" named
