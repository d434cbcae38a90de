#!/usr/bin/env bash
# SIGKILL at 12 random moments of asking and granting: see walk_permit.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_permit.py" random 12
