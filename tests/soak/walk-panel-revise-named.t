#!/usr/bin/env bash
# Dying at each CRASH_POINT while a panel revises what was rejected: see walk_panel_revise.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_panel_revise.py" named
