#!/usr/bin/env bash
# Disks that are full or dying, at every point of a plan that runs, pauses and goes on: see walk_plan.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_plan.py" errors
