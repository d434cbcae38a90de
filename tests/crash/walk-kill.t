#!/usr/bin/env bash
# SIGKILL at every fifth system call that makes something last: see walk.py. All of them are in tests/soak.
exec /usr/bin/python3 -B "$(dirname "$0")/walk.py" kill 5
