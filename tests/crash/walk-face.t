#!/usr/bin/env bash
# SIGKILL at every eleventh system call that makes something last, with a face that keeps rows, a view, a timer and a parked
# job: see walk_face.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_face.py" kill 11
