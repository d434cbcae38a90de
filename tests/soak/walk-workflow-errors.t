#!/usr/bin/env bash
# Full and dying disks while a spec is sent for review, approved and moved: see walk_workflow.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_workflow.py" errors
