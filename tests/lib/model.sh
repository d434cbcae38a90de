# For tests with a model behind an API that answers as it is told (tools/fake-model), behind tap.sh.
#
#   fake NAME   starts it with the answers on stdin, one a line: URL, $WORK/NAME.log
#   fake_end    ends it
#   dear_model ROLE [DOOR]   behind loop.sh: the role works by a model whose answers cost a dollar each, and at most; they are what
#                            steps or many has written; the first DOOR of them wait at the door

FAKE_PID=
trap 'fake_end; tap_end' EXIT

fake()
{
    local port
    cat >"$WORK/$1.jsonl"
    rm -f "$WORK/$1.log" "$WORK/$1.port"
    mkfifo "$WORK/$1.port"
    "$POSTRIDER_SRC/tools/fake-model" --with-stdin --script "$WORK/$1.jsonl" --log "$WORK/$1.log" \
        <&"$TAP_NEVER" >"$WORK/$1.port" &
    FAKE_PID=$!
    read -r port <"$WORK/$1.port"
    URL=http://127.0.0.1:$port
}
fake_end() { [ -z "$FAKE_PID" ] || { kill "$FAKE_PID" 2>/dev/null; wait "$FAKE_PID" 2>/dev/null; }; FAKE_PID=; }

dear_model()
{
    umask 077
    echo sk-test-6f1c >"$HOME_DIR/secrets/model"
    pr config set 'brain dear' kind anthropic
    pr config set 'brain dear' model claude-opus-5-5
    pr config set 'brain dear' max-tokens 50000
    pr config set 'brain dear' key-file secrets/model
    python3 - "$HOME_DIR/scripts/steps.jsonl" "${2:-0}" "$WORK/door" >"$WORK/answers" <<'P'
import json, sys
for k, line in enumerate(open(sys.argv[1])):
    plan = {"fake": "slow", "delay": 0, "answer": json.loads(line), "usage": {"output_tokens": 50000}}
    if k < int(sys.argv[2]):
        plan["door"] = sys.argv[3]
    print(json.dumps(plan))
P
    fake_end
    fake fake <"$WORK/answers"
    pr config set 'brain dear' url "$URL"
    pr config set "role $1" brain dear
    pr config set "role $1" max-cost 100
    pr config set postrider max-cost-per-day 0
}
