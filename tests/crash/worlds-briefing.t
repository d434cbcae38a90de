#!/usr/bin/env bash
# Random histories of a briefing, two homes, its reader and strangers, with a witness outside: see worlds_briefing.py.
exec /usr/bin/python3 -B "$(dirname "$0")/worlds_briefing.py" 30 1020
