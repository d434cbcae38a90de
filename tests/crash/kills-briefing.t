#!/usr/bin/env bash
# SIGKILL of agent, run and master at random moments while replies to a briefing come: see kills_briefing.py.
exec /usr/bin/python3 -B "$(dirname "$0")/kills_briefing.py" 12
