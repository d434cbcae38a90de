#!/usr/bin/env bash
# plan run: agents that stop early, claim too much, are killed or wait, and people who stop them or go on.
. "$(dirname "$0")/../lib/tap.sh"
command -v jq >/dev/null || skip_all 'no jq'
. "$POSTRIDER_SRC/tests/lib/plan.sh"
three=('SC-1: make a (check: test -f a)' 'SC-2: make b (check: test -f b)' 'SC-3: make c (check: test -f c)')

# Without a home: a command is enough.
plan_project alone "${three[@]}"
agent 'case $n in 1) touch a;; 2) echo nothing;; 3) touch b;; 4) postrider plan mark SC-3 complete; touch c;; esac; exit 3'
POSTRIDER_HOME=/dev/null/none run "$PR_BIN" plan run PLAN.md -- "$WORK/agent"
is "$STATUS" 0 'an agent that stops after each todo, and whose checks fail, finishes the plan' || diag "$OUT$ERR"
is "$(st .status) $(st '.todos[].status') $(starts)" 'complete complete complete complete 4' 'in four starts'
is "$(st .iteration_count) $(st .total_iterations)" '4 4' 'each start is an iteration'
like "$OUT" 'iteration 2 of 7: SC-2: make b \(coder\)' 'the person sees what begins'
like "$OUT" 'SC-2: not complete: the check of SC-2 failed \(exit 1\)' 'and what came of it'
like "$OUT" '<CODER_COMPLETE>' 'and the end'
is "$(st '.todos[] | .iteration')" '1 2 2' 'tries are counted by checks'
exits 66 'a plan that is complete is not run again' env POSTRIDER_HOME=/dev/null/none "$PR_BIN" plan run -- "$WORK/agent"
exits 64 'without a home somebody must be named' env POSTRIDER_HOME=/dev/null/none "$PR_BIN" plan run
exits 78 'and nothing can be left to a service' env POSTRIDER_HOME=/dev/null/none "$PR_BIN" plan run --detach -- true

# What is said to the agent.
plan_project told 'SC-1: make a (owner: tester) (check: echo needs a; test -f a)'
agent '[ $n -lt 2 ] || touch a'
export POSTRIDER_HOME=/dev/null/none
ok 'a second try' "$PR_BIN" plan run PLAN.md -- "$WORK/agent"
like "$(cat "$WORK/prompt")" 'You work as tester on the plan PLAN.md in .*/told: 1 of 1 todos are open' 'the agent is told who it is'
like "$(cat "$WORK/prompt")" 'Your todo: SC-1: make a' 'what to do'
like "$OUT" '<TESTER_COMPLETE>' 'the end has the marker of its owner'
like "$OUT" $'\nSC-1: not complete: the check of SC-1 failed \\(exit 1\\)\n' 'a person sees in one line that the check failed'
like "$(cat "$WORK/prompt")" 'The last try: the check of SC-1 failed \(exit 1\):.*needs a' 'and what was wrong, with the output of the check'

# Somebody else has the only todo that is ready.
plan_project taken 'SC-1: make a (check: test -f a)' 'SC-2: make b (check: test -f b) (after: SC-1)'
agent 'touch a b'
"$PR_BIN" plan execute PLAN.md >/dev/null
sh -c '"$0" plan next --claim >/dev/null; read -r never' "$PR_BIN" <&"$TAP_NEVER" &
holder=$!
is_claimed() { [ "$(st '.todos[0].status')" = in_progress ]; }
wait_for is_claimed
"$PR_BIN" plan run -- "$WORK/agent" >"$WORK/out" 2>&1 &
front=$!
ok 'who has it' wait_for grep -qx "  waits: process $holder works on SC-1" "$WORK/out"
like "$("$PR_BIN" plan show)" 'SC-2 .* waits for SC-1' 'plan show says what the other todo waits for'
exits 75 'which can not be marked before' "$PR_BIN" plan mark SC-2 complete
like "$ERR" "'SC-2' waits for 'SC-1'" 'and says the same'
kill $holder
like "$(COLUMNS=100 "$PR_BIN" plan log)" "$(date -u +%m)-[0-9]{2} [0-9:]{8} .* execute .*claim +SC-1 " 'the log fits a terminal'
wait $front
is "$? $(st .status)" '0 complete' 'the plan goes on when he has ended' || diag "$(cat "$WORK/out")"

