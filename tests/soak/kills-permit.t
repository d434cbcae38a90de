#!/usr/bin/env bash
# SIGKILL at 100 random moments of asking and granting.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_permit.py" random 100
