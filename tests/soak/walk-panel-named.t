#!/usr/bin/env bash
# Dying at each CRASH_POINT while a panel reviews: see walk_panel.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_panel.py" named
