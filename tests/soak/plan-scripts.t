#!/usr/bin/env bash
# 8 writers by the command line, 2,000 times each, beside a shell script that takes part by flock(1) as often. In memory where
# that can be had: what is tried is the order of the writes, and not the disk, for which each of 18,000 would wait three times.
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm
POSTRIDER_WRITES=${POSTRIDER_WRITES:-2000} exec bash "$(dirname "$0")/../cli/0975-plan-races.t"
