#!/usr/bin/env bash
# SIGKILL at every 120th system call that makes something last, while a role with a model works on todos: see walk_plan_roles.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_plan_roles.py" kill 120