# The limit, and who is at work.
plan_project limit 'SC-1: a' 'SC-2: b (check: false)'
agent 'postrider plan mark SC-1 complete >/dev/null 2>&1'
MAX_ITERATIONS=2 exits 75 'at the limit it ends' "$PR_BIN" plan run PLAN.md -- "$WORK/agent"
like "$OUT" '<CODER_BLOCKED>
⚠️  MAX ITERATIONS REACHED \(2/2\)
→ Manual review required - continuation paused

Remaining todos:
  - SC-2

Use /00_continue to resume after review' 'with the lines that are known'
MAX_ITERATIONS=3 exits 75 'plan run goes on' "$PR_BIN" plan run -- "$WORK/agent"
is "$(st .iteration_count) $(st .total_iterations) $(st .max_iterations)" '3 5 3' 'with a new count'
plan_project blocked 'SC-1: a (owner: validator)' 'SC-2: b (after: SC-1)'
agent 'postrider plan mark SC-1 blocked --why "no key"'
exits 75 'blocked' "$PR_BIN" plan run PLAN.md -- "$WORK/agent"
like "$OUT" '<VALIDATOR_BLOCKED>' 'the marker is that of the owner'
like "$OUT" 'BLOCKED: no open todo can be worked on' 'is said'
is "$(starts)" 1 'and nobody is started for what waits'
plan_project lock 'SC-1: a (check: test -f a)'
shut_door
agent 'touch ../inside; read -r _ <"'"$WORK"'/door"; touch a'
"$PR_BIN" plan run PLAN.md -- "$WORK/agent" >"$WORK/first.out" 2>&1 &
first=$!
wait_for test -e ../inside
exits 75 'a second loop in one project is refused' "$PR_BIN" plan run -- true
like "$ERR" 'worked on already' 'and told so'
is "$(printf '{"session_id":"stranger","cwd":"%s","background_tasks":[]}' "$PWD" | "$PR_BIN" hook stop)" '' 'another session in the folder is not held'
ok 'plan stop' "$PR_BIN" plan stop
wait $first
is $? 75 'ends the agent that is at work'
like "$(cat "$WORK/first.out")" 'Work stopped. Use /00_continue to resume.' 'with the words that are known'
not_ok 'before it was done' test -e a
open_door
ok 'and plan run goes on' "$PR_BIN" plan run -- "$WORK/agent"
is "$(st .status)" complete 'to the end'

# With a home it is a job.
unset POSTRIDER_HOME
plan_home
plan_project job "${three[@]}"
agent '[ -e go ] && touch a b c; true'
exits 75 'without progress it pauses' pr plan run PLAN.md -- "$WORK/agent"
like "$OUT" 'NO PROGRESS: no todo changed three times in a row' 'after three times'
is "$(starts) $(job_state)" '3 parked' 'and the job is parked'
like "$(pr job list)" 'waiting' 'job list has it'
turn
ok 'the owner has a mail' grep -rlq 'CODER_BLOCKED' "$HOME_DIR/mail/you/new"
turn
is "$(starts)" 3 'nobody goes on by himself'
like "$(cd / && pr plan list --all)" "waiting.*$PWD.*PLAN.md.*your word: no progress" 'plan list --all has it, wherever one is'
like "$(pr status)" "plan PLAN.md in $PWD: job 1 waits for your word: no progress" 'and status'
is "$(pr --json status | jq -r '.plans[0].project')" "$PWD" 'also as JSON'
touch go
reply 'CONTINUE'
turn
is "$(job_state) $(st .status) $(starts)" 'done complete 6' 'CONTINUE by reply goes on to the end, under the service'
ok 'and the end is mailed' grep -rlq 'CODER_COMPLETE' "$HOME_DIR/mail/you/new"
is "$(st .session_id)" "$(db 'SELECT session_id FROM plan')" 'one plan, one row'
is "$(st '.revision, .epoch')" "$(db "SELECT revision || ' ' || epoch FROM plan" | head -1)" 'that knows the file' || diag "$(db 'SELECT * FROM plan')"

