#!/usr/bin/env bash
# Dying at each CRASH_POINT while a mail to a space is sent, delivered and answered: see walk_space.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_space.py" named
