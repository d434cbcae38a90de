#!/usr/bin/env bash
# setup at a terminal: every question has its default, a secret is never seen, Ctrl-C and "no" change nothing.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/setup.sh"
command -v expect >/dev/null || skip_all 'no expect'
need_terminal

pr init >/dev/null
pr setup limits --max-cost-per-day 3.00 --max-iterations 5 --yes >/dev/null

# --- limits ---
talk limits setup limits <<'X'
expect {spend in a day \[3.00]: }; send "lots\r"
expect "expected an amount"
expect {spend in a day \[3.00]: }; send "4.50\r"
expect {round of 'envoy' may cost \[2.00]: }; send "\r"
expect {Steps in one run \[5]: }; send "\r"
expect {before it asks \[24]: }; send "\r"
expect {same time \[16]: }; send "\r"
expect -re {- max-cost-per-day = 3.00.*\+ max-cost-per-day = 4.50.*Write it\?}; send "\r"
expect "written"
X
is "$STATUS" 0 'limits at a terminal, defaults are what is set'
like "$(cat "$CONF")" 'max-cost-per-day = 4.50' 'the answer is written'
talk refuse setup limits --max-cost 7 <<'X'
expect "spend in a day"; send "9\r"
expect "Steps in one run"; send "\r"
expect "before it asks"; send "\r"
expect "same time"; send "\r"
expect "Write it?"; send "n\r"
X
is "$STATUS" 75 'who says no'
unlike "$(cat "$CONF")" 'max-cost-per-day = 9' 'has nothing changed'

talk eof setup limits <<'X'
expect "spend in a day"; send "\004"
expect "no answer; nothing was changed"
X
is "$STATUS" 75 'so does Ctrl-D'
talk nobrain setup role clerk <<'X'
expect "Its mail address"; send "\r"
expect "Its name in From"; send "Clerk\r"
expect "Which brain: default"; send "nobody\r"
expect "Folder to work in"; send "\r"
expect "File with its instructions"; send "\r"
expect "there is no *brain nobody*; nothing was changed"
X
is "$STATUS" 78 'a role whose brain is not there is told how to make one'

# --- back to the question before, over everything that is asked ---
talk roleback setup role <<'X'
expect "'<' goes back"
expect "Role"; send "clerk\r"
expect {Its mail address \[clerk@postrider.local]: }; send "clerk@else.example\r"
expect "Its name in From"; send "<\r"
expect {Its mail address \[clerk@else.example]: }; send "<\r"
expect {Role \[clerk]: }; send "<\r"
expect "no question before"
expect "Role"; send "scribe\r"
expect {Its mail address \[scribe@postrider.local]: }; send "\r"
expect "Its name in From"; send "\r"
expect "Which brain"; send "\r"
expect "Folder to work in"; send "\r"
expect "File with its instructions"; send "\r"
expect "Write it?"; send "<\r"
expect "File with its instructions"; send "\r"
expect "Write it?"; send "y\r"
expect "written"
X
is "$STATUS" 0 'back from the last question and to the first'
like "$(cat "$CONF")" 'role scribe\]' 'what was said last is written'
unlike "$(cat "$CONF")" 'clerk' 'what was left is not'

# --- a brain ---
fake good <<'S'
"ready"
"ready"
S
talk brain setup brain --kind openai --url "$URL/v1" <<X
expect "Model"; send "tiny-1\r"
expect "API key"; send "$SECRET\r"
expect "answer: ok"
expect "Write it?"; send "y\r"
expect "kept:"
X
is "$STATUS" 0 'brain at a terminal'
like "$TTY" 'API key.*\(not shown\)' 'what stands at the terminal is looked at'
unlike "$TTY" "$SECRET" 'the key is not shown'
is "$(cat "$HOME_DIR/secrets/default.key") $(mode_of "$HOME_DIR/secrets/default.key")" "$SECRET 600" 'it is kept, closed to others'
is "$(ls -A "$HOME_DIR/secrets")" 'default.key' 'and nowhere else'
like "$(cat "$CONF")" 'key-file = secrets/default.key' 'the settings name its file'
is "$(python3 -c 'import json,sys; print(json.loads(open(sys.argv[1]).readlines()[-1])["key"])' "$WORK/good.log")" "$SECRET" \
    'the model got the new key in the test already'
