#!/usr/bin/env bash
# Real Claude Code, Codex and opencode: `integrate` installs the plugin, its MCP server is loaded, a model calls its tools, and
# --remove gives back the settings byte for byte. See tests/lib/realagent.sh.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/realagent.sh"
[ -n "${POSTRIDER_TEST_AGENTS:-}" ] || skip_all "no agents' programs: set POSTRIDER_TEST_AGENTS, see tools/install-agents"
unset CLAUDE_CODE_SESSION_ID CODEX_SESSION_ID CLAUDE_PROJECT_DIR POSTRIDER_PORT CLAUDE_CONFIG_DIR CODEX_HOME
agents=$POSTRIDER_TEST_AGENTS postrider=$PR_BIN
export TMPDIR=$WORK/tmp # Codex takes no state below TMPDIR
mkdir "$WORK/person" "$WORK/tmp"
agent() { env -i HOME="$WORK/person" PATH="$(dirname "$postrider"):$agents:/usr/bin:/bin" TMPDIR="$TMPDIR" FAKE_KEY=x \
    ASAN_OPTIONS=detect_leaks=0 "$@" </dev/null; }
project()
{
    mkdir "$WORK/$1" && cd "$WORK/$1" && git init -q -b main . || return 1
    printf '# P\n- [ ] SC-1: make a (check: test -f a)\n- [ ] SC-2: make b\n' >PLAN.md && "$postrider" plan execute PLAN.md >/dev/null
}
# The model looks, takes a todo, says that it is complete when it is not, and then does it. PREFIX and NAMESPACE: of a tool's name.
script()
{
    python3 - "$1" "$2" <<'P'
import json, sys
prefix, namespace = sys.argv[1:]
def call(tool, **arguments):
    print(json.dumps({"fake": "calls", "answer": "I call it.", "calls": [[prefix + tool, arguments, *([namespace] if namespace else [])]]}))
call("todo_list", all=True)
call("todo_update", id="SC-2", status="in_progress")
call("todo_update", id="SC-1", status="complete")
call("todo_update", id="SC-2", status="complete")
call("mail_inbox")
print(json.dumps("Finished."))
P
}
seen()
{
    like "$(cat "$WORK/model.log")" 'SC-1.{0,200}make a' "$1: todo_list reached the model"
    like "$(cat "$WORK/model.log")" 'its check failed' "$1: so did a check that failed"
    like "$(cat "$WORK/model.log")" 'started without a role' "$1: and what to do without mail"
    is "$(jq -r '.todos | map(.status) | join(" ")' .pilot/state/continuation.json)" 'pending complete' "$1: the plan has what was done"
}
sessions() { jq -r '.sessions[]?.id' .pilot/state/continuation.json; }

if [ -x "$agents/claude" ]; then
    mkdir -p "$WORK/person/.claude"
    printf '{\n    "model":   "claude-sonnet-5-5",\n  "permissions": {"deny": ["WebFetch"]}\n}' >"$WORK/person/.claude/settings.json"
    cp "$WORK/person/.claude/settings.json" "$WORK/before"
    ok 'Claude Code finds nothing wrong with the plugin' agent timeout 60 "$agents/claude" plugin validate "$POSTRIDER_SRC/integrations/plugin" --strict
    ok 'integrate claude-code' agent "$postrider" integrate claude-code
    like "$OUT" '[+] .*postrider@postrider' 'shows the difference'
    like "$(cat "$WORK/person/.claude/settings.json")" '    "model":   "claude-sonnet-5-5",
  "permissions": ' 'foreign settings are as they were'
    cp "$WORK/person/.claude/settings.json" "$WORK/after"
    ok 'again' agent "$postrider" integrate claude-code
    ok 'changes nothing' cmp "$WORK/person/.claude/settings.json" "$WORK/after"
    project claude
    model < <(script mcp__plugin_postrider_postrider__ '')
    ok 'Claude Code works with it' agent ANTHROPIC_BASE_URL="$URL" ANTHROPIC_API_KEY=x CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
        timeout 120 "$agents/claude" --output-format json --permission-mode dontAsk --allowedTools 'mcp__plugin_postrider_postrider__*' -p 'Work on the plan'
    session=$(jq -r .session_id <<<"$OUT")
    seen 'Claude Code'
    is "$(sessions)" "$session" 'and its session owns it'
    ok 'integrate claude-code --remove' agent "$postrider" integrate claude-code --remove
    ok 'gives back the bytes of before' cmp "$WORK/person/.claude/settings.json" "$WORK/before"
