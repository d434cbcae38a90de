#!/usr/bin/env bash
# Dying at each CRASH_POINT of plan run, where it is reached first, last and every eleventh time (every time: tests/soak): see
# walk_plan.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_plan.py" named 11
