#!/usr/bin/env bash
# From vision to implementation by a team, while its processes are killed (more seeds: tests/soak): see journey.py.
exec /usr/bin/python3 -B "$(dirname "$0")/journey.py" 25 1
