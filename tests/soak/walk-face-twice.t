#!/usr/bin/env bash
# A second SIGKILL at every point of the recovery from each state that a first one leaves, with a face: see walk_face.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_face.py" twice
