#!/usr/bin/env bash
# The real Codex: what it may not do is refused and asked about by mail; after the yes the repeated call passes, once.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/realagent.sh"
need_agent codex
ran() { cat "$WORK/ran" 2>/dev/null | tr '\n' ' '; }

# --- asked, everything restarted, APPROVE two days later ---

model < <({ calls 'I install it.' "$(call "echo installed >>$WORK/ran")"; echo '"I wait for a yes."'
  calls '' "$(call "echo installed >>$WORK/ran")"; echo '"It is installed."'; })
agent_home codex
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
is "$(shown 'make exactly this call again')" 1 'the model hears that it may'
ok 'and answers' owner_has 'It is installed.'
is "$(cat "$WORK/ran" 2>/dev/null | wc -l)" 1 'that call ran, once'
work_at 49
is "$(cat "$WORK/ran" 2>/dev/null | wc -l)" 1 'and not again'

# --- two calls of one script, one of which changes ---

js='const r = await Promise.allSettled([tools.exec_command({cmd: "echo one >>RAN"}), tools.exec_command({cmd: "echo two >>RAN"})]); text(r);'
js=${js//RAN/$WORK/ran}
both=$(python3 -c 'import json, sys; print(json.dumps(["exec", sys.argv[1], "functions"]))' "$js")
model < <(calls '' "$both"; echo '"I wait."'; calls '' "$both"; calls '' "$(call "echo three >>$WORK/ran")"; echo '"I wait again."')
rm -f "$WORK/ran"
agent_home codex
pr config set 'role envoy' permissions ask
mail - 'Do both.' && work
like "$(asked)" 'echo one.*echo two|echo two.*echo one' 'one mail asks for both'
answer_it '1 yes, 2 yes' && work
is "$(sort "$WORK/ran" | tr '\n' ' ')" 'one two ' 'both ran, none is lost'
like "$(asked)" 'echo three' 'what differs is asked anew'
is "$(grep -c three "$WORK/ran")" 0 'and did not run'
done_testing
