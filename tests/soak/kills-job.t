#!/usr/bin/env bash
# A job of 24 steps that is killed at 1000 random moments.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/kills_job.py" 1000
