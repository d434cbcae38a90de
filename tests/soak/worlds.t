#!/usr/bin/env bash
# A thousand random histories: see tests/crash/worlds.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/worlds.py" 1000 100000
