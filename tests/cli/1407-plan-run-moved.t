#!/usr/bin/env bash
# plan run in a project that is moved, deleted, or switched to another branch meanwhile, and after a loop that was killed.
. "$(dirname "$0")/../lib/tap.sh"
command -v jq >/dev/null || skip_all 'no jq'
. "$POSTRIDER_SRC/tests/lib/plan.sh"
is_gone() { [ ! -e "/proc/$1" ] || grep -q '^State:.*Z' "/proc/$1/status"; }
home=$POSTRIDER_HOME
export POSTRIDER_HOME=/dev/null/none

# Moved while the agent works, and while none does.
plan_project here 'SC-1: make a (check: test -f a)' 'SC-2: make b (check: test -f b)'
agent "if [ -e a ]; then touch b; else touch a; mv $WORK/here $WORK/there; fi"
exits 78 'a project that is moved' "$PR_BIN" plan run PLAN.md -- "$WORK/agent"
like "$ERR" "the project '$WORK/here' was moved while it was worked on: it is '$WORK/there' now, with its plan; go on there by: postrider plan run" 'is told, with where it is'
cd "$WORK/there" || exit 1
is "$(st '.todos[].status') $(st .total_iterations) $(starts)" 'in_progress pending 1 1' 'nothing is lost: the iteration is counted, the todo taken'
exits 0 'it goes on there' "$PR_BIN" plan run -- "$WORK/agent"
is "$(st '.todos[].status') $(starts)" 'complete complete 3' 'to the end'
plan_project gone 'SC-1: make a (check: test -f a)'
agent "rm -rf $WORK/gone"
exits 78 'a project that is deleted' "$PR_BIN" plan run PLAN.md -- "$WORK/agent"
like "$ERR" "the project '$WORK/gone' was deleted while it was worked on" 'is told'
cd "$WORK" || exit 1

# Another branch is checked out while the agent works.
plan_project branch 'SC-1: make a (check: test -f a)' 'SC-2: make b (check: test -f b)'
agent 'case $n in 1) git checkout -q -b other; touch a;; 2) touch b;; esac'
exits 65 'a branch that is switched' "$PR_BIN" plan run PLAN.md -- "$WORK/agent"
like "$ERR" "Branch mismatch error: the plan belongs to 'main', and 'other' is checked out" 'is told'
is "$(st '.todos[].status') $(st .iteration_count) $(starts)" 'in_progress pending 1 1' 'nothing is marked on it, and nobody started'
git checkout -q main
exits 0 'on its own branch plan run goes on' "$PR_BIN" plan run -- "$WORK/agent"
is "$(st '.todos[].status') $(st .status)" 'complete complete complete' 'to the end'

# With a home the job goes along; a copy has a job of its own.
unset POSTRIDER_HOME
plan_home
plan_project old 'SC-1: make a (check: test -f a)' 'SC-2: make b (check: test -f b)'
agent "if [ -e a ]; then touch b; else touch a; mv $WORK/old $WORK/new; fi"
exits 78 'a project of a home that is moved' pr plan run PLAN.md -- "$WORK/agent"
is "$(job_state)" parked 'its job waits'
cd "$WORK/new" || exit 1
agent '[ -e stay ] || exit 0; touch b'
exits 75 'plan run in the new place' pr plan run -- "$WORK/agent"
is "$(db 'SELECT count(*) FROM job') $(job_state) $(db 'SELECT project FROM plan')" "1 parked $WORK/new" 'goes on with the same job'
cp -r "$WORK/new" "$WORK/copy"
cd "$WORK/copy" || exit 1
exits 75 'a copy of the folder' pr plan run -- "$WORK/agent"
is "$(db 'SELECT count(*) FROM job')" 2 'has a job of its own'
is "$(db 'SELECT state FROM job ORDER BY id' | paste -sd' ')" 'parked parked' 'beside the first'
touch stay
reply CONTINUE
turn
is "$(st .status) $(jq -r .status "$WORK/new/$state") $(db 'SELECT state FROM job ORDER BY id' | paste -sd' ')" 'complete paused parked done' \
    'a reply about the copy goes on with the copy alone'

# Killed: what the agent had started is ended before the next loop starts one.
export POSTRIDER_HOME=/dev/null/none
plan_project killed 'SC-1: make a (check: test -f a)'
shut_door
agent "if [ \$n = 1 ]; then setsid sh -c 'echo \$\$ >$WORK/left; read -r _ <$WORK/door; touch late' & echo >$WORK/ready; read -r _ <$WORK/door; fi; touch a"
"$PR_BIN" plan run PLAN.md -- "$WORK/agent" >"$WORK/first.out" 2>&1 &
first=$!
wait_for test -s "$WORK/left" && wait_for test -e "$WORK/ready"
kill -9 $first
wait $first 2>/dev/null
exits 0 'the next plan run' "$PR_BIN" plan run -- "$WORK/agent"
like "$ERR" 'ended what an agent of a plan run that died had left' 'says what it ended'
wait_for is_gone "$(cat "$WORK/left")" && pass 'nothing of it goes on' || fail 'it goes on'
open_door
not_ok 'nor writes' test -e late
# One that ended by itself leaves alone what its agent wanted to stay.
plan_project stays 'SC-1: make a (check: test -f a)' 'SC-2: make b (check: test -f b)'
shut_door
agent "[ -e a ] || { setsid sh -c 'echo \$\$ >$WORK/stays.pid; read -r _ <$WORK/door' >/dev/null 2>&1 & }; [ ! -e a ] || [ ! -e go ] || touch b; touch a"
MAX_ITERATIONS=1 exits 75 'a run that pauses' "$PR_BIN" plan run PLAN.md -- "$WORK/agent"
touch go
exits 0 'and goes on' "$PR_BIN" plan run -- "$WORK/agent"
like "$(sed -n 's/^State:\t*//p' "/proc/$(cat "$WORK/stays.pid")/status" 2>/dev/null)" '^[SR]' 'leaves a server alone'
kill "$(cat "$WORK/stays.pid")"
open_door

done_testing
