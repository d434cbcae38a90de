#!/usr/bin/env bash
# The same where the server files what it accepts, and Sent tells what became of a mail in doubt.
exec /usr/bin/python3 -B "$(dirname "$0")/kills_smtp.py" peer probe 12
