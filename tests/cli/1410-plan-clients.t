#!/usr/bin/env bash
# plan run with programs that keep a session: begun, resumed with the reason, named in the plan, limited, killed.
. "$(dirname "$0")/../lib/tap.sh"
command -v jq >/dev/null || skip_all 'no jq'
. "$POSTRIDER_SRC/tests/lib/plan.sh"
mkdir "$WORK/bin"
for name in claude codex; do ln -s "$POSTRIDER_SRC/tests/peers/stub-agent" "$WORK/bin/$name"; done
export HOME=$WORK/user STUB_SCRIPT=$WORK/script
mkdir "$HOME"
calls() { jq -r "$1" "$HOME/.stub/calls.jsonl" | paste -sd' '; }
prompts() { jq -r 'select(.prompt) | .prompt' "$HOME/.stub/calls.jsonl"; }

for client in claude codex; do
    rm -rf "$HOME/.stub"
    plan_home
    plan_project "$client" 'SC-1: make a (check: test -f a)' 'SC-2: make b (check: test -f b)' 'SC-3: make c (check: test -f c)'
    cat >"$STUB_SCRIPT" <<'S'
text I make a
sh touch a
result done with one
---
result SC-2 is complete
---
sh if [ -e b ]; then touch c; else touch b; kill -9 $PPID; fi
result all done
S
    run pr plan run PLAN.md -- "$WORK/bin/$client"
    is "$STATUS $(st .status)" '0 complete' "$client finishes a plan although it stops, claims too much and is killed" || diag "$OUT$ERR"
    like "$OUT" 'I make a' 'what it says is shown'
    is "$(calls 'select(.start) | .resumed // false')" 'false true true true' 'the session is resumed' || diag "$(cat "$HOME/.stub/calls.jsonl")"
    like "$(prompts)" 'The last try: the check of SC-2 failed' 'with the reason'
    is "$(db 'SELECT kind FROM session')" "$client" 'the store knows the session'
    id=$(db 'SELECT id FROM session')
    is "$(jq -r '.act + " " + (.session // "")' .pilot/state/log.jsonl | grep -c "^enter $id\$")" 1 'which owns the plan, so that its hook holds it'
    [ "$client" != claude ] || is "$(db 'SELECT cost_micro > 0 FROM job')" 1 'and what it costs is counted'
done

# A budget.
plan_project budget 'SC-1: a (check: test -f a)'
rm -rf "$HOME/.stub"
printf 'cost 0.30\nresult no\n---\ncost 0.30\nresult no\n---\ncost 0.30\nresult no\n' >"$STUB_SCRIPT"
exits 75 'a budget' pr plan run --budget 0.50 PLAN.md -- "$WORK/bin/claude"
like "$OUT" 'PAUSED: its budget is spent' 'that is spent pauses the plan'
is "$(calls 'select(.start) | .session' | wc -w)" 2 'before the next start'

# The money of its role for one day.
plan_project role-money 'SC-1: a (check: test -f a)' 'SC-2: b (check: test -f b)'
rm -rf "$HOME/.stub"
begun() { calls 'select(.start) | .session' | wc -w; }
have_begun() { [ "$(begun)" = "$1" ] && [ "$(db 'SELECT role FROM role_pause')" = envoy ]; }
pr config set 'role envoy' max-cost-per-day 0.50 && pr role resume envoy >/dev/null 2>&1
printf 'cost 0.30\nresult no\n---\ncost 0.30\nsh touch a\nresult no\n---\ncost 0.30\nresult no\n---\ncost 0.30\nresult no\n' >"$STUB_SCRIPT"
"$PR_BIN" --home "$HOME_DIR" plan run PLAN.md -- "$WORK/bin/claude" >"$WORK/out" 2>&1 &
front=$!
ok 'what a role may spend on one day' wait_for grep -q 'waits: role envoy pauses: its work has cost \$0\.60 today' "$WORK/out"
is "$(begun) $(st .status)" '2 active' 'is waited for, before the next start'
is "$(calls 'select(.start) | .start[(.start | index("--max-budget-usd")) + 1] | tonumber')" '0.5 0.2' 'each start is told what is left of it'
ok 'a person lets the role go on' pr role resume envoy
ok 'so the plan goes on, and spends as much once more' wait_for have_begun 4 || diag "$(cat "$WORK/out")"
kill $front 2>/dev/null
wait $front
exits 75 'a plan run that begins while the role pauses' pr plan run -- "$WORK/bin/claude"
like "$ERR" 'role envoy pauses: its work has cost .*postrider role resume envoy' 'is told why it may not'
is "$(begun)" 4 'and starts nothing'
run pr plan run --detach -- "$WORK/bin/claude"
turn
is "$(db "SELECT state FROM job ORDER BY id DESC LIMIT 1") $(begun) $(st .status)" 'queued 4 active' 'under the service the job waits as others of the role do'
for turn in 1 2 3 4 5 6 7 8; do printf 'sh touch b\nresult yes\n---\n'; done >.stub-script
POSTRIDER_CLOCK=+86400 pr serve --once >/dev/null 2>&1
POSTRIDER_CLOCK=+86400 pr serve --once >/dev/null 2>&1
is "$(st .status)" complete 'and goes on by itself the next day' || diag "$(pr job list)"
pr config set 'role envoy' max-cost-per-day 0 && pr role resume envoy >/dev/null

