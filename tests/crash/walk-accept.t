#!/usr/bin/env bash
# SIGKILL at every ninth system call that makes something last in `doctor --accept-backup`: see walk_accept.py. All of them
# are in tests/soak.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_accept.py" kill 9