# Plain words, STOP, CANCEL, DONE.
plan_project words 'SC-1: a (check: test -f a)'
agent 'grep -q "blue file" "'"$WORK"'/prompt" && touch a; true'
run pr plan run PLAN.md -- "$WORK/agent"
is "$(job_state)" parked 'it waits'
reply 'Please make the blue file, and nothing else.'
turn
is "$(job_state) $(st .status)" 'done complete' 'plain words go on with it, and reach the agent' || diag "$(cat "$WORK/prompt" "$WORK/turn.log")"
for word in STOP CANCEL DONE; do
    plan_project "by-$word" 'SC-1: a (check: test -f a)'
    agent true
    run pr plan run PLAN.md -- "$WORK/agent"
    reply "$word"
    turn
    turn
    case $word in STOP) want='stopped stopped';; CANCEL) want='cancelled cancelled';; DONE) want='cancelled done';; esac
    is "$(job_state) $(st .status)" "$want" "$word by reply does what the command does"
    is "$(starts)" 3 'and nobody is started'
done

# An order reaches an agent that is at work.
plan_project now 'SC-1: a (check: test -f a)'
shut_door
agent 'touch inside; read -r _ <"'"$WORK"'/door"; touch a'
"$PR_BIN" --home "$HOME_DIR" plan run PLAN.md -- "$WORK/agent" >"$WORK/now.out" 2>&1 &
first=$!
wait_for test -e inside
job=$(db 'SELECT max(id) FROM job')
is "$(db "SELECT state || ' ' || session FROM job WHERE id = $job")" 'running plan run' 'the job is at work in a session'
turn
is "$(job_state "$job")" running 'which no run takes'
ok 'stop JOB' pr stop "$job"
wait $first
is $? 75 'ends the session'
is "$(job_state "$job") $(st .status)" 'stopped stopped' 'and the plan is stopped in its file'
not_ok 'at once' test -e a
open_door
ok 'plan run goes on with the same job' pr plan run -- "$WORK/agent"
is "$(job_state) $(st .status) $(db 'SELECT max(id) FROM job')" "done complete $job" 'to the end'

# A session that is killed leaves its job parked.
plan_project killed 'SC-1: a (check: test -f a)'
shut_door
agent 'touch inside; read -r _ <"'"$WORK"'/door"; touch a'
"$PR_BIN" --home "$HOME_DIR" plan run PLAN.md -- "$WORK/agent" >"$WORK/killed.out" 2>&1 &
first=$!
wait_for test -e inside
kill -9 $first
wait $first 2>/dev/null
rm inside
turn
is "$(db "SELECT state || ' ' || waiting_for FROM job ORDER BY id DESC LIMIT 1")" 'parked plan run' 'it waits for plan run'
open_door
ok 'which goes on' pr plan run -- "$WORK/agent"
is "$(job_state) $(st .status) $(st .iteration_count)" 'done complete 2' 'with the count that was'

# --detach.
plan_project detached 'SC-1: a (check: test -f a)'
agent 'touch a'
run pr plan run --detach PLAN.md -- "$WORK/agent"
like "$OUT" 'job [0-9]+ works on PLAN.md as soon as the service runs' 'detach says what happens'
is "$(job_state) $(starts)" 'queued 0' 'the job is queued'
turn
is "$(job_state) $(st .status)" 'done complete' 'and the service works on it'

# The brain of a role, which is told whose it is.
plan_project role 'SC-1: a (check: test -f a)' 'SC-2: b (owner: helper) (check: test -f b)'
printf '#!/bin/sh\ncat >/dev/null\necho $POSTRIDER_ROLE >>who\ntouch a\n' >"$HOME_DIR/scripts/hello"
printf '\n[role helper]\naddress = helper@postrider.local\nbrain = helper\n\n[brain helper]\nkind = command\ncommand = scripts/help\n' >>"$HOME_DIR/postrider.conf"
printf '#!/bin/sh\ncat >/dev/null\necho $POSTRIDER_ROLE >>who\ntouch b\n' >"$HOME_DIR/scripts/help"
chmod +x "$HOME_DIR/scripts/help"
ok 'without a command the brains of roles work' pr plan run PLAN.md
is "$(paste -sd' ' who)" 'envoy helper' 'each as its role'

