#!/usr/bin/env bash
# States that a power loss may leave of a briefing and a reply to it, some of them: see powerloss.py.
exec /usr/bin/python3 -B "$(dirname "$0")/powerloss.py" briefing 30
