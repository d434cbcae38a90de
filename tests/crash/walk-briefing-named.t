#!/usr/bin/env bash
# Dying at each CRASH_POINT, with a briefing, replies and responses, where it is reached first, last and every seventh time
# (every time: tests/soak): see walk_briefing.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_briefing.py" named 7
