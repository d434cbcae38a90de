#!/usr/bin/env bash
# A model behind an API, from a mail to its answer; and where its key never is.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/model.sh"

CANARY=CANARY-sk-6f1c
brain() { pr config set 'brain default' "$1" "$2"; }
programs_of() # VERB ARG...: the programs of ours that the front turns into
{
    strace -f -e trace=execve -o "$WORK/trace" "$POSTRIDER_PLAIN_BIN" --home "$HOME_DIR" "$@" >/dev/null 2>&1 </dev/null
    grep -o 'postrider-[a-z]*' "$WORK/trace" | sort -u | tr '\n' ' '
}

pr init >/dev/null
umask 077
echo "$CANARY" >"$HOME_DIR/secrets/model"

fake one <<'S'
{"status": "complete", "current_phase": "complete", "working_note": "", "bundle_key": "", "reasoning": "", "add_notes": [], "add_emails": [], "search_emails": [], "search_notes": [], "read_attachments": [], "drop": [], "write_notes": [], "rename_notes": [], "delete_notes": [], "send_emails": [{"to": [], "cc": [], "subject": "", "body": "The answer is 42.", "in_reply_to": "", "attachments": []}], "move_emails": [], "wait": {"for": "reply", "until": "", "then": "remind"}}
S
brain kind anthropic
brain url "$URL"
brain model claude-opus-5-5
brain key-file secrets/model
ok 'a question to a model' pr ask 'what is the answer'
like "$OUT" 'The answer is 42.' 'is answered'
is "$(python3 -c 'import json,sys; print(*(json.loads(l)["key"] for l in open(sys.argv[1])))' "$WORK/one.log")" "$CANARY" \
    'the key went to the model, once'
fake_end

fake two <<'S'
{"fake": "echo-key"}
{"fake": "echo-key"}
S
brain kind openai
brain url "$URL/v1"
run pr ask --no-wait 'are you there'
ok 'a key that is refused' pr serve --once
run pr job list
like "$OUT" 'queued|waiting' 'leaves the job where it is'
like "$(cat "$HOME_DIR"/mail/you/new/* 2>/dev/null)" 'does not work' 'and the owner is told'
fake_end

fake three <<'S'
{"fake": "stall"}
S
brain kind anthropic
brain url "$URL"
run pr ask --no-wait 'take your time'
"$PR_BIN" --home "$HOME_DIR" serve --once >/dev/null 2>&1 </dev/null &
run_pid=$!
wait_for test -s "$WORK/three.log"
like "$(tr '\0' ' ' </proc/$run_pid/cmdline)" 'serve --once' 'while a model thinks'
unlike "$(cat /proc/$run_pid/cmdline /proc/$run_pid/environ | tr '\0' ' ')" "$CANARY" 'its key is in no argument and no environment'
kill -KILL $run_pid
wait $run_pid 2>/dev/null
fake_end

is "$(grep -rl "$CANARY" "$HOME_DIR" | sed "s|$HOME_DIR/||")" 'secrets/model' 'no other file has the key'
unlike "$OUT$ERR$(cat "$WORK/.out" "$WORK/.err")" "$CANARY" 'no output either'

chmod 644 "$HOME_DIR/secrets/model"
run pr ask --no-wait 'again'
run pr serve --once
like "$(pr job list --json)" 'others can read' 'a key that others can read is not used'

is "$(programs_of run)" 'postrider-net ' 'run uses the program with libcurl'
is "$(programs_of send --to you --subject x)" '' 'send starts no other program'
unlike "$(readelf -d "$POSTRIDER_PLAIN_BIN")" 'sqlite|gmime|nettle' 'what few starts need is not loaded by all'
brain kind script
is "$(programs_of run)" 'postrider-mail ' 'nor does a home whose brains need no network'
done_testing
