#!/usr/bin/env bash
# 8 writers by the command line, 2,000 times each, beside a shell script that takes part by flock(1) as often.
POSTRIDER_WRITES=${POSTRIDER_WRITES:-2000} exec bash "$(dirname "$0")/../cli/0975-plan-races.t"
