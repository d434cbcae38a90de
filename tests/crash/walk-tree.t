#!/usr/bin/env bash
# SIGKILL at system calls that make something last, while a job works in a git repository: see walk_tree.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_tree.py" kill 14
