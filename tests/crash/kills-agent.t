#!/usr/bin/env bash
# Agent, run, master and what agents have started are killed at 20 random moments under a real master: see kills_agent.py.
exec /usr/bin/python3 -B "$(dirname "$0")/kills_agent.py" 20
