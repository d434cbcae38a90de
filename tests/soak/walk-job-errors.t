#!/usr/bin/env bash
# Disks that are full or dying, at every point of a job that parks and goes on: see walk_job.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_job.py" errors
