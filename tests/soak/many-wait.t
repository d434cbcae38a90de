#!/usr/bin/env bash
# 1,000 runs wait for a model that thinks for a minute, in 2.5 GB; STOP reaches any of them within a second.
exec /usr/bin/python3 -B "$(dirname "$0")/../lib/many_wait.py" "${POSTRIDER_RUNS:-1000}" 60 2.5 1
