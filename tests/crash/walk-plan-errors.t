#!/usr/bin/env bash
# A full or dying disk, at every 97th system call that makes something last, in plan run and after CONTINUE: see walk_plan.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_plan.py" errors 97
