#!/usr/bin/env bash
# Every state that a power loss may leave while SQLite's log is written back.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/powerloss.py" checkpoint
