#!/usr/bin/env bash
# Dying at the named points of a job that parks and goes on: see walk_job.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_job.py" named
