#!/usr/bin/env bash
# A full disk, and one that fails, at every 53rd system call that makes something last, with a briefing (at every one: tests/soak): see walk_briefing.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_briefing.py" errors 53
