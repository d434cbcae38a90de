#!/usr/bin/env bash
# SIGKILL at every system call that makes something last, between two files of one mail: see walk_copies.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_copies.py" kill