is "$(grep -rl "$SECRET" "$HOME_DIR")" "$HOME_DIR/secrets/default.key" 'no other file has it'
fake_end

# --- back to the question before ---
fake back <<'S'
{"reasoning":"ready","status":"complete","current_phase":"complete"}
S
talk back setup brain --name other <<X
expect "'<' goes back"
expect "What thinks"; send "<\r"
expect "no question before"
expect "What thinks"; send "openai\r"
expect "Model"; send "wrong\r"
expect "URL"; send "<\r"
expect "provider names it*wrong"; send "<\r"
expect "What thinks"; send "\r"
expect "Model"; send "tiny-2\r"
expect "URL"; send "http://wrong\r"
expect "API key"; send "<\r"
expect "URL of the API"; send "$URL/v1\r"
expect "API key"; send "$SECRET\r"
expect "answer: ok, it says: ready"
expect "step: ok, it answers in the form that jobs need"
expect "Write it?"; send "y\r"
expect "kept:"
X
is "$STATUS" 0 'going back, and on again'
like "$(pr config show | tr '\n' ' ')" "brain other\].*tiny-2" 'what was said last counts'
unlike "$TTY" "$SECRET" 'and the key is not shown'
fake_end
rm -f "$HOME_DIR/secrets/other.key"

fake bad <<'S'
{"fake": "404"}
S
talk keybad setup brain --url "$URL/v1" <<'X'
expect "What thinks"; send "\r"
expect "Model"; send "\r"
expect "API key"; send "another-key-9\r"
expect "answer: failed"
expect "Go on all the same?"; send "\r"
X
isnt "$STATUS" 0 'a key that is refused'
is "$(cat "$HOME_DIR/secrets/default.key") $(ls -A "$HOME_DIR/secrets")" "$SECRET default.key" 'the key that works is still there'
fake_end
talk interrupt setup brain --kind openai --model m <<'X'
expect "URL"; send "\r"
expect "API key"; send "half-a-key\003"
expect "no answer; nothing was changed"
X
is "$STATUS" 75 'Ctrl-C at the hidden prompt ends it'
unlike "$TTY$(ls -A "$HOME_DIR/secrets")" 'half-a-key|new' 'and leaves nothing'

# --- mail ---
start_servers 'mail' || done_testing
cat >"$WORK/send" <<X
#!/bin/bash
$(declare -f mail)
SMTP_PORT=$SMTP_PORT
mail mallory@test.example agent@test.example "out of office: \$1" 'Auto-Submitted: auto-replied'
mail bob@test.example agent@test.example "the word is \${1^^}" 'Authentication-Results: mail.test.example; dmarc=pass header.from=test.example'
X
chmod +x "$WORK/send"

