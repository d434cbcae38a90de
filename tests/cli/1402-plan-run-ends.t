#!/usr/bin/env bash
# plan run: how it ends and waits beside its work. Its time is over, a usage limit, a session that the client has lost, Ctrl-C, a
# level for what goes on, watch.
. "$(dirname "$0")/../lib/tap.sh"
command -v jq >/dev/null || skip_all 'no jq'
. "$POSTRIDER_SRC/tests/lib/plan.sh"
is_gone() { [ ! -e "/proc/$1" ] || grep -q '^State:.*Z' "/proc/$1/status"; }
mkdir "$WORK/bin"
ln -s "$POSTRIDER_SRC/tests/peers/stub-agent" "$WORK/bin/claude"
export HOME=$WORK/user STUB_SCRIPT=$WORK/script
mkdir "$HOME"
calls() { jq -r "$1" "$HOME/.stub/calls.jsonl" | paste -sd' '; }
noon=1794830400 # 2026-11-16 12:00 UTC

# --until. The clock stands a second before the time: an agent that is at work then is ended a second later.
plan_home
plan_project late 'SC-1: a (check: test -f a)'
shut_door
agent 'if [ $n = 1 ]; then echo $$ >../late.pid; read -r _ <"'"$WORK"'/door"; touch late; fi; touch a'
ok 'the time comes while an agent works' env POSTRIDER_CLOCK=@$((noon - 1)) "$PR_BIN" --home "$HOME_DIR" plan run --until 12:00 PLAN.md -- "$WORK/agent"
is "$(starts) $(is_gone "$(cat "$WORK/late.pid")" && echo ended)" '2 ended' 'it is ended, though it waits for ever'
not_ok 'before it was done' test -e late
open_door

# A plan whose time is over pauses before the next start, and says so; CONTINUE by a person goes on without a time.
plan_project until 'SC-1: a (check: test -f a)'
agent 'touch a'
POSTRIDER_CLOCK=@$((noon - 60)) run pr plan run --detach --until 12:00 PLAN.md -- "$WORK/agent"
POSTRIDER_CLOCK=@$((noon + 1)) pr serve --once 2>/dev/null
is "$(starts) $(st '.status, .why')" '0 paused its time is over' 'at its time the plan is paused, and nobody is started'
is "$(db "SELECT state || ' ' || waiting_for FROM job ORDER BY id DESC LIMIT 1")" 'parked your word: its time is over' 'the job waits for a word'
POSTRIDER_CLOCK=@$((noon + 2)) pr serve --once 2>/dev/null
ok 'the owner is told' grep -rlq 'PAUSED: its time is over' "$HOME_DIR/mail/you/new"
reply CONTINUE
POSTRIDER_CLOCK=@$((noon + 3)) pr serve --once 2>/dev/null
is "$(starts) $(job_state) $(st .status)" '1 done complete' 'CONTINUE goes on with it' || diag "$(st '.status, .why')"

# A usage limit is waited out in the foreground, and counts as nothing.
plan_home
plan_project limited 'SC-1: a (check: test -f a)'
printf 'limit %s\nsh touch a\nresult done\n' $(($(date +%s) + 2)) >"$STUB_SCRIPT"
ok 'a usage limit' pr plan run PLAN.md -- "$WORK/bin/claude"
like "$OUT" 'going on at 20' 'is told, with its end'
is "$(calls 'select(.start) | .session' | wc -w) $(st .iteration_count)" '2 1' 'waited out, and no iteration' || diag "$OUT" "$(cat "$HOME/.stub/calls.jsonl")"
plan_project halted 'SC-1: a (check: test -f a)'
rm -rf "$HOME/.stub"
printf 'limit %s\n' $(($(date +%s) + 3600)) >"$STUB_SCRIPT"
"$PR_BIN" --home "$HOME_DIR" plan run PLAN.md -- "$WORK/bin/claude" >"$WORK/limit.out" 2>&1 &
first=$!
wait_for grep -q 'going on at' "$WORK/limit.out"
ok 'plan stop' "$PR_BIN" plan stop
wait $first
is "$? $(tail -n 1 "$WORK/limit.out")" '75 Work stopped. Use /00_continue to resume.' 'ends the wait at once'

