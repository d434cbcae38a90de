#!/usr/bin/env bash
# The store is lost wherever a panel died, at the CRASH_POINTs that mean something to it, where each is reached first and last (all of
# them: tests/soak): see walk_panel_lost.py.
POSTRIDER_FEW_POINTS=1 exec /usr/bin/python3 -B "$(dirname "$0")/walk_panel_lost.py" named 10000
