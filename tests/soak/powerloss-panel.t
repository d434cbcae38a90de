#!/usr/bin/env bash
# Every state that a power loss may leave of a panel's decision: see powerloss.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/powerloss.py" panel
