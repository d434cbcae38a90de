#!/usr/bin/env bash
# plan run with the real Claude Code and Codex: a model that stops after each todo, says that a todo is complete whose check
# fails, and is killed once, finishes a plan of three all the same.
. "$(dirname "$0")/../lib/tap.sh"
command -v jq >/dev/null || skip_all 'no jq'
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/realagent.sh"
[ -n "${POSTRIDER_TEST_AGENTS:-}" ] || skip_all "no agents' programs: set POSTRIDER_TEST_AGENTS, see tools/install-agents"
PR_BIN=$POSTRIDER_PLAIN_BIN
. "$POSTRIDER_SRC/tests/lib/plan.sh"
export HOME=$WORK/person TMPDIR=$WORK/tmp FAKE_KEY=x
mkdir -p "$HOME/.codex" "$TMPDIR"
plan_home

# The model: TOOL ARGUMENT. Its words do not depend on what it is told, so that a turn that was killed may come again.
script()
{
    python3 - "$1" "$2" <<'X'
import json, sys
tool, argument = sys.argv[1:]
def call(command):
    print(json.dumps({"fake": "calls", "answer": "I run it.", "calls": [[tool, {argument: command}]]}))
def say(words):
    print(json.dumps(words))
call("echo ok >a")
say("I am done.")
say("SC-2 is complete.")
call("echo ok >b; [ -e killed ] || { touch killed; kill -9 $PPID; }")
for _ in range(8):
    call("echo ok >c")
    say("It is done.")
X
}

for client in claude codex; do
    [ -x "$POSTRIDER_TEST_AGENTS/$client" ] || { skip "$client" "no $client in $POSTRIDER_TEST_AGENTS"; continue; }
    plan_project "$client" 'SC-1: make a (check: test -f a)' 'SC-2: make b (check: test -f b)' 'SC-3: make c (check: test -f c)'
    case $client in
    claude)
        model < <(script Bash command)
        export ANTHROPIC_BASE_URL=$URL ANTHROPIC_API_KEY=x CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 CLAUDE_CODE_MAX_RETRIES=1
        command=("$POSTRIDER_TEST_AGENTS/claude" --allowedTools Bash)
        ;;
    codex)
        model < <(script exec_command cmd)
        printf 'model = "m"\nmodel_provider = "fake"\n[model_providers.fake]\nname = "fake"\nbase_url = "%s/v1"\nenv_key = "FAKE_KEY"\nwire_api = "responses"\n' "$URL" >"$HOME/.codex/config.toml"
        command=("$POSTRIDER_TEST_AGENTS/codex" -s danger-full-access)
        ;;
    esac
    MAX_ITERATIONS=12 run timeout 90 "$PR_BIN" --home "$HOME_DIR" plan run PLAN.md -- "${command[@]}"
    is "$STATUS $(st .status)" '0 complete' "$client finishes the plan" || diag "$OUT" "$ERR" "$(tail -c 2000 "$WORK/model.log")"
    ok 'although it was killed' test -e killed
    like "$(jq -r '[.act, .todo // "", .check // ""] | join(" ")' .pilot/state/log.jsonl | paste -sd,)" 'check SC-2 exit 1' 'and a check failed'
    is "$(db 'SELECT kind FROM session WHERE job = (SELECT max(id) FROM job)')" "$client" 'its session is known'
    like "$(jq -r .act .pilot/state/log.jsonl | paste -sd' ')" 'enter' 'and owned the plan'
    is "$(printf '{"session_id":"stranger","cwd":"%s","background_tasks":[]}' "$PWD" | "$PR_BIN" hook stop)" '' 'another session is not held'
done
done_testing
