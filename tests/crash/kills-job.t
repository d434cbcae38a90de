#!/usr/bin/env bash
# A job of 24 steps that is killed at 100 random moments: see kills_job.py.
exec /usr/bin/python3 -B "$(dirname "$0")/kills_job.py" 100
