#!/usr/bin/env bash
# SIGKILL at every eighth system call that makes something last (at all: tests/soak), while a spec is sent for review, approved and moved: see
# walk_workflow.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_workflow.py" kill 8
