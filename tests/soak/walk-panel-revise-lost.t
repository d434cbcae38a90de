#!/usr/bin/env bash
# The store is lost at each CRASH_POINT where a panel died that revises what was rejected: see walk_panel_revise.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_panel_revise.py" named-lost
