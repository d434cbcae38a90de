#!/usr/bin/env bash
# SIGKILL at every nineteenth system call that makes something last (at all: tests/soak), while a panel reviews: see walk_panel.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_panel.py" kill 19
