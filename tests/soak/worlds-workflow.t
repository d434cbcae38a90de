#!/usr/bin/env bash
# Two hundred random histories of a team's artifacts: see tests/crash/worlds_workflow.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/worlds_workflow.py" 200 1000
