#!/usr/bin/env bash
# plan run: a todo whose owner is a role with a model by HTTP is asked of that model by mail, which moves the todo or answers.
. "$(dirname "$0")/../lib/tap.sh"
command -v jq >/dev/null || skip_all 'no jq'
. "$POSTRIDER_SRC/tests/lib/plan.sh"
. "$POSTRIDER_SRC/tests/lib/loop.sh"
. "$POSTRIDER_SRC/tests/lib/model.sh"

# A home with envoy, a program, and tester, a model that says these answers.
roles_home()
{
    plan_home
    if [ "$1" = 429 ]; then shift && STEPS=lines steps "$@" && sed -i '1i 429' "$HOME_DIR/lines"; else STEPS=lines steps "$@"; fi
    [ -z "${DOOR:-}" ] || sed -i "1s|^.*\$|{\"fake\":\"slow\",\"delay\":0,\"door\":\"$WORK/door\",\"answer\":&}|" "$HOME_DIR/lines"
    sed -i 's/^429$/{"fake":"429-long"}/' "$HOME_DIR/lines"
    fake_end
    fake model <"$HOME_DIR/lines"
    printf '\n[brain model]\nkind = openai\nmodel = m\nurl = %s\n\n[role tester]\naddress = tester@postrider.local\nbrain = model\n' "$URL" \
        >>"$HOME_DIR/postrider.conf"
    pr note put tester/start >/dev/null <<<'Be thorough.'
}
asked() { jq -r '.body | tostring' "$WORK/model.log" | sed -n "$1p"; }
calls() { cat "$WORK/model.log" 2>/dev/null | wc -l; }
logged() { jq -r "select(.act == \"$1\") | .todo // .why" .pilot/state/log.jsonl | paste -sd' '; }
to_owner() { grep -rlE "$1" "$HOME_DIR/mail/you/new" "$HOME_DIR/mail/you/cur" 2>/dev/null | wc -l; }
todo_done='{"todo":[{"id":"SC-2","status":"complete"}]}'
says_done='{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"I have looked."}]}'

# In the foreground, with nobody who serves.
roles_home "$todo_done" "$todo_done" "$says_done"
plan_project front 'SC-1: make a (check: test -f a)' 'SC-2: look at a (owner: tester) (after: SC-1) (check: echo try >>tries; test $(wc -l <tries) = 2)'
agent 'touch a'
ok 'a plan of a command and a role with a model' pr plan run PLAN.md -- "$WORK/agent"
like "$OUT" 'iteration 2 of 7: SC-2: look at a \(tester\)' 'the person sees who works'
like "$OUT" '  job 2 of tester answered' 'and in which job'
is "$(st '.todos[].status') $(starts) $(calls)" 'complete complete 1 3' 'each todo is worked on by its owner' || diag "$OUT" "$(cat "$WORK/model.log")"
like "$(asked 1)" 'You work as tester on the plan PLAN.md in .*/front: 1 of 2 todos are open' 'the model is told who it is'
like "$(asked 1)" 'Your todo: SC-2: look at a' 'what to do'
like "$(asked 1)" 'Be thorough' 'and what its role instructs'
like "$(asked 1)" 'todo.*moves a todo of the plan' 'and how a todo is moved'
unlike "$(asked 1)" 'postrider plan mark' 'by no command, which it does not have'
like "$(asked 2)" 'check failed \(exit 1\)' 'a check that fails refuses it'
is "$(cat tries | wc -l)" 2 'and postrider ran each check'
is "$(db "SELECT group_concat(state, ' ') FROM job")" 'done done' 'both jobs have ended'
turn
is "$(to_owner .) $(to_owner '<TESTER_COMPLETE>')" '1 1' 'the owner hears of the end, and of nothing else'
is "$(db "SELECT class || ' ' || folder FROM message WHERE role = 'envoy' AND id > 1")" 'event Done' "the role's answer is filed, and wakes nobody"
like "$(pr job log 1)" 'asked for SC-2' "the log of the plan's job says whom it asked"

