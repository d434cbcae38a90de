#!/usr/bin/env bash
# Dying at each CRASH_POINT while a mail to a space is sent, delivered and answered, where it is reached first, last and
# every seventh time (every time: tests/soak): see walk_space.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_space.py" named 7
