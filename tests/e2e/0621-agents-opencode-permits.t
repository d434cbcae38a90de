#!/usr/bin/env bash
# The real opencode, asked by mail: its own rules refuse what it may not do; after the yes exactly that command passes, once.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/realagent.sh"
need_agent opencode
ran() { cat "$WORK/ran" 2>/dev/null | tr '\n' ' '; }

model < <(calls '' "$(call "echo installed >>$WORK/ran")"; calls '' "$(call "echo installed >>$WORK/ran")"; echo '"It is installed."')
agent_home opencode
pr config set 'role envoy' permissions ask
mail - 'Please install it.'
ok 'a mail to the agent' work
ok 'it asks' owner_has 'may this be done'
like "$(asked)" "echo installed >>$WORK/ran" 'and shows the command in full'
is "$(ran)" '' 'nothing ran'
POSTRIDER_CLOCK=+172800 answer_it APPROVE
ok 'two days later: APPROVE' work_at 48
is "$(ran)" 'installed ' 'that call ran, once'
ok 'and the mail is answered' owner_has 'It is installed.'
done_testing
