#!/usr/bin/env bash
# Any process is killed for a minute, while mail comes in and answers leave by SMTP: see kills_smtp.py.
exec /usr/bin/python3 -B "$(dirname "$0")/../e2e/kills_smtp.py" peer hold 60
