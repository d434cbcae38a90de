#!/usr/bin/env bash
# Eight writers of events, and a SIGKILL every 200 ms: see kills_notify.py.
exec /usr/bin/python3 -B "$(dirname "$0")/kills_notify.py" 8 3 0.2
