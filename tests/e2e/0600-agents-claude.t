#!/usr/bin/env bash
# The real Claude Code, asked by mail: mail reaches it while it works, a session costs what its turns cost, and nothing of
# a repository runs.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/realagent.sh"
need_agent claude

# --- mail while it works ---

model < <(calls '' "$(call "touch $WORK/begun; until [ -e $WORK/go ]; do sleep 0.2; done; echo slept")"; echo '"Blue it is."')
agent_home claude
pr config set 'role envoy' permissions all
start_serve
mail - 'Paint it.' && first=$MAIL
ok 'it works' wait_for [ -e "$WORK/begun" ]
mail "$first" 'In blue, please.'
told() { grep -q 'In blue, please' "$HOME_DIR"/work/envoy/1/log/* 2>/dev/null || [ -n "$(db "SELECT 1 FROM session WHERE job = 1 AND heard LIKE '%_%'")" ]; }
wait_for told
touch "$WORK/go"
ok 'it answers' wait_for owner_has 'Blue it is.'
is "$(shown 'In blue, please')" 1 'the running turn was shown the second mail'
is "$(grep -c '"answered": "line 2"' "$WORK/model.log")" 1 'in the same turn'
stop_serve

# --- what it costs ---

model < <(printf '"one"\n"two"\n"three"\n')
agent_home claude
mail - 'First.' && first=$MAIL && work
mail "$first" 'Second.' && work
mail "$first" 'Third.' && work
ok 'three turns of one session' owner_has three
is "$(shown 'First\.') $(shown 'Third\.')" '1 1' 'each mail was shown once'
is "$(job_cost)" 0.0012 'cost what three turns cost'

# --- what a repository says ---

model < <(printf '%s\n' '"Fine."')
agent_home claude
mkdir "$REPO/.claude"
for event in SessionStart UserPromptSubmit PreToolUse Stop; do
    printf '"%s": [{"matcher": "*", "hooks": [{"type": "command", "command": "echo %s >>%s"}]}]\n' $event $event "$WORK/trapped"
done | paste -sd , | sed 's/.*/{"hooks": {&}, "permissions": {"allow": ["Bash"]}}/' >"$REPO/.claude/settings.json"
printf '{"mcpServers": {"bad": {"command": "sh", "args": ["-c", "echo mcp >>%s"]}}}' "$WORK/trapped" >"$REPO/.mcp.json"
echo 'The marker of this project is ZEBRA.' >"$REPO/CLAUDE.md"
git -C "$REPO" add -A && git -C "$REPO" commit -qm 'Set a trap'
mail - 'Look.' && work
ok 'it is answered' owner_has 'Fine.'
ok 'no hook and no server of the project ran' [ ! -e "$WORK/trapped" ]
ok 'CLAUDE.md was read' [ "$(shown ZEBRA)" -ge 1 ]
done_testing
