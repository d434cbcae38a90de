#!/usr/bin/env bash
# The same with a real Postfix, over a wire that is cut; a copy to ourselves tells.
exec /usr/bin/python3 -B "$(dirname "$0")/kills_smtp.py" postfix probe 10
