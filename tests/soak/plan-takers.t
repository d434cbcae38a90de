#!/usr/bin/env bash
# 32 takers by `plan next --claim` on 200 todos.
POSTRIDER_TODOS=${POSTRIDER_TODOS:-200} exec bash "$(dirname "$0")/../cli/0978-plan-takers.t"
