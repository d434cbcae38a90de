#!/usr/bin/env bash
# A full disk, and one that fails, at every 35th system call that makes something last, with a briefing: see walk_briefing.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_briefing.py" errors 35
