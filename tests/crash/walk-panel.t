#!/usr/bin/env bash
# SIGKILL at every fourth system call that makes something last, while a panel reviews: see walk_panel.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_panel.py" kill 4
