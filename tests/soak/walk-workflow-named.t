#!/usr/bin/env bash
# Dying at each CRASH_POINT, each time, while a spec is sent for review, approved and moved: see walk_workflow.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_workflow.py" named
