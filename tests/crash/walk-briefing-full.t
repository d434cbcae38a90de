#!/usr/bin/env bash
# A disk that is full from some call on in the middle of a response: see walk_briefing.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_briefing.py" full 12
