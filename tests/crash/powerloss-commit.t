#!/usr/bin/env bash
# States that a power loss may leave of an approval in a git checkout that is committed, some of them: see powerloss.py.
exec /usr/bin/python3 -B "$(dirname "$0")/powerloss.py" commit 40
