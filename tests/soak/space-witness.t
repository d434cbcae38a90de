#!/usr/bin/env bash
# 10,000 operations of twenty roles in six spaces, with a witness.
POSTRIDER_SPACE_OPS=${POSTRIDER_SPACE_OPS:-10000} exec bash "$(dirname "$0")/../cli/1613-space-witness.t"
