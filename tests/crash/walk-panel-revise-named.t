#!/usr/bin/env bash
# Dying at each CRASH_POINT while a panel revises what was rejected, where it is reached first and last (every time:
# tests/soak): see walk_panel_revise.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_panel_revise.py" named 10000
