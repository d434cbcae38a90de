#!/usr/bin/env bash
# 100,000 random orders to a plan against the model of tests/unit/plan/plan_rules.c.
POSTRIDER_ORDERS=${POSTRIDER_ORDERS:-100000} exec "$(dirname "$POSTRIDER_BIN")/tests/unit/plan/test-plan-plan_rules" --tap
