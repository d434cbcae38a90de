#!/usr/bin/env bash
# Fifty journeys from vision to implementation, each with other kills: see journey.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/journey.py" 40 1 50
