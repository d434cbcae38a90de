#!/usr/bin/env bash
# SIGKILL at every seventh system call that makes something last, in a job that parks and goes on: see walk_job.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_job.py" kill 7
