#!/usr/bin/env bash
# SIGKILL at every fifth system call that makes something last, with a briefing, replies and responses: see walk_briefing.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_briefing.py" kill 5
