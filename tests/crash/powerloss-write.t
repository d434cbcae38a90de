#!/usr/bin/env bash
# States that a power loss may leave of an artifact that gets other bytes, some of them: see powerloss.py.
exec /usr/bin/python3 -B "$(dirname "$0")/powerloss.py" write 40
