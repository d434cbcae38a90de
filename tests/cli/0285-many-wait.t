#!/usr/bin/env bash
# Runs that wait for a slow model all at once: see many_wait.py. A thousand of them are in tests/soak.
exec /usr/bin/python3 -B "$(dirname "$0")/../lib/many_wait.py" 30 0 4 10
