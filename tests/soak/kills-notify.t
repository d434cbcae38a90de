#!/usr/bin/env bash
# Sixty-four writers of events for a minute, and a SIGKILL every second: see tests/crash/kills_notify.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/kills_notify.py" 64 60 1