cp "$CONF" "$WORK/before"
talk mailback setup mail --port "$IMAPS_PORT" --ca-file "$MAIL_CA" --smtp-port "$SUBMISSIONS_PORT" --no-round-trip <<'X'
expect "Address of the mailbox"; send "<\r"
expect "no question before"
expect "Address of the mailbox"; send "wrong@test.example\r"
expect {Provider \[other]: }; send "other\r"
expect "IMAP server"; send "wrong.invalid\r"
expect "IMAP encryption"; send "\r"
expect "SMTP server"; send "<\r"
expect "IMAP encryption"; send "\r"
expect "SMTP server"; send "127.0.0.1\r"
expect "SMTP encryption"; send "implicit\r"
expect {Login name \[wrong@test.example]: }; send "\r"
expect "Password (not shown): "; send "<\r"
expect {Login name \[wrong@test.example]: }; send "<\r"
expect {SMTP encryption: implicit, starttls, none \[implicit]: }; send "<\r"
expect {SMTP server, which sends; empty: none \[127.0.0.1]: }; send "<\r"
expect "IMAP encryption"; send "<\r"
expect {IMAP server \[wrong.invalid]: }; send "<\r"
expect {Provider \[other]: }; send "<\r"
expect {Address of the mailbox that postrider gets \[wrong@test.example]: }; send "agent@test.example\r"
expect "Provider"; send "dovecot\r"
expect {IMAP server \[localhost]: }; send "127.0.0.1\r"
expect "IMAP encryption"; send "\r"
expect "SMTP server"; send "127.0.0.1\r"
expect "SMTP encryption"; send "implicit\r"
expect {Login name \[agent@test.example]: }; send "\r"
expect "Password (not shown): "; send "wrong-pw\r"
expect "login: failed"
expect "Go on all the same?"; send "<\r"
expect "Password; empty: the one in secrets/mail.password (not shown): "; send "agent-pw\r"
expect "login: ok"
expect "Pair now"; send "<\r"
expect "Password; empty: the one in secrets/mail.password (not shown): "; send "\r"
expect "login: ok"
expect "Pair now"; send "n\r"
expect "Write it?"; send "<\r"
expect "Pair now"; send "n\r"
expect "+ user = agent@test.example"
expect "Write it?"; send "n\r"
X
is "$STATUS" 75 'setup mail goes back from everything that it asks' || diag "$ERR$TTY"
unlike "${TTY##*Pair now}" 'wrong' 'and forgets what was left'
is "$(grep -c "the owner is still" <<<"$TTY")" 2 'who goes back from the question about pairing has not answered it'
is "$(cat "$CONF") $(ls "$HOME_DIR/secrets")" "$(cat "$WORK/before") default.key" 'nothing is written until somebody says so'
talk pair setup mail --port "$IMAPS_PORT" --ca-file "$MAIL_CA" --smtp-port "$SUBMISSIONS_PORT" --no-round-trip <<X
expect "Address of the mailbox"; send "agent@test.example\r"
expect {dovecot   a Dovecot and an MTA on this machine*Provider \[other]: }; send "dovecot\r"
expect {IMAP server \[localhost]: }; send "127.0.0.1\r"
expect {IMAP encryption: implicit, starttls, none \[implicit]: }; send "\r"
expect {SMTP server, which sends; empty: none \[localhost]: }; send "127.0.0.1\r"
expect {SMTP encryption: implicit, starttls, none \[starttls]: }; send "implicit\r"
expect {Login name \[agent@test.example]: }; send "\r"
expect "Password (not shown): "; send "agent-pw\r"
expect "login: ok"
expect "Pair now"; send "\r"
expect -re {    ([a-z]+-[a-z]+-[a-z]+)\r}
exec $WORK/send \$expect_out(1,string)
expect "pairing: ok, you are bob@test.example"
expect "proof: ok"
expect "Write it?"; send "\r"
expect "written"
X
is "$STATUS" 0 'pairing at a terminal; a responder that quotes the word is not believed' || diag "$ERR$TTY"
unlike "$TTY" 'agent-pw' 'the password is not shown'
like "$(cat "$CONF")" 'owner = bob@test.example' 'the owner is who brought the word'
like "$(cat "$CONF")" 'authserv-id = mail.test.example' 'the server that vouched for them is learnt'
like "$(cat "$CONF")" 'preset = dovecot' 'what the preset says is not written again'
unlike "$(cat "$CONF")" 'envelope' 'none of it'
is "$(cat "$HOME_DIR/secrets/mail.password") $(mode_of "$HOME_DIR/secrets/mail.password")" 'agent-pw 600' 'the password is kept in a closed file'
is "$(grep -rl agent-pw "$HOME_DIR")" "$HOME_DIR/secrets/mail.password" 'and in no other'

# Once more, with a round trip: then it also mails itself a forged field. This Postfix strips nothing.
pair_again()
{
    pr setup mail --yes --pair >"$WORK/pair.out" 2>&1 &
    local pid=$!
    the_word() { sed -n 's/^    \([a-z]*-[a-z]*-[a-z]*\)$/\1/p' "$WORK/pair.out" | grep .; }
    wait_for the_word && "$WORK/send" "$(the_word)"
    wait $pid
}
ok 'pairing with a round trip' pair_again
like "$(cat "$WORK/pair.out")" 'pairing: ok.*forged proof: your server let a forged Authentication-Results field of mail.test.example through' \
    'a server that lets forged fields through is found out'
run pr status
like "$OUT" "the mail server of account 'mail' let a forged Authentication-Results field of mail.test.example through" 'status says so'
is "$(grep -rl X-Postrider-Setup "$MAIL_STORE" | grep -c '/\(new\|cur\)/')" 0 'the test mails are removed'

done_testing
