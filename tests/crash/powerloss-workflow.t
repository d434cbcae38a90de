#!/usr/bin/env bash
# States that a power loss may leave of an approval that moves a file, some of them: see powerloss.py.
exec /usr/bin/python3 -B "$(dirname "$0")/powerloss.py" workflow 120
