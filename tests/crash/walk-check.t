#!/usr/bin/env bash
# SIGKILL at every ninth system call that makes something last, with a task that has a check: see walk_check.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_check.py" kill 9
