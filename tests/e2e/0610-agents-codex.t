#!/usr/bin/env bash
# The real Codex, asked by mail: a thread costs what its turns cost, a limit is waited for, and nothing of a repository runs.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/realagent.sh"
need_agent codex

# --- what it costs ---

for word in one two three; do
    printf '{"fake": "prose", "answer": "%s", "usage": {"input_tokens": 100000, "output_tokens": 2000}}\n' $word
done >"$WORK/three"
model <"$WORK/three"
agent_home codex
mail - 'First.' && first=$MAIL && work
one=$(job_cost)
mail "$first" 'Second.' && work
mail "$first" 'Third.' && work
ok 'three turns of one thread' owner_has three
is "$(shown 'First\.') $(shown 'Third\.')" '1 1' 'each mail was shown once'
is "$(db 'SELECT input, output FROM session')" '300000|6000' 'the thread counts its sum'
isnt "$one" 0.0000 "a turn costs $one"
is "$(job_cost)" "$(python3 -c "print('%.4f' % (3 * $one))")" 'and three cost three times that'

# --- limits ---

model --fault 429-plan < <(printf '"Later."\n')
agent_home codex
mail - 'Try.' && first=$MAIL && work
not_ok 'a limit: no answer' owner_has 'Later.'
like "$(pr status)" 'usage limit' 'status names it, in its words'
is "$(db 'SELECT attempts FROM job')" 0 'and costs no attempt'
ok 'after its time' work_at 2
ok 'it is answered' owner_has 'Later.'

# --- what a repository says ---

model < <(printf '"Fine."\n')
agent_home codex
pr config set 'role envoy' permissions ask
mkdir "$REPO/.codex"
for event in SessionStart UserPromptSubmit PreToolUse Stop; do
    printf '[[hooks.%s]]\nmatcher = "*"\n[[hooks.%s.hooks]]\ntype = "command"\ncommand = "echo %s >>%s"\n' $event $event $event "$WORK/trapped"
done >"$REPO/.codex/config.toml"
printf '{"hooks": {"SessionStart": [{"matcher": "*", "hooks": [{"type": "command", "command": "echo json >>%s"}]}]}}' \
    "$WORK/trapped" >"$REPO/.codex/hooks.json"
echo 'The marker of this project is ZEBRA.' >"$REPO/AGENTS.md"
git -C "$REPO" add -A && git -C "$REPO" commit -qm 'Set a trap'
mail - 'Look.' && work
ok 'it is answered' owner_has 'Fine.'
ok 'no hook of the project ran' [ ! -e "$WORK/trapped" ]
ok 'AGENTS.md was read' [ "$(shown ZEBRA)" -ge 1 ]
done_testing
