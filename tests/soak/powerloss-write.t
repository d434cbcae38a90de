#!/usr/bin/env bash
# Every state that a power loss may leave of an artifact that gets other bytes: see powerloss.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/powerloss.py" write
