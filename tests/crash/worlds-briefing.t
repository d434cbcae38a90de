#!/usr/bin/env bash
# Random histories of a briefing, two homes, its reader and strangers, with a witness outside: see worlds_briefing.py. The last two
# were bad once: a reply that another home had answered, and one whose mail the lost store had known, were answered again.
exec /usr/bin/python3 -B "$(dirname "$0")/worlds_briefing.py" 30 1020 5041 5160
