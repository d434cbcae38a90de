#!/usr/bin/env bash
# Dying at each CRASH_POINT, with a program that keeps a session: see walk_session.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/walk_session.py" named
