#!/usr/bin/env bash
# Faults in a serve that goes on, at some of its points; all of them are in tests/soak.
exec /usr/bin/python3 -B "$(dirname "$0")/walk.py" live 14
