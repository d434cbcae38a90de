#!/usr/bin/env bash
# Random histories of a mailbox, two homes and a person, with a witness outside: see worlds.py.
exec /usr/bin/python3 -B "$(dirname "$0")/worlds.py" 40
