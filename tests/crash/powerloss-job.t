#!/usr/bin/env bash
# States that a power loss may leave of a job that parks and goes on, some of them: see powerloss.py.
exec /usr/bin/python3 -B "$(dirname "$0")/powerloss.py" job 80
