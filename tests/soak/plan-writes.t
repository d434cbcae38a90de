#!/usr/bin/env bash
# 8 processes write 2,000 times each into one plan, killed at random; and 32 take 200 todos.
POSTRIDER_WRITES=${POSTRIDER_WRITES:-2000} exec "$(dirname "$POSTRIDER_BIN")/tests/unit/plan/test-plan-plan_file" --tap
