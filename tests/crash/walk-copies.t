#!/usr/bin/env bash
# SIGKILL at every seventh system call that makes something last, between two files of one mail: see walk_copies.py.
# All of them are in tests/soak.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_copies.py" kill 7
