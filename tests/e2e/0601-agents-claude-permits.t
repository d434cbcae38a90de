#!/usr/bin/env bash
# The real Claude Code asks by mail before it does what it may not, and after the yes does exactly that, once, whatever was
# restarted in between; its own questions are answered by a number.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/realagent.sh"
need_agent claude
ran() { cat "$WORK/ran" 2>/dev/null | tr '\n' ' '; }

# --- asked, everything restarted, APPROVE two days later ---

model < <(calls 'I install it.' "$(call "echo installed >>$WORK/ran")"; echo '"It is installed."')
agent_home claude
pr config set 'role envoy' permissions ask
mail - 'Please install it.'
ok 'a mail to the agent' work
ok 'it asks' owner_has 'may this be done'
like "$(asked)" "echo installed >>$WORK/ran" 'and shows the command in full'
is "$(ran)" '' 'nothing ran'
ok 'the job is parked' job_has parked
start_serve && stop_serve
is "$(ran)" '' 'nor does it when all is started again'
POSTRIDER_CLOCK=+172800 answer_it APPROVE
ok 'two days later: APPROVE' work_at 48
is "$(ran)" 'installed ' 'that call ran, once'
ok 'and the mail is answered' owner_has 'It is installed.'
is "$(shown 'echo installed')" 1 'the model made the call once'
work_at 49
is "$(ran)" 'installed ' 'and not again'
answer_it APPROVE && work_at 50
is "$(ran)" 'installed ' 'nor by a second APPROVE'

# --- no, with words ---

model < <(calls '' "$(call "echo dropped >>$WORK/ran")"; echo '"Then I leave it."')
rm -f "$WORK/ran"
agent_home claude
pr config set 'role envoy' permissions ask
mail - 'Drop it.' && work
answer_it 'REJECT: only on Fridays'
ok 'a no' work
is "$(ran)" '' 'nothing ran'
ok 'its words reach the model' [ "$(shown 'only on Fridays')" -ge 1 ]
ok 'which answers' owner_has 'Then I leave it.'

# --- a question of the agent's ---

cat >"$WORK/ask" <<'J'
["AskUserQuestion", {"questions": [{"question": "Which database?", "header": "DB", "multiSelect": false, "options": [{"label": "SQLite", "description": "a file"}, {"label": "Postgres", "description": "a server"}]}]}]
J
model < <(calls '' "$(cat "$WORK/ask")"; echo '"So be it."')
agent_home claude
mail - 'Choose a database.' && work
ok 'it asks which' owner_has 'Which database?'
like "$(owners 1)" '1.*SQLite.*2.*Postgres' 'by number'
mail "$(owners 1 | sed -n 's/^Message-ID: *//Ip' | head -n 1)" '2' 'Re: a question'
ok 'a phone answers 2' work
ok 'the model has the answer' [ "$(shown 'Which database.{0,9}=.{0,9}Postgres')" -ge 1 ]
ok 'and goes on' owner_has 'So be it.'

# --- two calls in one answer ---

model < <({ calls '' "$(call "echo one >>$WORK/ran")" "$(call "echo two >>$WORK/ran")"
  calls '' "$(call "echo two >>$WORK/ran")"; echo '"Both are done."'; })
rm -f "$WORK/ran"
agent_home claude
pr config set 'role envoy' permissions ask
mail - 'Do both.' && work
answer_it APPROVE && work
is "$(ran)" 'one ' 'the first of two calls ran'
like "$(asked)" "echo two" 'the second is asked about'
answer_it APPROVE && work
is "$(ran)" 'one two ' 'and runs: none is lost'
ok 'and it is answered' owner_has 'Both are done.'

# --- a call that changed ---

model < <(calls '' "$(call "echo plain >>$WORK/ran")"; calls '' "$(call "echo other >>$WORK/ran")"; echo '"Enough."')
rm -f "$WORK/ran"
agent_home claude
pr config set 'role envoy' permissions ask
mail - 'Do it.' && work
answer_it APPROVE && work
is "$(ran)" 'plain ' 'what was granted ran'
like "$(asked)" 'echo other' 'what differs is asked anew'
ok 'and waits' job_has parked
done_testing
