#!/usr/bin/env bash
# Disks that are full or dying, at every point, while a job works in a git repository: see walk_tree.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_tree.py" errors
