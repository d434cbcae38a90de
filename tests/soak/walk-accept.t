#!/usr/bin/env bash
# SIGKILL at every system call that makes something last in `doctor --accept-backup`: see walk_accept.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_accept.py" kill
