#!/usr/bin/env bash
# Agent, run, master and what agents have started are killed at 100 random moments under a real master.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/kills_agent.py" 100
