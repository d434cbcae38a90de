#!/usr/bin/env bash
# `make demo-plan` as somebody sees it who has just built it.
. "$(dirname "$0")/../lib/tap.sh"
export POSTRIDER_BIN
began=$SECONDS
TMPDIR=$WORK "$POSTRIDER_SRC/tools/demo-plan" >"$WORK/out" 2>"$WORK/said"
is "$?" 0 'the demo runs'
is "$(cat "$WORK/said")" '' 'without a word on stderr'
ok 'in less than 30 s' test $((SECONDS - began)) -lt 30
is "$(grep -c '   iteration' "$WORK/out")" 4 'the agent stops early three times: four starts'
like "$(cat "$WORK/out")" 'SC-2: not complete: the check of SC-2 failed' 'a check fails first'
like "$(cat "$WORK/out")" '<DOCUMENTER_COMPLETE>' 'and the plan is finished: the last owner says so'
like "$(cat "$WORK/out")" '3 of 3 complete' 'all of it'
done_testing
