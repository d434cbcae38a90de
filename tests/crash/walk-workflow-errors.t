#!/usr/bin/env bash
# Full and dying disks at every 25th such call (all of them: tests/soak), while a spec is sent for review, approved and moved: see walk_workflow.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_workflow.py" errors 25
