#!/usr/bin/env bash
# Dying at each CRASH_POINT while a panel reviews, where it is reached first, last and every thirteenth time (every time:
# tests/soak): see walk_panel.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_panel.py" named 13
