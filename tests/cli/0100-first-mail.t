#!/usr/bin/env bash
# One mail in, one answer out, by hand and by the master.
. "$(dirname "$0")/../lib/tap.sh"

in_you() { find "$HOME_DIR/mail/you/new" "$HOME_DIR/mail/you/cur" -type f | wc -l; }

ok 'init makes a home' pr init
like "$OUT" "next: postrider --home '$HOME_DIR' ask" 'and says what to do next, for this home'
like "$(POSTRIDER_HOME=$WORK/usual "$PR_BIN" init)" 'next: postrider ask' 'no more than needed for the usual one'
is "$(stat -c %a "$HOME_DIR")" 700 'the home is ours alone'
is "$(stat -c %a "$HOME_DIR/key")" 600 'and so is the key'
exits 73 'init refuses a home that is there' pr init
like "$ERR" 'is a home already' 'and says so'
mkdir "$WORK/full" && touch "$WORK/full/x"
exits 73 'init refuses a folder with files' "$PR_BIN" init "$WORK/full"

ok 'ask waits for the answer' pr ask 'hello there'
like "$OUT" 'I have your mail' 'and prints it'
like "$OUT" 'hello there' 'with what was asked'
is "$(in_you)" 1 'the answer lies in the mailbox, once'
is "$(find "$HOME_DIR/mail/envoy/.Done" -type f -name '*:2,RS' | wc -l)" 1 'the question is filed in Done, seen and answered'
is "$(find "$HOME_DIR/mail/envoy/.Sent" -type f -name '*:2,S' | wc -l)" 1 'a copy of the answer is in Sent'

ok 'a pass with nothing to do' pr serve --once
is "$(in_you)" 1 'does nothing'
run pr --json job list --all
is "$(echo "$OUT" | python3 -c 'import json,sys; j=json.load(sys.stdin)[0]; print(j["id"], j["role"], j["state"], j["round"])')" \
    '1 envoy done 1' 'the job is done'

# An independent reader: Python's email package.
python3 - "$HOME_DIR"/mail/you/new/* >"$WORK/py" <<'P'
import sys, email, email.policy
m = email.message_from_binary_file(open(sys.argv[1], 'rb'), policy=email.policy.default)
print(m['subject']); print(m['from'].addresses[0].addr_spec); print(bool(m.defects))
print(m['in-reply-to'].strip() == m['references'].strip(), m['auto-submitted'])
P
is "$(cat "$WORK/py")" 'Re: hello there
envoy@postrider.local
False
True auto-replied' 'Python reads the same mail'

id=$(echo 'a body' | pr send --to envoy --subject 'by hand')
like "$id" '^<.*@postrider.local>$' 'send prints the Message-ID alone'
ok 'one pass answers it' pr serve --once
is "$(in_you)" 2 'with one mail'

start_serve
ok 'ask with a master' pr ask 'and now served'
three_answers() { [ "$(in_you)" = 3 ]; }
ok 'is answered too' wait_for three_answers
exits 75 'a second master is refused' pr serve
like "$ERR" "$SERVE_PID" 'and names the first'
stop_serve
is "$SERVE_STATUS" 0 'the master stops cleanly'

json() { python3 -c "import sys, json; v = json.load(sys.stdin); print(($1))"; }
cat >"$WORK/brain" <<'END'
#!/bin/sh
echo data >out/table.csv
echo 'Here it is.'
END
chmod +x "$WORK/brain"
pr config set 'brain default' command "$WORK/brain"
ok 'ask --json' pr ask --json 'the table'
is "$(json 'v["status"], v["why"], v["job"] > 0, [(a["subject"], a["text"], a["attachments"]) for a in v["answers"]]' <<<"$OUT")" \
    "('answered', None, True, [('Re: the table', 'Here it is.', [{'filename': 'table.csv', 'content_type': 'text/csv', 'size_bytes': 5}])])" 'the answer as JSON, with what is attached'
ok 'ask --json --no-wait' pr ask --json --no-wait 'later'
like "$(json 'v["message_id"], v["status"]' <<<"$OUT")" "^\('<.*@postrider.local>', 'sent'\)$" 'the Message-ID as JSON'
pr config set 'brain default' command "$WORK/none"
exits 75 'ask --json of a job that waits' pr ask --json 'nobody there'
like "$(json 'v["status"], v["why"], v["answers"]' <<<"$OUT")" "^\('waiting', .*none.*, \[\]\)$" 'why it waits, as JSON'
pr config set 'brain default' command scripts/hello
exits 66 'an unknown role' pr ask --to envoi hello
like "$ERR" "did you mean 'envoy'" 'gets the nearest one'
exits 64 'an unknown verb' pr asc hello
like "$ERR" "did you mean 'ask'" 'gets the nearest one'
exits 78 'a home that is none' "$PR_BIN" --home "$WORK/full" status
exits 78 'no home at all' "$PR_BIN" --home "$WORK/nothing" status
like "$ERR" 'postrider init' 'says how to make one'
exits 66 'a job that is not there' pr show 99
exits 64 'a job that is no number' pr stop abc

# Closed and full standard output.
pr job list --all >&- 2>"$WORK/err"
isnt $? 0 'a closed stdout is an error'
pr job list --all >/dev/full 2>"$WORK/err"
is $? 74 'so is a full one'
like "$(cat "$WORK/err")" "can't write" 'and is said'

done_testing
