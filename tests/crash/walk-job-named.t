#!/usr/bin/env bash
# Dying at the named points of a job that parks and goes on, where it is reached first, last and every seventh time (every
# time: tests/soak): see walk_job.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_job.py" named 7
