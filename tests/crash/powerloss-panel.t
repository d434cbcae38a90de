#!/usr/bin/env bash
# States that a power loss may leave of a panel's decision, some of them (all of them: tests/soak): see powerloss.py.
exec /usr/bin/python3 -B "$(dirname "$0")/powerloss.py" panel 60
