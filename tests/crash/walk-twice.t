#!/usr/bin/env bash
# A second SIGKILL in the recovery from a first, for some of both; all of them are in tests/soak.
exec /usr/bin/python3 -B "$(dirname "$0")/walk.py" twice 141
