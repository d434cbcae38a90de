#!/usr/bin/env bash
# A thread keeps its session: what is told once is not told again, and whatever ends a turn, the next one goes on from there.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/agent.sh"

pass_once() { pr serve --once >/dev/null 2>"$WORK/once.log"; }

agent_home
agent_does <<'S'
result first answer
---
result second answer
---
result third answer
S
id=$(echo 'the first task' | pr send --to envoy --subject 'a task')
ok 'a pass' pass_once
ok 'it is answered' you_have 'first answer'
first=$(session id)
like "$first" '^[0-9a-f-]{36}$' 'the session has an id of ours'
like "$(start 1)" "--session-id $first" 'with which the program began'
is "$(session began),$(session step),$(session heard)" '1,1,' 'it began, and knows the first step'
like "$(prompt 1)" 'You are envoy' 'it was shown who it is'
like "$(prompt 1)" 'the first task' 'and the mail'
ok 'its stream lies in the log of the job' grep -q '"first answer"' "$HOME_DIR/work/envoy/1/log/stream.jsonl"

reply "$id" 'the second task'
ok 'the next round' pass_once
ok 'is answered' you_have 'second answer'
like "$(start 2)" "--resume $first" 'by the same session'
like "$(prompt 2)" 'You go on with job 1, round 2' 'which goes on'
like "$(prompt 2)" 'the second task' 'and is shown what is new'
unlike "$(prompt 2)" 'the first task' 'not what it was asked before'
unlike "$(prompt 2)" 'first answer' 'nor what it answered'
unlike "$(prompt 2)" 'You are envoy' 'nor who it is'
exits 0 'what was shown is built again, byte for byte' pr show 1@2 --context
is "$OUT" "$(prompt 2)" 'as the program had it'

rm -r "$WORK/agent/state"/*.json
reply "$id" 'the third task'
ok 'the session is deleted' pass_once
ok 'it is answered all the same' you_have 'first answer'
is "$(starts)" 3 'a process that found nothing is not counted as begun'
like "$(start 3)" '--session-id' 'another session begins'
isnt "$(session id)" "$first" 'with another id'
like "$(prompt 3)" 'You are envoy' 'and the whole page'
like "$(prompt 3)" 'the first task' 'with all that was said'
like "$(prompt 3)" 'second answer' 'and answered'
like "$(prompt 3)" 'the third task' 'and what is new'
is "$(db 'SELECT attempts FROM job')" 0 'no attempt was counted'
exits 0 'that page is built again too' pr show 1@3 --context

# Another brain, another session.
pr config set 'brain other' kind claude
pr config set 'brain other' command "$AGENT --script $WORK/agent/script --state $WORK/agent/state"
pr config set 'role envoy' brain other
third=$(session id)
reply "$id" 'the fourth task'
ok 'another brain' pass_once
isnt "$(session id)" "$third" 'has a session of its own'
is "$(session brain)" other 'of its name'
like "$(prompt 4)" 'the third task' 'and is shown the whole'
pr config set 'role envoy' brain default
reply "$id" 'the fifth task'
ok 'back to the first' pass_once
like "$(start 5)" '--session-id' 'which begins anew'

# The second try of one run: an answer that says nothing.
agent_home
agent_does <<'S'
result 
---
result now I know
S
echo 'say something' | pr send --to envoy --subject 'x' >/dev/null
ok 'an answer of no use' pass_once
ok 'is asked for again' you_have 'now I know'
is "$(starts)" 2 'in another process'
like "$(start 2)" "--resume $(session id)" 'of the same session'
like "$(prompt 2)" 'Your last answer could not be used' 'which hears why'
unlike "$(prompt 2)" 'say something' 'and not the mail once more'

# Two turns of a program that names its session itself.
for kind in codex opencode; do
    agent_home $kind
    agent_does <<'S'
result first answer
---
result second answer
S
    id=$(echo 'the first task' | pr send --to envoy --subject 'a task')
    ok "$kind: a pass" pass_once
    ok "$kind: it is answered" you_have 'first answer'
    is "$(session id)" "$(said session 1)" "$kind: its name for the session is kept"
    reply "$id" 'the second task'
    ok "$kind: the next round" pass_once
    ok "$kind: is answered" you_have 'second answer'
    is "$(said session 3)" "$(session id)" "$kind: by the same session"
    unlike "$(prompt 2)" 'the first task' "$kind: shown only what is new"
done
done_testing
