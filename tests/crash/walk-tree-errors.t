#!/usr/bin/env bash
# A full or dying disk, at some of the points (at all: tests/soak), while a job works in a git repository: see walk_tree.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_tree.py" errors 43
