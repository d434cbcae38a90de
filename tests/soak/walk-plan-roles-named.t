#!/usr/bin/env bash
# Dying at each CRASH_POINT of plan run: see walk_plan_roles.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_plan_roles.py" named
