#!/usr/bin/env bash
# Disks that are full or dying, at every point.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk.py" errors
