#!/usr/bin/env bash
# Dying at each CRASH_POINT while a spec is sent for review, approved and moved, where it is reached first, last and every third time
# (every time: tests/soak): see walk_workflow.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_workflow.py" named 3
