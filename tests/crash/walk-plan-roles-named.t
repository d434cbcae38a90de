#!/usr/bin/env bash
# Dying at each CRASH_POINT of plans, where it is reached first and last, while a role with a model works on todos, and at every
# 40th one of other parts (each: tests/soak): see walk_plan_roles.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_plan_roles.py" named 40