# By its answer alone; a check that fails brings the todo back with the reason.
roles_home "$says_done" "$says_done"
plan_project answer 'SC-1: look (owner: tester) (check: echo try >>tries; test $(wc -l <tries) = 2)'
ok 'without a command the role alone works' pr plan run PLAN.md
is "$(st .status) $(st .iteration_count) $(calls)" 'complete 2 2' 'an answer has the check run'
like "$(asked 2)" 'The last try: the check of SC-1 failed \(exit 1\)' 'and the next question says what was wrong'
roles_home "$says_done" "$says_done" "$says_done"
plan_project open 'SC-1: look (owner: tester)'
exits 75 'without a check an answer completes nothing' pr plan run PLAN.md
like "$OUT" 'SC-1: not complete: job [0-9]+ of tester answered; SC-1 was left open' 'and the person hears so'
is "$(st '.todos[].status') $(calls)" 'in_progress 3' 'it is asked three times, and then the plan pauses'

# One role for all: the plan's job and the todos.
roles_home '{"todo":[{"id":"SC-1","status":"complete"}]}' "$says_done" "$says_done"
plan_project self 'SC-1: look' 'SC-2: rest (after: SC-1) (check: true)'
ok 'a role with a model works on todos that nobody owns' pr plan run --role tester PLAN.md
is "$(st '.todos[0].status') $(db "SELECT count(*) FROM job WHERE role = 'tester' AND face = ''")" 'complete 2' 'each in a job of its own'

# Under the service, with a pause in between.
roles_home "$says_done" '{"todo":[{"id":"SC-1","status":"blocked","why":"no key"}]}' "$says_done" '{"todo":[{"id":"SC-1","status":"complete"}]}' "$says_done"
plan_project served 'SC-1: look (owner: tester)' 'SC-2: make b (after: SC-1) (check: test -f b)'
agent 'touch b'
run pr plan run --detach PLAN.md -- "$WORK/agent"
turn
is "$(job_state 1) $(st '.todos[0].status') $(calls)" 'parked blocked 3' 'a role says that it is blocked: the plan waits for a person' || diag "$(cat "$WORK/turn.log")" "$(pr job list --all)"
is "$(to_owner 'BLOCKED: no open todo can be worked on')" 1 'who hears of it once'
pr plan mark SC-1 pending >/dev/null
reply CONTINUE
turn
is "$(job_state 1) $(st .status) $(calls) $(starts)" 'done complete 5 1' 'CONTINUE by reply goes on to the end' || diag "$(cat "$WORK/turn.log")" "$(pr job list --all)"

