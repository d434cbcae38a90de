#!/usr/bin/env bash
# Each transaction is rolled back once and run again (POSTRIDER_TEST_RETRY=1), as it is where a store that many share makes
# one lose: what a transaction changes outside of the store must not happen twice. Some scripts of this folder run so.
. "$(dirname "$0")/../lib/tap.sh"

export POSTRIDER_TEST_RETRY=1
pr init >/dev/null
echo 'Do it.' | pr send --to envoy --subject 'a task' >/dev/null
POSTRIDER_POINTS=$WORK/points pr serve --once 2>/dev/null
is "$(grep -c run-before-claim "$WORK/points") $(grep -c run-claimed "$WORK/points")" '2 1' 'a claim runs twice and happens once'

# First mail; mail, notes and a program at work; the workflow with a panel.
for name in 0100-first-mail 0351-port-and-cli 0352-formats; do
    run bash "$POSTRIDER_SRC/tests/cli/$name.t"
    is "$STATUS $(grep -E '^not ok|^# ' <<<"$OUT")" '0 ' "$name"
done
done_testing
