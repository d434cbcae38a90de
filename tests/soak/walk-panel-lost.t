#!/usr/bin/env bash
# The store is lost wherever a panel died, at each CRASH_POINT: see walk_panel_lost.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_panel_lost.py" named
