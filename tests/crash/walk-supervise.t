#!/usr/bin/env bash
# SIGKILL at every 20th system call that makes something last (at all: tests/soak), where a role is paused for what it did: see
# walk_supervise.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_supervise.py" kill 20
