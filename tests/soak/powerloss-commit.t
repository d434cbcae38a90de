#!/usr/bin/env bash
# Every state that a power loss may leave of an approval in a git checkout that is committed: see powerloss.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../crash/powerloss.py" commit
