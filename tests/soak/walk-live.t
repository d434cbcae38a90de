#!/usr/bin/env bash
# Faults in a serve that goes on, at every point.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk.py" live
