#!/usr/bin/env bash
# Real coding agents with the plugin of integrations/plugin: a model that stops after each todo, says that a todo is complete whose
# check fails, and is killed once, finishes a plan of three all the same. A second session in the folder is never held.
. "$(dirname "$0")/../lib/tap.sh"
command -v jq >/dev/null || skip_all 'no jq'
[ -n "${POSTRIDER_TEST_AGENTS:-}" ] || skip_all "no agents' programs: set POSTRIDER_TEST_AGENTS, see tools/install-agents"
claude=$POSTRIDER_TEST_AGENTS/claude codex=$POSTRIDER_TEST_AGENTS/codex
plugin=$POSTRIDER_SRC/integrations/plugin
postrider=$POSTRIDER_PLAIN_BIN
unset CLAUDE_CODE_SESSION_ID CODEX_SESSION_ID

project()
{
    mkdir "$WORK/$1" && cd "$WORK/$1" && git init -q -b main . &&
        printf '# P\n- [ ] SC-1: make a (check: test -f a)\n- [ ] SC-2: make b (check: test -f b)\n- [ ] SC-3: see both (after: SC-1, SC-2)\n' >PLAN.md
}

# script TOOL ARGUMENT SESSION: what the model does.
script()
{
    python3 - "$1" "$2" "$3" "$postrider" <<'X' >"$WORK/script"
import json, sys
tool, argument, session, program = sys.argv[1:]
def call(command):
    print(json.dumps({"fake": "calls", "answer": "I run it.", "calls": [[tool, {argument: command}]]}))
def say(words):
    print(json.dumps(words))
call(f"{program} plan execute --session {session} PLAN.md && {program} plan next --claim --session {session}")
say("I am done.")
call(f"echo ok >a && {program} plan mark SC-1 complete")
say("All is done.")
call("[ -e killed ] || { touch killed; kill -9 $PPID; }")
call("true") # what a client makes of the call that was cut may count as an answer of the model
call(f"{program} plan mark SC-2 complete")
say("It is done now.")
call(f"echo ok >b && {program} plan mark SC-2 complete && {program} plan next --claim && {program} plan mark SC-3 complete")
say("Finished.")
X
}

start_model() # ARG...
{
    exec {MODEL_IN}<>"$WORK/.never.$1" || return 1
    shift
    "$POSTRIDER_SRC/tools/fake-model" --with-stdin --by-turn "$@" --script "$WORK/script" <&"$MODEL_IN" >"$WORK/port" &
    MODEL=$!
    wait_for test -s "$WORK/port"
    PORT=$(head -n 1 "$WORK/port")
}
stop_model() { kill "$MODEL"; wait "$MODEL" 2>/dev/null; rm -f "$WORK/port"; }
mkfifo "$WORK/.never.claude" "$WORK/.never.codex"

st() { jq -r "$1" .pilot/state/continuation.json | paste -sd' '; }
second() # the plan is owned by another session from now on, and the model only says hello
{
    rm -rf .pilot && sed -i 's/\[x\]/[ ]/' PLAN.md && "$postrider" plan execute --session another PLAN.md >/dev/null
    printf '"Hello."\n' >"$WORK/script"
}
acts() { jq -r '[.act, .todo // empty, .check // empty] | join(" ")' .pilot/state/log.jsonl | paste -sd,; }
want='execute,claim SC-1,block SC-1,mark SC-1 exit 0,block SC-2,mark SC-2 exit 1,block SC-2,mark SC-2 exit 0,claim SC-3,mark SC-3'
mkdir "$WORK/agent-home" "$WORK/tmp"
# Codex takes no state below TMPDIR.
agent() { env -i HOME="$WORK/agent-home" TMPDIR="$WORK/tmp" PATH="$(dirname "$postrider"):/usr/bin:/bin" FAKE_KEY=x "$@" </dev/null; }

if [ -x "$claude" ]; then
    ask() { agent ANTHROPIC_BASE_URL="http://127.0.0.1:$PORT" ANTHROPIC_API_KEY=x CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 timeout 120 \
        "$claude" --plugin-dir "$plugin" --output-format json --permission-mode dontAsk --allowedTools Bash "${@:2}" -p "$1"; }
    ok 'Claude Code finds nothing wrong with the plugin' agent timeout 60 "$claude" plugin validate "$plugin" --strict
    project claude
    script Bash command %1
    start_model claude --take 'Session: ([0-9a-f-]{36})'
    exits 137 'Claude Code works on the plan, and is killed' ask '/02_execute PLAN.md'
    is "$(st '.todos[].status')" 'complete pending pending' 'in the middle of it'
    ok 'its session goes on' ask 'Go on.' --resume "$(st '.sessions[].id')"
    is "$(acts) $(jq -r .status .pilot/state/continuation.json)" "$want complete" 'and finishes it'
    stop_model
    second
    start_model claude
    ok 'a second session in the folder' ask 'Say hello'
    is "$(acts)" execute 'is not held'
    is "$(ask STOP | jq -r .num_turns) $(jq -r .status .pilot/state/continuation.json)" '0 stopped' 'a prompt that is STOP alone is carried out without the model'
    ask CONTINUE >/dev/null
    is "$(jq -r 'select(.act == "continue") | .by' .pilot/state/log.jsonl)" prompt 'and CONTINUE goes on, from a session outside'
    ask DONE >/dev/null
    not_ok 'DONE is for a person at the client: nobody sits at one that was asked one thing' grep -q '"done"' .pilot/state/continuation.json
    stop_model
else
    skip 'Claude Code' "no claude in $POSTRIDER_TEST_AGENTS"
fi

if [ -x "$codex" ]; then
    mkdir "$WORK/agent-home/.codex"
    agent timeout 60 "$codex" plugin marketplace add "$plugin" >/dev/null 2>&1
    ok 'Codex takes the same folder' agent timeout 60 "$codex" plugin add postrider@postrider
    project codex
    script exec_command cmd '$CODEX_SESSION_ID'
    start_model codex
    printf 'model = "m"\nmodel_provider = "fake"\n%s\n[model_providers.fake]\nname = "fake"\nbase_url = "http://127.0.0.1:%s/v1"\nenv_key = "FAKE_KEY"\nwire_api = "responses"\n' \
        "$(cat "$WORK/agent-home/.codex/config.toml")" "$PORT" >"$WORK/config" && mv "$WORK/config" "$WORK/agent-home/.codex/config.toml"
    ask() { agent timeout 120 "$codex" exec --json --skip-git-repo-check --dangerously-bypass-hook-trust -s danger-full-access "$@"; }
    exits 137 'Codex works on the plan, and is killed' ask 'Work on PLAN.md'
    is "$(st '.todos[].status')" 'complete pending pending' 'in the middle of it'
    ok 'its session goes on' ask resume "$(st '.sessions[].id')" 'Go on.'
    is "$(acts) $(jq -r .status .pilot/state/continuation.json)" "$want complete" 'and finishes it'
    stop_model
    second
    start_model codex --port "$PORT"
    ok 'a second session in the folder' ask 'Say hello'
    is "$(acts)" execute 'is not held'
    stop_model
else
    skip 'Codex' "no codex in $POSTRIDER_TEST_AGENTS"
fi

done_testing
