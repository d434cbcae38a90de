#!/usr/bin/env bash
# Servers that mean harm, 38 by IMAP, 17 by SMTP, 21 by HTTP: see hostile.py.
exec /usr/bin/python3 -B "$(dirname "$0")/hostile.py"
