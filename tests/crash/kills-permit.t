#!/usr/bin/env bash
# SIGKILL of agent, run and master at 100 random moments of asking and granting: see walk_permit.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_permit.py" random 100
