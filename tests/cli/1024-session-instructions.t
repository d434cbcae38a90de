#!/usr/bin/env bash
# A session that goes on is told its role's instructions once, and again when they have changed.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/agent.sh"

agent_home
echo 'Answer in one sentence.' >"$HOME_DIR/instructions.md"
pr config set 'role envoy' instructions instructions.md
agent_does <<'S'
result first answer
---
result second answer
---
result third answer
---
result fourth answer
S
pass_once() { pr serve --once >/dev/null 2>"$WORK/once.log"; }
id=$(echo 'the first task' | pr send --to envoy --subject 'a task')
ok 'a task' pass_once
like "$(prompt 1)" 'Answer in one sentence\.' 'the first turn is told the instructions'
reply "$id" 'the second task'
ok 'a second one' pass_once
unlike "$(prompt 2)" 'nstructions|one sentence' 'the session knows them'
echo 'Answer in verse.' >"$HOME_DIR/instructions.md"
reply "$id" 'the third task'
ok 'a third one, and they were changed' pass_once
like "$(prompt 3)" 'Your instructions, as they are now:
Answer in verse\.' 'which it is told'
exits 0 'what was shown is built again, byte for byte' pr show 1@3 --context
reply "$id" 'the fourth task'
ok 'a fourth one' pass_once
unlike "$(prompt 4)" 'nstructions|in verse' 'and now it knows them'

done_testing
