#!/usr/bin/env bash
# Random histories of a team's artifacts, and of the homes that keep their record: see worlds_workflow.py. In the last two a
# home beside the first one decided once more.
exec /usr/bin/python3 -B "$(dirname "$0")/worlds_workflow.py" 20 1 32 48