# The client does not know its session any more.
plan_project lost 'SC-1: a (check: test -f a)'
rm -rf "$HOME/.stub"
printf 'text looking\nresult no\n---\nsh touch a\nresult done\n' >"$STUB_SCRIPT"
MAX_ITERATIONS=1 run pr plan run PLAN.md -- "$WORK/bin/claude"
is "$STATUS $(calls 'select(.start) | .resumed')" '75 false' 'an agent has begun a session'
find "$HOME/.stub" -type f ! -name calls.jsonl -delete
printf 'sh touch a\nresult done\n' >"$STUB_SCRIPT"
MAX_ITERATIONS=7 ok 'which the client has lost' pr plan run -- "$WORK/bin/claude"
is "$(calls 'select(.start) | .resumed') $(calls 'select(.start) | .session' | tr ' ' '\n' | sort -u | wc -l)" 'false false 2' 'a fresh one is begun'
is "$(st .status) $(st .total_iterations)" 'complete 3' 'which finishes the plan'

# Ctrl-C.
plan_project ctrl 'SC-1: a (check: test -f a)'
shut_door
agent 'echo $$ >../ctrl.pid; [ -e go ] || read -r _ <"'"$WORK"'/door"; touch a'
python3 -c 'import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execvp(sys.argv[1], sys.argv[1:])' \
    "$PR_BIN" --home "$HOME_DIR" plan run PLAN.md -- "$WORK/agent" >"$WORK/ctrl.out" 2>&1 &
first=$!
wait_for test -s "$WORK/ctrl.pid"
kill -INT $first
wait $first
is "$? $(tail -n 1 "$WORK/ctrl.out")" '75 postrider: interrupted; go on by: postrider plan run' 'Ctrl-C ends it, and says how to go on' || diag "$(cat "$WORK/ctrl.out")"
ok 'with its agent' wait_for is_gone "$(cat "$WORK/ctrl.pid")"
is "$(st .status)" active 'the plan is as it was'
open_door
touch go
turn
is "$(job_state)" parked 'its job waits'
ok 'plan run goes on' pr plan run -- "$WORK/agent"
is "$(st .status) $(job_state)" 'complete done' 'to the end'

# A level for what goes on.
plan_project level 'SC-1: a' 'SC-2: b'
"$PR_BIN" plan execute PLAN.md >/dev/null
"$PR_BIN" plan stop >/dev/null
exits 64 'a level that is none' env CONTINUATION_LEVEL=rude "$PR_BIN" plan continue
is "$(st '.status, .continuation_level')" 'stopped normal' 'changes nothing'
CONTINUATION_LEVEL=polite ok 'a level at continue' "$PR_BIN" plan continue
is "$(st '.status, .continuation_level')" 'active polite' 'counts from then on'
"$PR_BIN" plan mark SC-1 complete
is "$(st .status)" paused 'and is obeyed'
ok 'without one' "$PR_BIN" plan continue
is "$(st '.status, .continuation_level')" 'active polite' 'it stays'

# How many iterations, where the environment says nothing.
pr config set postrider plan-max-iterations 3
plan_project usual 'SC-1: a'
pr plan execute PLAN.md >/dev/null
is "$(st .max_iterations)" 3 'the setting of the home counts'
rm -rf .pilot
MAX_ITERATIONS=5 pr plan execute PLAN.md >/dev/null
is "$(st .max_iterations)" 5 'the environment more'
rm -rf .pilot
POSTRIDER_HOME=/dev/null/none "$PR_BIN" plan execute PLAN.md >/dev/null
is "$(st .max_iterations)" 7 'and without a home it is seven'
exits 78 'none at all' pr config set postrider plan-max-iterations 0

# watch.
plan_project watch 'SC-1: a (check: test -f a)' 'SC-2: b (check: test -f b)'
shut_door
agent 'if [ -e a ]; then touch inside; read -r _ <"'"$WORK"'/door"; touch b; fi; touch a'
"$PR_BIN" --home "$HOME_DIR" plan run PLAN.md -- "$WORK/agent" >"$WORK/run.out" 2>&1 &
first=$!
wait_for test -e inside
job=$(db 'SELECT max(id) FROM job')
"$PR_BIN" --home "$HOME_DIR" watch "$job" >"$WORK/watch.out" 2>&1 &
watcher=$!
wait_for grep -q 'worked on SC-1' "$WORK/watch.out" && pass 'watch shows the todo that was worked on' || fail 'watch' "$(cat "$WORK/watch.out")"
open_door
wait $first
wait $watcher
is $? 0 'and ends with the job'
like "$(cat "$WORK/watch.out")" 'done: Plan: PLAN.md' 'and says that it is done'
done_testing