# Time, money, levels.
plan_project until 'SC-1: a (check: false)'
exits 64 'a time that is none' pr plan run --until soon PLAN.md -- true
exits 64 'money that is none' pr plan run --budget lots PLAN.md -- true
not_ok 'and neither has begun the plan' test -e .pilot/state/continuation.json
exits 66 'a role that is none' pr plan run --role nobody PLAN.md
plan_project polite 'SC-1: a (check: test -f a)' 'SC-2: b (check: test -f b)'
agent 'touch a; [ $n -lt 2 ] || touch b'
CONTINUATION_LEVEL=polite exits 75 'polite pauses after a todo' pr plan run PLAN.md -- "$WORK/agent"
like "$OUT" 'PAUSED: SC-1 is complete, 1 to go' 'and asks'
turn
reply CONTINUE
turn
is "$(job_state) $(st .status)" 'done complete' 'the reply goes on'
for level in aggressive normal; do
    plan_project "$level" 'SC-1: a (check: test -f a)' 'SC-2: b (check: test -f b)'
    agent '[ $n = 1 ] || touch a; [ $n = 3 ] && touch b; true'
    CONTINUATION_LEVEL=$level ok "$level" pr plan run PLAN.md -- "$WORK/agent"
    is "$(starts) $(db "SELECT steps FROM job ORDER BY id DESC LIMIT 1")" "3 $([ $level = normal ] && echo 3 || echo 1)" "steps of $level"
done
plan_project often 'SC-1: a (check: test -f a)'
agent '[ $n -lt 3 ] || touch a'
CONTINUATION_LEVEL=polite run pr plan run PLAN.md -- "$WORK/agent"
is "$(starts) $(db "SELECT steps FROM job ORDER BY id DESC LIMIT 1")" '3 4' 'polite records each iteration, and the end'

# The store is lost while a plan is parked.
plan_project lost 'SC-1: a (check: test -f a)'
agent '[ -e go ] && touch a; true'
run pr plan run PLAN.md -- "$WORK/agent"
is "$(job_state)" parked 'a plan is parked'
turn
mail=$(newest_mail)
rm -rf "$HOME_DIR/state"
touch go
printf 'CONTINUE\n' | pr send --to envoy --in-reply-to "<$mail>" --subject 'Re: Plan: PLAN.md' >/dev/null
turn
turn
is "$(st .status)" complete 'CONTINUE still goes on with it' || diag "$(pr job list --all)" "$(cat "$WORK/turn.log")"

# An older file, and a new plan.
plan_project back 'SC-1: a (check: test -f a)'
agent true
run pr plan run PLAN.md -- "$WORK/agent"
cp $state "$WORK/old.json"
total=$(st .total_iterations)
run pr plan run -- "$WORK/agent"
is "$(st .total_iterations)" $((total * 2)) 'two counts'
cp "$WORK/old.json" $state
touch a
ok 'a file that was put back is taken' pr plan run -- "$WORK/agent"
is "$(st .total_iterations)" $((total * 2 + 1)) 'and its counts are not lowered'
rm $state $state.backup a
sed -i 's/\[x\]/[ ]/' PLAN.md
agent 'touch a'
ok 'a state that was deleted' pr plan run PLAN.md -- "$WORK/agent"
is "$(st .total_iterations)" 1 'begins at zero'

# Bad input.
plan_project bad 'SC-1: a'
exits 65 'a plan outside of the project' pr plan run ../x.md -- true
exits 66 'a plan that is not there' pr plan run nosuch.md -- true
not_ok 'nothing was made' test -e .pilot/state
exits 78 'a command that is not there' pr plan run PLAN.md -- "$WORK/no-such-agent"
is "$(st .iteration_count)" 0 'counts nothing'
ln -sf /dev/null "$WORK/link" && git checkout -q -b other
exits 65 'another branch' pr plan run -- "$WORK/agent"
like "$ERR" 'Branch mismatch error' 'is told'
exits 77 'an agent starts no other' env POSTRIDER_PORT=/nowhere "$PR_BIN" --home "$HOME_DIR" plan run -- true
# The port of the job, before and after a step.
plan_home
plan_project port 'SC-1: make a (check: test -f a)' 'SC-2: make b (check: test -f b)'
agent 'postrider mail list >mails; echo x | postrider note put "log/$n" >>written; case $n in 1) touch a;; *) touch b;; esac'
ok 'an agent that uses the port of its job in each of two iterations' pr plan run PLAN.md -- "$WORK/agent"
is "$(pr note list | grep -o 'log/[0-9]' | paste -sd' ') $(grep -c 'Plan: PLAN.md' mails)" 'log/1 log/2 1' 'reads and writes by it' || diag "$OUT$ERR"
done_testing
