#!/usr/bin/env bash
# SIGKILL at every fourteenth system call that makes something last (at all: tests/soak), with a briefing, replies and responses: see walk_briefing.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_briefing.py" kill 14
