#!/usr/bin/env bash
# Two who decide on one review at the same time: one decision counts, the other is told to try again.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"

workflow_home
cd "$ROOT" || exit 1
notify spec-writer review-request "$SPEC" spec-reviewer >/dev/null

# Both have looked at the review, and wait for the store, which the test has.
waiters() { [ "$(grep -cE -- "-> FLOCK .* ($yes|$no) " /proc/locks)" = 2 ]; }
exec 9>>"$HOME_DIR/state/write.lock"
flock 9
"$PR_BIN" --home "$HOME_DIR" notify --quiet --from spec-reviewer approval "$SPEC" spec-writer >"$WORK/yes" 2>&1 9>&- &
yes=$!
"$PR_BIN" --home "$HOME_DIR" notify --quiet --from spec-reviewer rejection "$SPEC" spec-writer ISSUES_FOUND=bad >"$WORK/no" 2>&1 9>&- &
no=$!
wait_for waiters
exec 9>&-
wait "$yes"
approved=$?
wait "$no"
rejected=$?
is "$((approved + rejected))" 75 'one is done, the other may try again' || diag "$(cat "$WORK/yes" "$WORK/no")"
is "$(db "SELECT count(*) FROM event WHERE type IN ('approval', 'rejection')")" 1 'there is one event'
outcome=$(db 'SELECT outcome FROM cycle')
is "$outcome $(record | cut -d'|' -f1)" "$([ "$approved" = 0 ] && echo approved todo || echo rejected proposed)" 'review and place agree'
done_testing
