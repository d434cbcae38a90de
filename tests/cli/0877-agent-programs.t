#!/usr/bin/env bash
# Programs with a stream: `output` caps the answer and not the stream, memory stays bounded, bad streams get a clear error;
# `config check` and `doctor` know the programs.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"

stub=$POSTRIDER_SRC/tests/peers/stub-agent
agent_home() # LINES...: what the program does, as a shell script
{
    loop_home
    pr config set postrider ack-after 0
    pr config set 'brain default' kind command
    pr config set 'brain default' parser claude-json
    pr config set 'brain default' command "$HOME_DIR/scripts/agent"
    { echo '#!/bin/sh'; printf '%s\n' "$@"; } >"$HOME_DIR/scripts/agent"
    chmod +x "$HOME_DIR/scripts/agent"
}
result() { printf "echo '{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"%s\"}'" "$1"; }
ask() { pr inject --subject s --run </dev/null >/dev/null 2>&1; }

# --- 200 MB, and the answer last ---

# The largest of all processes that a command starts, in kB.
largest() { python3 -c 'import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"; }
noise='{"type":"user","message":{"content":[{"type":"tool_result","content":"a line of what a tool has printed, and so on, and so on"}]}}'
for form in lines 'one line'; do
    case $form in
        lines) print="yes '$noise' | head -c 200000000; echo" ;;
        *) print="head -c 200000000 /dev/zero | tr '\\0' x; echo" ;;
    esac
    agent_home "cat >/dev/null; $print; $(result 'the end of it')"
    kb=$(PR_BIN=$POSTRIDER_PLAIN_BIN; largest "$PR_BIN" --home "$HOME_DIR" inject --subject s --run)
    ok "200 MB, $form: the answer comes last, and is mailed" you_have 'the end of it'
    diag "200 MB, $form: $kb kB"
    ok 'no process grows beyond 30 MB' test "$kb" -lt 30000
done

agent_home "cat >/dev/null; yes '$noise' | head -c 100000; echo; $(result '0123456789 and more')"
pr config set 'brain default' output 10
ask
ok 'output caps the answer, not the stream' you_have '0123456789'
not_ok 'what is beyond is not there' you_have 'and more'

# --- streams that are none ---
bad() # NAME WANTED LINES...
{
    agent_home "${@:3}"
    pr config set 'role envoy' retry no
    ask
    is "$(job state)" failed "$1: the job fails"
    ok "and says why: $2" you_have "$2"
}
bad 'a stream cut in a line' 'it ended without an answer' "printf '{\"type\":\"result\",\"subt'"
bad 'no result' 'it ended without an answer' "echo '{\"type\":\"system\"}'"
bad 'not a word' 'it ended without an answer' :
bad 'an answer without a word' 'it answered nothing' "$(result '')"
bad 'killed' 'killed by signal 9' 'kill -9 $$'
agent_home "$(result one)" "$(result two)"
ask
ok 'two results: both are mailed' you_have one
ok 'in one mail' you_have two
is "$(to_you)" 1 'which is one'
agent_home 'cat; cat <&0; exec sleep 600'
pr config set 'brain default' timeout 1s
pr config set 'role envoy' retry no
ask
ok 'a program that waits for input for ever is ended by the clock' you_have 'ran longer than 1'
agent_home 'cat >/dev/null' 'setsid sleep 600 & echo $! >pid' "$(result 'left one behind')"
ask
ok 'one that forks a daemon is answered' you_have 'left one behind'
left=$(cat "$HOME_DIR"/work/envoy/1/pid)
ok 'and the daemon is ended' wait_for sh -c "! kill -0 $left 2>/dev/null"

# --- a budget that the program has come to ---
agent_home 'cat >/dev/null; echo >>calls' \
    "echo '{\"type\":\"result\",\"subtype\":\"error_max_budget_usd\",\"is_error\":true,\"result\":\"\",\"errors\":[\"Reached maximum budget\"]}'"
ask
is "$(job state) $(wc -l <"$HOME_DIR"/work/envoy/1/calls)" 'stopped 1' 'a program that came to its budget is not asked again'
ok 'and a person hears why' you_have 'the money that was left for it is spent'

# --- words are no limits ---
agent_home 'echo "You have hit your usage limit. Try again at 7:20 AM."; exit 1'
pr config set 'brain default' parser plain
ask
is "$(job state) $(db 'SELECT count(limited_why) FROM brain')" 'queued 0' "what a plain program prints is never a limit"

# --- who is there ---
loop_home
pr config set 'brain default' kind codex
pr config set 'brain default' command ''
exits 78 'a program that is not there' env PATH=/usr/bin:/bin "$PR_BIN" --home "$HOME_DIR" config check
like "$OUT$ERR" "\[brain default\]: command: no program 'codex' in PATH" 'is found by config check'
exits 1 'and by doctor' env PATH=/usr/bin:/bin "$PR_BIN" --home "$HOME_DIR" doctor
like "$OUT" "no program 'codex' in PATH: brain default" 'which names the brain'
echo 'result {prompt}' >"$WORK/script"
printf '#!/bin/sh\nexec "%s" --mode codex --script "%s" --state "%s" "$@"\n' "$stub" "$WORK/script" "$WORK/state" >"$WORK/codex"
chmod +x "$WORK/codex"
pr config set 'brain default' command "$WORK/codex"
exits 0 'one that is there' pr config check
exits 0 'doctor is content' pr doctor
like "$OUT" "note: brain default is $WORK/codex, codex-cli 0.166.0" 'and names program and version'
ok 'nobody was asked anything' test ! -e "$WORK/state/calls.jsonl"
exits 0 'doctor --brains asks' pr doctor --brains
like "$(cat "$WORK/state/calls.jsonl")" 'This is a test of the connection' 'one question'
echo login >"$WORK/script"
exits 1 'a brain without a login' pr doctor --brains
like "$OUT" 'answer: failed: unexpected status 401.*brain default' 'is a finding, in its own words'

done_testing
