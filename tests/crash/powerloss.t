#!/usr/bin/env bash
# What a power loss may leave, for some of the states; all of them are in tests/soak.
exec /usr/bin/python3 -B "$(dirname "$0")/powerloss.py" path 180
