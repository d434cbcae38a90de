#!/usr/bin/env bash
# SIGKILL at every ninth system call that makes something last (at all: tests/soak), while a mail to a space is sent, delivered and answered: see walk_space.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_space.py" kill 9
