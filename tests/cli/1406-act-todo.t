#!/usr/bin/env bash
# The act `todo`: a model, or a program by the port, moves a todo of the plan that its job works on; complete runs its check.
. "$(dirname "$0")/../lib/tap.sh"
command -v jq >/dev/null || skip_all 'no jq'
. "$POSTRIDER_SRC/tests/lib/plan.sh"
. "$POSTRIDER_SRC/tests/lib/steps.sh"
begin() { "$PR_BIN" plan cancel >/dev/null 2>&1; rm -rf .pilot; "$PR_BIN" plan execute PLAN.md >/dev/null; }
port() { python3 -c 'import os, socket, sys
s = socket.socket(socket.AF_UNIX); s.connect(os.environ["POSTRIDER_PORT"]); s.sendall(sys.argv[1].encode() + b"\n")
print(s.makefile().readline().strip())' "$1"; }

# A model that is led, whose role works in the project.
steps_home
plan_project led 'SC-1: make a (check: echo a is missing; test -f a)' 'SC-2: make b (after: SC-1)'
begin
pr config set 'role envoy' workdir "$PWD"
answers <<END
{"status":"continue","current_phase":"working","todo":[{"id":"SC-1","status":"complete"}]}
{"status":"continue","current_phase":"working","todo":[{"id":"SC-1","status":"complete"},{"id":"SC-9","status":"complete"},{"id":"SC-2","status":"done"}]}
{"status":"complete","current_phase":"complete","todo":[{"id":"SC-2","status":"blocked","why":"no key"}]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"SC-1 is done, SC-2 waits."}]}
END
printf '#!/bin/sh\n[ $1 != 2 ] || touch "%s/a"\n' "$PWD" >"$WORK/before" && chmod +x "$WORK/before"
mail_in 'Go on with the plan' <<<'Please.'
is "$(job_state)" 'done' 'a model moves todos' || diag "$(cat "$WORK/.err" "$WORK"/seen.*)"
like "$(seen 1)" '- todo \[\{id, status, why\}\]: moves a todo of the plan' 'its page says how'
like "$(results 2)" "todo was not done: 'SC-1' is not complete: its check failed \\(exit 1\\)
?.*a is missing" 'a check that fails refuses it, with its output'
like "$(results 3)" 'done: todo SC-1: complete' 'one that passes moves it'
like "$(results 3)" "todo was not done: there is no todo 'SC-9'" 'a todo that is none'
like "$(results 3)" "todo was not done: status: 'done' is none of" 'a status that is none'
is "$(st '.todos[] | .status') $(st '.todos[1].why')" 'complete blocked no key' 'the plan has it all'
is "$(jq -r 'select(.act == "act") | .session' .pilot/state/log.jsonl | sort -u)" "job-$(last_job)" 'the log says which job it was'
is "$(mails)" 1 'a todo is no word to whoever asked: the job ends by one'

# The same in a job without a plan.
pr config set 'role envoy' workdir ''
answers <<END
{"status":"complete","current_phase":"complete","todo":[{"id":"SC-1","status":"pending"}],"send_emails":[{"to":[],"body":"x"}]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"none"}]}
END
mail_in none <<<'Please.'
unlike "$(seen 1)" 'todo \[' 'a job without a plan is not told of it'
is "$(st '.todos[0].status')" complete 'and moves nothing'

# A program of a plan's job, by the port.
plan_home
plan_project program 'SC-1: make a (check: test -f a)'
export -f port
agent "export -f port; bash -c 'port \"{\\\"verb\\\":\\\"todo\\\",\\\"id\\\":\\\"SC-1\\\",\\\"status\\\":\\\"complete\\\"}\"' >>$WORK/said; touch a"
sed -i '1s|.*|#!/bin/bash|' "$WORK/agent"
exits 0 'plan run' pr plan run PLAN.md -- "$WORK/agent"
like "$(cat "$WORK/said")" "\"ok\":false.*'SC-1' is not complete: its check failed \\(exit 1\\)" 'a program is refused likewise'
: >"$WORK/said"
plan_project program2 'SC-1: make a (check: test -f a)' 'SC-2: b (after: SC-1)'
agent "[ -e a ] && exit; touch a; bash -c 'port \"{\\\"verb\\\":\\\"todo\\\",\\\"id\\\":\\\"SC-1\\\",\\\"status\\\":\\\"complete\\\"}\"; port \"{\\\"verb\\\":\\\"todo\\\",\\\"id\\\":\\\"SC-2\\\",\\\"status\\\":\\\"blocked\\\",\\\"why\\\":\\\"tired\\\"}\"; port \"{\\\"verb\\\":\\\"todo\\\",\\\"id\\\":\\\"SC-2\\\",\\\"status\\\":\\\"blocked\\\"}\"; port \"{\\\"verb\\\":\\\"todo\\\",\\\"id\\\":7,\\\"status\\\":\\\"complete\\\"}\"' >>$WORK/said"
sed -i '1s|.*|#!/bin/bash|' "$WORK/agent"
exits 75 'and where one is blocked' pr plan run PLAN.md -- "$WORK/agent"
is "$(st '.todos[].status')" 'complete blocked' 'what it moved stands'
like "$(cat "$WORK/said")" '"ok":true.*"ok":true.*"ok":false.*why: say what is missing.*"ok":false.*id: must be a text' 'wrong input is told'

# An order while the check runs.
plan_home
plan_project stopped "SC-1: a (check: echo >'$WORK/ready'; read -r _ <'$WORK/door')"
shut_door
agent "bash -c 'port \"{\\\"verb\\\":\\\"todo\\\",\\\"id\\\":\\\"SC-1\\\",\\\"status\\\":\\\"complete\\\"}\"' >$WORK/said"
sed -i '1s|.*|#!/bin/bash|' "$WORK/agent"
"$PR_BIN" --home "$HOME_DIR" plan run PLAN.md -- "$WORK/agent" >"$WORK/run.out" 2>&1 &
run=$!
wait_for test -s "$WORK/ready"
ok 'STOP' pr stop "$(last_job)"
wait $run
is "$? $(job_state) $(st '.todos[0].status')" '75 stopped in_progress' 'STOP ends the check, and nothing is complete' || diag "$(cat "$WORK/run.out" "$WORK/said")"
open_door

done_testing
