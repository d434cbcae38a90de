#!/usr/bin/env bash
# Several programs write one state: ours, killed now and then, and a shell script that takes part by flock(1) and jq.
. "$(dirname "$0")/../lib/tap.sh"
command -v jq >/dev/null && command -v flock >/dev/null || skip_all 'no jq, or no flock'
export POSTRIDER_HOME=/dev/null/none
state=.pilot/state/continuation.json
mkdir "$WORK/p" && cd "$WORK/p" || exit 1
"$PR_BIN" state write --plan-file p.md --todos '[{"id":"SC-1","status":"pending"}]'

cat >"$WORK/script" <<'X'
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    (
        flock -x 9 || exit 1
        jq '.shell += 1' $1 >t.$$ && mv t.$$ $1
    ) 9>$1.lock
done
X
cat >"$WORK/writer" <<'X'
for n in 1 2 3 4 5 6 7 8 9 10; do "$1" state write --plan-file "p$2.md" && echo "$2 $n"; done
X
bash "$WORK/script" $state &
script=$!
writers=()
for w in 1 2 3; do
    bash "$WORK/writer" "$PR_BIN" $w >"$WORK/acks.$w" 2>/dev/null &
    writers+=($!)
done
# One that is killed wherever it is, over and over.
while kill -0 $script 2>/dev/null; do
    "$PR_BIN" state write --iteration 1 2>/dev/null &
    victim=$!
    read -r -t 0.0$((RANDOM % 9 + 1)) -u "$TAP_NEVER"
    kill -KILL $victim 2>/dev/null
    wait $victim 2>/dev/null
    jq -e .version $state >/dev/null || fail 'the state is whole at every moment'
    [ ! -e $state.backup ] || jq -e .version $state.backup >/dev/null || fail 'and so is its backup'
done
wait "${writers[@]}"
is "$(jq .shell $state)" 20 'no write of the script is lost'
is "$(cat "$WORK"/acks.* | wc -l)" 30 'all of ours were acknowledged'
is "$(jq -s '[.[] | select(.act == "write") | .revision] | (length >= 31) and (. == (sort | unique))' .pilot/state/log.jsonl)" true 'and are in the log, each with a revision of its own'
"$PR_BIN" state write --iteration 2
is "$(jq .revision $state.backup)" "$(tail -n 1 .pilot/state/log.jsonl | jq .from)" 'the backup is the generation before'

done_testing
