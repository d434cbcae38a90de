#!/usr/bin/env bash
# A store that is lost where a panel died that revises what was rejected: it revises anew, once. See walk_panel_revise.py.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_panel_revise.py" named-lost 10000
