#!/usr/bin/env bash
# Dying at each CRASH_POINT of plan run with todos of a role with a model, where it is reached first, last and every twelfth time
# (every time: tests/soak): see walk_plan_roles.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_plan_roles.py" named 12
