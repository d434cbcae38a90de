#!/usr/bin/env bash
# Dying at each CRASH_POINT, with a briefing, replies and responses: see walk_briefing.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_briefing.py" named
