#!/usr/bin/env bash
# 32 takers by `plan next --claim`, some of them killed: a todo has one taker at a time, and none is taken before what it waits for.
# POSTRIDER_TODOS=200 is the long run.
. "$(dirname "$0")/../lib/tap.sh"
command -v jq >/dev/null || skip_all 'no jq'
export POSTRIDER_HOME=/dev/null/none TAP_NEVER
unset CODEX_SESSION_ID POSTRIDER_PLAN_SESSION MAX_ITERATIONS CONTINUATION_LEVEL

# A client that is killed leaves commands that claim for it afterwards.
mkdir "$WORK/late" && cd "$WORK/late" || exit 1
echo '- [ ] SC-1: a' >PLAN.md
"$PR_BIN" plan execute PLAN.md >/dev/null
ended=$(sh -c 'echo $$')
ok 'a claim for a client that has ended' env CLAUDE_CODE_SESSION_ID=gone CLAUDE_PID="$ended" "$PR_BIN" plan next --claim
ok 'holds the todo for nobody' env CLAUDE_CODE_SESSION_ID=other CLAUDE_PID=$$ "$PR_BIN" plan next --claim
is "$(jq -r '.todos[0].claim.session' .pilot/state/continuation.json)" other 'so another takes it'

todos=${POSTRIDER_TODOS:-40} width=10 takers=32
mkdir -p "$WORK/p/busy" && cd "$WORK/p" || exit 1
{
    echo '# Chains that cross each other'
    for n in $(seq $todos); do
        row=$(((n - 1) / width)) after=
        [ $row = 0 ] || after=" (after: T-$((n - width)), T-$(((row - 1) * width + 1 + n * 7 % width)))"
        echo "- [ ] T-$n: do it$after"
    done
} >PLAN.md
"$PR_BIN" plan execute PLAN.md >/dev/null

cat >"$WORK/taker" <<'X'
# SESSION PROGRAM
export CLAUDE_CODE_SESSION_ID=$1 CLAUDE_PID=$$
lives() { [ -e "/proc/$1" ] && ! grep -qs '^State:.*Z' "/proc/$1/status"; }
while :; do
    said=$("$2" plan next --claim 2>/dev/null)
    case $? in
    0) ;;
    66) exit 0 ;;
    *) read -r -t 0.2 -u "$TAP_NEVER"; continue ;;
    esac
    id=${said%%:*}
    if ! mkdir "busy/$id" 2>/dev/null && read -r holder <"busy/$id/pid" && lives "$holder" && [ "$holder" != $$ ]; then
        echo "$id has $holder and $$" >>wrong
    fi
    echo $$ >"busy/$id/pid"
    "$2" plan mark "$id" complete 2>>errors
done
X
pids=()
start() { bash "$WORK/taker" "$1" "$POSTRIDER_PLAIN_BIN" 2>/dev/null & pids+=($!); }
for n in $(seq $takers); do start "s$n"; done
killed=0
while [ $killed -lt 12 ]; do
    read -r -t 0.05 -u "$TAP_NEVER"
    victim=$((RANDOM % ${#pids[@]}))
    kill -KILL "${pids[victim]}" 2>/dev/null || { [ "$(jq -r .status .pilot/state/continuation.json)" = complete ] && break; continue; }
    wait "${pids[victim]}" 2>/dev/null
    killed=$((killed + 1))
    start "again$killed"
done
wait "${pids[@]}" 2>/dev/null
diag "$killed takers were killed"
is "$(cat wrong 2>/dev/null)" '' 'no todo had two takers who lived'
is "$(jq -r '.status, ([.todos[] | select(.status == "complete")] | length)' .pilot/state/continuation.json | paste -sd' ')" "complete $todos" 'all are complete' || diag "$(sort -u errors | head -5)"
is "$(jq -c 'select(.act == "mark") | .todo' .pilot/state/log.jsonl | sort | uniq -d)" '' 'each was completed once'
python3 - <<'P'
import json
log = [json.loads(line) for line in open(".pilot/state/log.jsonl")]
after = {t["id"]: t.get("after", []) for t in json.load(open(".pilot/state/continuation.json"))["todos"]}
done, early = set(), []
for line in log:
    if line["act"] == "claim":
        early += [line["todo"]] if not set(after[line["todo"]]) <= done else []
    elif line.get("todo_status") == "complete":
        done.add(line["todo"])
open("early", "w").write(" ".join(early))
P
is "$(cat early)" '' 'and none before what it waits for'
done_testing
