#!/usr/bin/env bash
# SIGKILL at every fortieth system call that makes something last (at all: tests/soak), while a panel revises what was rejected: see
# walk_panel_revise.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_panel_revise.py" kill 40
