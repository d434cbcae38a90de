#!/usr/bin/env bash
# SIGKILL at every seventeenth system call that makes something last, in plan run and in the pass after CONTINUE: see walk_plan.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_plan.py" kill 17