# Orders while the role works: it works on the todo no more, and is asked anew when the plan goes on.
is_at_work() { [ "$(db "SELECT count(*) FROM job WHERE role = 'tester' AND state = 'running'" 2>/dev/null)" = 1 ]; }
begin_at_door() # NAME: plan run waits for a model that says nothing yet
{
    shut_door
    DOOR=1 roles_home "$says_done" "$says_done"
    plan_project "$1" 'SC-1: look (owner: tester) (check: test -e ok)'
    "$PR_BIN" --home "$HOME_DIR" plan run PLAN.md >"$WORK/run.out" 2>&1 &
    run=$!
    wait_for is_at_work
}
states() { db "SELECT group_concat(state, ' ') FROM job"; }
order_stop_in_folder() { "$PR_BIN" plan stop; }
order_cancel_in_folder() { "$PR_BIN" plan cancel; }
order_stop_job() { pr stop 1; }
for order in stop_in_folder:stopped cancel_in_folder:cancelled stop_job:stopped; do
    want=${order#*:}
    begin_at_door "${order%:*}"
    is "$("$PR_BIN" plan next --claim >/dev/null 2>&1; st '.todos[].status')" in_progress 'what a role works on nobody else can take'
    order_${order%:*} >/dev/null
    wait $run
    is "$? $(st .status) $(states)" "75 $want $want cancelled" "${order%:*} ends both" || diag "$(cat "$WORK/run.out")"
    open_door
    turn
    is "$(states) $(st '.todos[].status')" "$want cancelled in_progress" 'and nothing comes of it later' || diag "$(pr job list --all)"
    [ $want = cancelled ] && continue
    touch ok
    ok 'plan run goes on' pr plan run
    is "$(st .status) $(db "SELECT count(*) FROM plan_ask")" 'complete 2' 'and asks the role anew'
done

# kill -9 of the loop while the role works: nobody is asked twice, and nothing is lost.
begin_at_door killed
kill -9 $run
wait $run 2>/dev/null
exits 75 'nobody else takes the todo meanwhile' "$PR_BIN" plan next --claim
open_door
turn
is "$(states) $(st '.todos[].status')" 'parked done in_progress' 'the service ends what the role has begun' || diag "$(pr job list --all)" "$(cat "$WORK/turn.log")"
turn
is "$(states)" 'parked done' 'the plan waits for plan run'
before=$(calls)
touch ok
ok 'which goes on' pr plan run
is "$(st .status) $(($(calls) - before)) $(db 'SELECT count(*) FROM plan_ask') $(st .iteration_count)" 'complete 0 1 1' 'with the answer that is there'

# The role's own job is stopped by a person.
begin_at_door halted
pr stop 2 >/dev/null
wait $run
is "$? $(st '.status, .why')" '75 paused job 2 of tester was stopped: stopped by the operator' 'the plan pauses, and says why' || diag "$(cat "$WORK/run.out")"
open_door
touch ok
ok 'and goes on by plan run' pr plan run

# A service that lives does the role's work, whoever waits for it.
roles_home "$says_done" "$says_done"
plan_project lives 'SC-1: look (owner: tester) (check: true)'
start_serve
ok 'plan run beside a service' pr plan run PLAN.md
is "$(st .status) $(states)" 'complete done done' 'waits for what the service does'
plan_project leaves 'SC-1: look (owner: tester) (check: true)'
ok 'plan run --detach' pr plan run --detach PLAN.md
wait_for eval '[ "$(st .status)" = complete ]'
ok 'the service finishes it alone' wait_for eval '[ "$(states)" = "done done done done" ]'
stop_serve

# The store is lost while the plan waits for the role.
roles_home 429 "$says_done" "$says_done"
plan_project lost 'SC-1: look (owner: tester) (check: true)'
run pr plan run --detach PLAN.md
turn
is "$(states) $(db 'SELECT waiting_for FROM job WHERE id = 1')" 'parked queued the answer about SC-1' 'a model at its limit: the plan waits for its answer'
rm -rf "$HOME_DIR/state"
turn
turn
is "$(st '.status, .iteration_count') $(calls)" 'complete 2 2' 'without the store it asks anew' || diag "$(pr job list --all)" "$(cat "$WORK/turn.log")"

# Money of the role is money of the plan.
roles_home "$says_done" "$says_done"
plan_project money 'SC-1: look (owner: tester) (check: true)' 'SC-2: look (owner: tester) (check: true)'
pr config set 'brain model' kind anthropic
pr config set 'brain model' model claude-opus-5-5
exits 75 'a budget' pr plan run --budget 0.0001 PLAN.md
is "$(st .why) $(st '.todos[].status')" 'its budget is spent complete pending' 'is spent by what the role costs' || diag "$OUT" "$(pr cost)"

# Bad answers of a model.
roles_home '{"todo":[{"id":"SC-9","status":"complete"}]}' '{"todo":[{"id":"SC-1","status":"done"}]}' "$says_done"
plan_project wrong 'SC-1: look (owner: tester) (check: false)'
MAX_ITERATIONS=1 exits 75 'a model that names what is none' pr plan run PLAN.md
is "$(st '.todos[].status')" in_progress 'moves nothing'
like "$(asked 2)" "there is no todo 'SC-9'" 'and is told'
fake_end
plan_project away 'SC-1: look (owner: tester) (check: true)'
"$PR_BIN" --home "$HOME_DIR" plan run PLAN.md >"$WORK/run.out" 2>&1 &
run=$!
wait_for grep -q '  job [0-9]* waits: ' "$WORK/run.out"
kill $run
wait $run
is "$? $(job_state)" '75 queued' 'a model that is away is waited for, which the person is told, and a signal ends that' || diag "$(cat "$WORK/run.out")"

done_testing
