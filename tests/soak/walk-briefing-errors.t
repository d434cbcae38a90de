#!/usr/bin/env bash
# Disks that are full or dying, at every point, with a briefing: see walk_briefing.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_briefing.py" errors
