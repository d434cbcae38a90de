#!/usr/bin/env bash
# Dying at each CRASH_POINT, with a program that keeps a session, where it is reached first, last and every seventh time (every
# time: tests/soak): see walk_session.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_session.py" named 7