# Blocks by the agent's hook and starts by plan run are one count.
plan_project shared 'SC-1: a (check: test -f a)'
rm -rf "$HOME/.stub"
for turn in 1 2 3; do
    cat <<'S'
sh printf '{"session_id":"%s","cwd":"%s"}' {session} "$PWD" | postrider hook stop >>held
result no
---
S
done >"$STUB_SCRIPT"
MAX_ITERATIONS=4 exits 75 'an agent that is held by its hook' pr plan run PLAN.md -- "$WORK/bin/claude"
like "$OUT" 'MAX ITERATIONS REACHED \(4/4\)' 'comes to the limit'
is "$(calls 'select(.start) | .session' | wc -w) $(grep -c '"block"' held) $(st .total_iterations)" '2 2 4' 'with as many starts as blocks'

# What was spent is known after a kill, and CONTINUE grants the budget again.
plan_project spent 'SC-1: a (check: test -f a)'
rm -rf "$HOME/.stub"
unset STUB_SCRIPT
printf 'cost 0.30\nresult no\n---\nsh kill -9 $(sed -n "s/^PPid:.//p" /proc/$PPID/status)\nwait never\n' >.stub-script
run pr plan run --budget 0.50 PLAN.md -- "$WORK/bin/claude"
is "$STATUS $(db 'SELECT spent_micro FROM plan ORDER BY job DESC LIMIT 1')" '137 300000' 'a run is killed when some of its budget is spent'
for turn in 1 2 3 4 5 6 7 8; do printf 'cost 0.30\nresult no\n---\n'; done >.stub-script
exits 75 'the same command' pr plan run --budget 0.50 -- "$WORK/bin/claude"
like "$OUT" 'PAUSED: its budget is spent' 'goes on with the rest of it'
is "$(calls 'select(.start) | .session' | wc -w) $(db 'SELECT spent_micro FROM plan ORDER BY job DESC LIMIT 1')" '3 600000' 'for one start'
turn
reply CONTINUE
turn
is "$(st .why) $(st .iteration_count) $(db 'SELECT spent_micro FROM plan ORDER BY job DESC LIMIT 1')" 'its budget is spent 2 600000' 'CONTINUE grants as much again' || diag "$(cat "$WORK/turn.log")"
export STUB_SCRIPT=$WORK/script

# A usage limit under the service: the job waits for its end, and nothing is counted.
plan_project limited 'SC-1: a (check: test -f a)'
rm -rf "$HOME/.stub"
printf 'limit %s\n' $(($(date +%s) + 3600)) >.stub-script
run pr plan run --detach PLAN.md -- "$WORK/bin/claude"
turn
is "$(db "SELECT state || ' ' || waiting_for FROM job ORDER BY id DESC LIMIT 1")" 'parked the end of a usage limit' 'a usage limit is waited for' || diag "$(cat "$WORK/turn.log")"
is "$(st .iteration_count)" 0 'and is no iteration'
turn
is "$(st .status)" active 'nobody goes on before'
printf 'text again\nsh touch a\nresult done\n---\nsh touch a\nresult done\n' >.stub-script
POSTRIDER_CLOCK=+7200 pr serve --once >/dev/null 2>&1
POSTRIDER_CLOCK=+7200 pr serve --once >/dev/null 2>&1
is "$(st .status)" complete 'afterwards it goes on by itself' || diag "$(pr job list)"

# An owner that is a role of the home.
plan_project owner 'SC-1: a (owner: tester) (check: test -f a)'
agent 'touch a'
printf '[brain tester]\nkind = command\ncommand = %s\n[role tester]\nbrain = tester\ninstructions = tester.md\n' "$WORK/agent" >>"$HOME_DIR/postrider.conf"
echo 'Test with care.' >"$HOME_DIR/tester.md"
ok 'a todo of a role' pr plan run PLAN.md -- false
is "$(starts)" 1 'is asked of its own brain'
like "$(cat "$WORK/prompt")" 'Test with care' 'with its instructions'
done_testing
