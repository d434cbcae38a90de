#!/usr/bin/env bash
# SIGKILL, and again at every point of the recovery, in a job that parks and goes on: see walk_job.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_job.py" twice