else
    skip 'Claude Code' "no claude in $agents"
fi

if [ -x "$agents/codex" ]; then
    mkdir -p "$WORK/person/.codex"
    project codex
    model < <(script '' mcp__postrider)
    printf '# mine\nmodel   =  "m" # keep\nmodel_provider = "fake"\n\n[model_providers.fake]\nname = "fake"\nbase_url = "%s/v1"\nenv_key = "FAKE_KEY"\nwire_api = "responses"' \
        "$URL" >"$WORK/person/.codex/config.toml"
    cp "$WORK/person/.codex/config.toml" "$WORK/before"
    ok 'integrate codex' agent "$postrider" integrate codex
    like "$(cat "$WORK/person/.codex/config.toml")" '^# mine
model   =  "m" # keep' 'foreign settings are as they were'
    cp "$WORK/person/.codex/config.toml" "$WORK/after"
    ok 'again' agent "$postrider" integrate codex
    ok 'changes nothing' cmp "$WORK/person/.codex/config.toml" "$WORK/after"
    ok 'integrate codex --remove' agent "$postrider" integrate codex --remove
    ok 'gives back the bytes of before' cmp "$WORK/person/.codex/config.toml" "$WORK/before"
    agent "$postrider" integrate codex >/dev/null
    ok 'Codex works with it' agent timeout 120 "$agents/codex" exec --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox 'Work on the plan'
    session=$(jq -r 'select(.type == "thread.started") | .thread_id' <<<"$OUT")
    seen Codex
    is "$(sessions)" "$session" 'and its session owns it'
    ok 'integrate codex --remove, after Codex has written its settings by itself' agent "$postrider" integrate codex --remove
    unlike "$(cat "$WORK/person/.codex/config.toml")" postrider@ 'takes ours out'
    like "$(cat "$WORK/person/.codex/config.toml")" '^# mine
model   =  "m" # keep' 'and nothing else'
else
    skip 'Codex' "no codex in $agents"
fi

if [ -x "$agents/opencode" ]; then
    settings=$WORK/person/.config/opencode/opencode.json
    mkdir -p "$(dirname "$settings")"
    project opencode
    model < <(script postrider_ '')
    printf '{ "model":"fake/m1","provider":{"fake":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"%s/v1","apiKey":"x"},"models":{"m1":{"tool_call":true,"limit":{"context":100000,"output":4000}}}}}}\n' "$URL" >"$settings"
    cp "$settings" "$WORK/before"
    ok 'integrate opencode' agent "$postrider" integrate opencode
    ok 'integrate opencode --remove' agent "$postrider" integrate opencode --remove
    ok 'gives back the bytes of before' cmp "$settings" "$WORK/before"
    agent "$postrider" integrate opencode >/dev/null
    ok 'opencode works with it' agent OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_DEFAULT_PLUGINS=1 timeout 120 "$agents/opencode" run --format json 'Work on the plan'
    seen opencode
    ok 'integrate opencode --remove, after opencode has written its settings by itself' agent "$postrider" integrate opencode --remove
    unlike "$(cat "$settings")" '"postrider"' 'takes ours out'
    ok 'and nothing else' grep -qF "$(cut -c3- "$WORK/before")" "$settings"
else
    skip 'opencode' "no opencode in $agents"
fi
done_testing
