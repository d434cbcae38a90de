#!/usr/bin/env bash
# Every state that a power loss may leave.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/powerloss.py" path
