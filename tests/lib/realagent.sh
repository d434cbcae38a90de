# For tests with the real Claude Code, Codex and opencode, behind tap.sh and serve.sh. tools/install-agents brings them; where
# they are is said by POSTRIDER_TEST_AGENTS, and without it these tests are skipped. The model behind them is tools/fake-model
# on loopback, keys are dummies, and HOME is below WORK: nothing of whoever runs the tests is read or written.
#
#   need_agent KIND         skips the file where the program, or what it needs, is not there
#   model [ARG...]          starts the model with the script on stdin: URL, $WORK/model.log is what it was shown
#   agent_home KIND         a home whose role envoy works by that program in the repository $REPO: a git clone
#   mail ID BODY [SUBJECT]  from the owner to envoy; ID is `-` for a new thread, else what it answers. MAIL is its id
#   work                    does all that there is to do now; work_at N: the same, N hours from now
#   call COMMAND            a tool call that runs it, as a word of a script's line; calls WORDS CALL...: such a line
#   asked                   the newest question that the owner has; answer_it TEXT: a reply to it
#   owner_has TEXT          one of the owner's mails holds this; owners N: the N-th newest, as text
#   shown REGEX             how often the model was shown it, counted in its last request
#   job_has STATE           of job 1; job_cost: in dollars

MODEL_PID=
trap 'model_end; tap_end' EXIT
model_end() { [ -z "$MODEL_PID" ] || { kill "$MODEL_PID" 2>/dev/null; wait "$MODEL_PID" 2>/dev/null; }; MODEL_PID=; }

need_agent()
{
    AGENT=${POSTRIDER_TEST_AGENTS:-/nonexistent}/$1 KIND=$1
    [ -n "${POSTRIDER_TEST_AGENTS:-}" ] || skip_all "no agents' programs: set POSTRIDER_TEST_AGENTS, see tools/install-agents"
    [ -x "$AGENT" ] || skip_all "no $1 in $POSTRIDER_TEST_AGENTS, see tools/install-agents"
}

model()
{
    local port
    model_end
    cat >"$WORK/model.jsonl"
    : >"$WORK/model.log"
    rm -f "$WORK/model.port" && mkfifo "$WORK/model.port"
    "$POSTRIDER_SRC/tools/fake-model" --with-stdin --by-turn --port "${MODEL_PORT:-0}" --script "$WORK/model.jsonl" \
        --log "$WORK/model.log" "$@" <&"$TAP_NEVER" >"$WORK/model.port" &
    MODEL_PID=$!
    read -r port <"$WORK/model.port"
    MODEL_PORT=$port URL=http://127.0.0.1:$port # the same port again when the script is another
}

agent_home()
{
    export HOME=$WORK/person TMPDIR=$WORK/tmp # Codex takes no state below TMPDIR
    REPO=$WORK/repo
    rm -rf "$HOME_DIR" "$REPO" "$HOME"
    mkdir -p "$HOME" "$TMPDIR" "$REPO"
    git -C "$REPO" init -q -b main
    git -C "$REPO" config user.name Owner && git -C "$REPO" config user.email owner@example.org
    echo 'hello' >"$REPO/README" && git -C "$REPO" add -A && git -C "$REPO" commit -qm 'Begin'
    pr init >/dev/null
    mkdir -p "$HOME_DIR/secrets" && echo dummy-key >"$HOME_DIR/secrets/agent" && chmod 600 "$HOME_DIR/secrets/agent"
    set_brain command "$AGENT" kind "$1" key-file secrets/agent
    case $1 in
    claude) set_brain url "$URL" model claude-sonnet-5-5 \
        env 'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 CLAUDE_CODE_MAX_RETRIES=1' ;;
    codex) set_brain url "$URL/v1" model gpt-6-luna ;;
    opencode) set_brain model fake/m1 env "$(opencode_settings)" ;;
    esac
    pr config set 'role envoy' workdir "$REPO"
}
set_brain() { while [ $# -gt 0 ]; do pr config set 'brain default' "$1" "$2" || diag "no key $1"; shift 2; done; }

opencode_settings()
{
    python3 - "$URL/v1" <<'P'
import json, shlex, sys
model = {"tool_call": True, "cost": {"input": 3, "output": 15}, "limit": {"context": 100000, "output": 4000}}
fake = {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": sys.argv[1], "apiKey": "x"}, "models": {"m1": model}}
print(shlex.quote("OPENCODE_CONFIG_CONTENT=" + json.dumps({"provider": {"fake": fake}})))
P
}

mail()
{
    local about=
    [ "$1" = - ] || about="In-Reply-To: $1
References: $1
"
    MAIL="<m$RANDOM$RANDOM.$SECONDS@postrider.local>"
    printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: %s\nMessage-ID: %s\n%s\n%s\n' \
        "${3:-a task}" "$MAIL" "$about" "$2" | pr sendmail -t
}

work() { pr serve --once >>"$WORK/once.log" 2>&1; }
work_at() { POSTRIDER_CLOCK=+$(($1 * 3600)) pr serve --once >>"$WORK/once.log" 2>&1; }

call()
{
    python3 - "$KIND" "$1" <<'P'
import json, sys
kind, command = sys.argv[1:]
print(json.dumps({
    "claude": ["Bash", {"command": command, "description": "run"}],
    "codex": ["exec", f"const r = await tools.exec_command({{cmd: {json.dumps(command)}}}); text(r.output);", "functions"],
    "opencode": ["bash", {"command": command, "description": "run"}]}[kind]))
P
}
calls() { local words=$1; shift; (IFS=,; printf '{"fake": "calls", "answer": "%s", "calls": [%s]}\n' "$words" "$*"); }

owners() { newest_mails | sed -n "${1}p" | xargs -r cat; }
newest_mails() { find "$HOME_DIR/mail/you/new" "$HOME_DIR/mail/you/cur" -type f -printf '%T@ %p\n' 2>/dev/null | sort -rn | cut -d ' ' -f 2-; }
owner_has() { newest_mails | xargs -r grep -l -- "$1" | grep -q .; }
asked() { newest_mails | xargs -r grep -l '^ *APPROVE ' | head -n 1 | xargs -r cat; }
answer_it() { mail "$(asked | sed -n 's/^Message-ID: *//Ip' | head -n 1)" "$1" 'Re: a question'; }
shown() { python3 - "$WORK/model.log" "$1" <<'P'
import json, re, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
last = next((line for line in reversed(lines) if line["answered"] != "aside" and line["body"]), None)
print(len(re.findall(sys.argv[2], json.dumps(last["body"], ensure_ascii=False))) if last else 0)
P
}
job_has() { [ "$(db 'SELECT state FROM job WHERE id = 1')" = "$1" ]; }
job_cost() { pr --json job list --all | python3 -c 'import json, sys; print("%.4f" % json.load(sys.stdin)[0]["cost_usd"])'; }
