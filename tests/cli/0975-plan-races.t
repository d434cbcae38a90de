#!/usr/bin/env bash
# Several programs write one state: ours, killed now and then, and a shell script that takes part by flock(1) and jq.
# POSTRIDER_WRITES=2000 is the long run: each of eight, and the script, that often.
. "$(dirname "$0")/../lib/tap.sh"
command -v jq >/dev/null && command -v flock >/dev/null || skip_all 'no jq, or no flock'
export POSTRIDER_HOME=/dev/null/none
state=.pilot/state/continuation.json
scripted=${POSTRIDER_WRITES:-20} each=${POSTRIDER_WRITES:-10} many=${POSTRIDER_WRITES:+8}
mkdir "$WORK/p" && cd "$WORK/p" || exit 1
"$PR_BIN" state write --plan-file p.md --todos '[{"id":"SC-1","status":"pending"}]'

cat >"$WORK/script" <<'X'
for n in $(seq "$2"); do
    (
        flock -x 9 || exit 1
        jq '.shell += 1' $1 >t.$$ && mv t.$$ $1
    ) 9>$1.lock
done
X
cat >"$WORK/writer" <<'X'
for n in $(seq "$3"); do "$1" state write --plan-file "p$2.md" && echo "$2 $n"; done
X
bash "$WORK/script" $state "$scripted" &
script=$!
writers=()
for w in $(seq "${many:-3}"); do
    bash "$WORK/writer" "$PR_BIN" $w "$each" >"$WORK/acks.$w" 2>/dev/null &
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
is "$(jq .shell $state)" "$scripted" 'no write of the script is lost'
is "$(cat "$WORK"/acks.* | wc -l)" $((${many:-3} * each)) 'all of ours were acknowledged'
is "$(jq -s '[.[] | select(.act == "write") | .revision] | (length > '$((${many:-3} * each))') and (. == (sort | unique))' .pilot/state/log.jsonl)" true 'and are in the log, each with a revision of its own'
"$PR_BIN" state write --iteration 2
is "$(jq .revision $state.backup)" "$(tail -n 1 .pilot/state/log.jsonl | jq .from)" 'the backup is the generation before'

done_testing
