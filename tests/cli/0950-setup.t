#!/usr/bin/env bash
# setup: asks or takes flags, tests what it was told, shows the difference, then writes; never a secret in sight.
. "$(dirname "$0")/../lib/tap.sh"

CONF=$HOME_DIR/postrider.conf
SECRET=CANARY-pw-81d2
umask 077
FAKE_PID=
tidy()
{
    [ -z "$FAKE_PID" ] || kill "$FAKE_PID" 2>/dev/null
    [ ! -d "$WORK/ms" ] || bash "$POSTRIDER_SRC/tests/lib/mailserver" stop "$WORK/ms"
    tap_end
}
trap tidy EXIT

fake() # NAME, script on stdin: sets URL
{
    cat >"$WORK/$1.jsonl"
    mkfifo "$WORK/$1.port"
    "$POSTRIDER_SRC/tools/fake-model" --with-stdin --script "$WORK/$1.jsonl" --log "$WORK/$1.log" \
        <&"$TAP_NEVER" >"$WORK/$1.port" &
    FAKE_PID=$!
    read -r port <"$WORK/$1.port"
    URL=http://127.0.0.1:$port
}
fake_end() { kill "$FAKE_PID"; wait "$FAKE_PID" 2>/dev/null; FAKE_PID=; }
# talk NAME, an expect script on stdin with spawn already done: the terminal's text is in $WORK/NAME.tty.
talk()
{
    local name=$1
    shift
    {
        echo "log_user 0; set timeout $WAIT; log_file -noappend $WORK/$name.tty"
        echo "proc lost {} { puts stderr {expect: timed out}; exec kill -KILL [exp_pid]; exit 99 }"
        echo "expect_after { timeout lost }"
        echo "spawn -noecho $PR_BIN --home $HOME_DIR $*"
        cat
        echo 'expect eof; exit [lindex [wait] 3]'
    } >"$WORK/$name.exp"
    run timeout -k 1 60 expect "$WORK/$name.exp"
    [ "$STATUS" -lt 99 ] && [ -z "$ERR" ] || diag "$name: $ERR"
    TTY=$(tr -d '\r' <"$WORK/$name.tty")
}
mode_of() { stat -c %a "$1"; }

pr init >/dev/null
cp "$CONF" "$WORK/first.conf"

# --- wrong input ---
run pr setup
like "$OUT" 'setup mail.*setup brain.*setup role.*setup limits.*setup service' 'setup alone lists its parts'
exits 64 'a part that is none' pr setup brian
like "$ERR" "did you mean 'brain'" 'is told with the nearest'
exits 64 'a flag that is none' pr setup limits --max-money 3
exits 64 'an amount that is none' pr setup limits --max-cost-per-day much --yes
like "$ERR" "max-cost-per-day 'much': expected an amount" 'is named'
exits 64 'a preset that is none' pr setup mail --address a@example.org --preset gmial --yes
like "$ERR" "did you mean 'gmail'" 'gets the nearest'
exits 64 'an address that is none' pr setup mail --address a-example.org --yes
exits 64 'no way to log in' pr setup mail --address a@gmail.com --yes
like "$ERR" 'needs --password-file' 'is said'
exits 64 'a role of a bad name' pr setup role 'A B' --yes
exits 78 'a role whose brain is not there' pr setup role bob --brain nobody --yes
like "$ERR" 'there is no \[brain nobody\]' 'says so'
is "$(cat "$CONF")" "$(cat "$WORK/first.conf")" 'nothing of this has written anything'
echo 'nonsense' >>"$CONF"
exits 78 'settings that are wrong already' pr setup limits --yes
cp "$WORK/first.conf" "$CONF"

# --- the difference ---
exits 64 'without a terminal and --yes' pr setup limits --max-cost-per-day 3.00
like "$OUT" $'\n  \\[postrider\\]\n\\+ max-cost-per-day = 3.00' 'the difference is shown'
is "$(cat "$CONF")" "$(cat "$WORK/first.conf")" 'and nothing written'
ok 'with --yes' pr setup limits --max-cost-per-day 3.00 --max-iterations 5 --yes
is "$(diff "$WORK/first.conf" "$CONF" | grep '^[<>]' | sort | tr '\n' ' ')" '> max-cost-per-day = 3.00 > max-iterations = 5 ' \
    'two lines are new and every comment stays'
is "$(cat "$CONF.bak")" "$(cat "$WORK/first.conf")" 'the file as it was is kept'
is "$(mode_of "$CONF") $(mode_of "$CONF.bak")" '600 600' 'both closed to others'
ok 'again' pr setup limits --max-cost-per-day 3.00 --yes
like "$OUT" 'nothing is to change' 'changes nothing'
ok 'a new role' pr setup role bob --display Bob --yes
like "$(pr config show)" 'role bob\].*bob@postrider.local' 'has its address'
ok 'its mailbox' test -d "$HOME_DIR/mail/bob/new"
ok 'and its first notes' test -s "$HOME_DIR/notes/bob/start.md"

# --- at a terminal ---
talk limits setup limits <<'X'
expect {spend in a day \[3.00]: }; send "lots\r"
expect "expected an amount"
expect {spend in a day \[3.00]: }; send "4.50\r"
expect {round of 'envoy' may cost \[2.00]: }; send "\r"
expect {Steps in one run \[5]: }; send "\r"
expect {before it asks \[24]: }; send "\r"
expect {same time \[2]: }; send "\r"
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

# --- a brain ---
fake good <<'S'
"ready"
"ready"
"ready"
S
echo "$SECRET" >"$WORK/key"
ok 'brain by flags' pr setup brain --kind anthropic --model claude-opus-5-5 --url "$URL" --key-file "$WORK/key" --yes
like "$OUT" 'answer: ok, it says: ready' 'was asked one question'
talk brain setup brain --kind openai --url "$URL/v1" <<X
expect "Model"; send "tiny-1\r"
expect "API key"; send "$SECRET\r"
expect "answer: ok"
expect "Write it?"; send "y\r"
expect "kept:"
X
is "$STATUS" 0 'brain at a terminal'
unlike "$TTY" "$SECRET" 'the key is not shown'
is "$(cat "$HOME_DIR/secrets/default.key") $(mode_of "$HOME_DIR/secrets/default.key")" "$SECRET 600" 'it is kept, closed to others'
is "$(ls -A "$HOME_DIR/secrets")" 'default.key' 'and nowhere else'
like "$(cat "$CONF")" 'key-file = secrets/default.key' 'the settings name its file'
is "$(python3 -c 'import json,sys; print(json.loads(open(sys.argv[1]).readlines()[-1])["key"])' "$WORK/good.log")" "$SECRET" \
    'the model got the new key in the test already'
is "$(grep -rl "$SECRET" "$HOME_DIR")" "$HOME_DIR/secrets/default.key" 'no other file has it'
fake_end

fake bad <<'S'
{"fake": "401"}
{"fake": "404"}
S
cp "$CONF" "$WORK/before"
exits 78 'a key that is refused' pr setup brain --model other --url "$URL/v1" --yes
like "$OUT" 'answer: failed: .*do: check key, model and url' 'is said in words, with what to do'
is "$(cat "$CONF")" "$(cat "$WORK/before")" 'and nothing is written'
talk keybad setup brain --url "$URL/v1" <<'X'
expect "What thinks"; send "\r"
expect "Model"; send "\r"
expect "API key"; send "another-key-9\r"
expect "answer: failed"
expect "Go on all the same?"; send "\r"
X
isnt "$STATUS" 0 'at a terminal too'
is "$(cat "$HOME_DIR/secrets/default.key") $(ls -A "$HOME_DIR/secrets")" "$SECRET default.key" 'the key that works is still there'
fake_end
talk interrupt setup brain --kind openai --model m <<'X'
expect "URL"; send "\r"
expect "API key"; send "half-a-key\003"
expect "no answer; nothing was changed"
X
is "$STATUS" 75 'Ctrl-C at the hidden prompt ends it'
unlike "$TTY$(ls -A "$HOME_DIR/secrets")" 'half-a-key|new' 'and leaves nothing'
ok 'not tested' pr setup brain --model m --url http://127.0.0.1:1/v1 --no-test --yes
ok 'a program' pr setup brain --kind command --command 'sh -c "cat >/dev/null; echo fine"' --yes
like "$OUT" 'it says: fine' 'is run'
exits 78 'a program that is not there' pr setup brain --kind command --command /nowhere/brain --yes

# --- mail ---
(umask 022; exec bash "$POSTRIDER_SRC/tests/lib/mailserver" start "$WORK/ms") >/dev/null 2>"$WORK/ms.err"
case $? in
0) . "$WORK/ms/env" ;;
*) skip 'mail' "no mail servers: $(head -n 1 "$WORK/ms.err")"; rm -rf "$WORK/ms"; done_testing ;;
esac
[ -n "$SUBMISSIONS_PORT" ] || { skip 'mail' 'no Postfix without root'; done_testing; }
echo agent-pw >"$WORK/pw"
echo wrong-pw >"$WORK/wrong"
mail() # FROM TO SUBJECT [HEADER]...: by SMTP
{
    python3 - "$SMTP_PORT" "$@" <<'PY'
import smtplib, sys
port, sender, to, subject, *more = sys.argv[1:]
head = "".join(h + "\r\n" for h in more)
text = f"{head}From: {sender}\r\nTo: {to}\r\nSubject: {subject}\r\nDate: Sun, 15 Nov 2026 09:00:00 +0000\r\n\r\nhello\r\n"
smtplib.SMTP("127.0.0.1", int(port)).sendmail(sender, [to], text)
PY
}
# Digest and flags of each mail in INBOX and Sent; the server itself moves it from new to cur.
lying()
{
    find "$MAIL_STORE/agent"/{new,cur,.Sent} -type f \( -path '*/new/*' -o -path '*/cur/*' \) -exec sha256sum {} + 2>/dev/null |
        sed 's|  .*/[^:]*:2,| |; s|  .*| |' | sort
}
mail alice@test.example agent@test.example 'an old mail'
mail bob@test.example agent@test.example 'another'
old_mail_lies() { [ "$(lying | wc -l)" = 2 ]; }
ok 'two old mails lie there' wait_for old_mail_lies

setup_mail() { pr setup mail --yes "$@"; }
SERVER=(--address agent@test.example --preset other --host 127.0.0.1 --port "$IMAPS_PORT" --ca-file "$MAIL_CA"
    --smtp-host 127.0.0.1 --smtp-port "$SUBMISSIONS_PORT")
cp "$CONF" "$WORK/before"
exits 78 'a wrong password' setup_mail "${SERVER[@]}" --password-file "$WORK/wrong"
like "$OUT" 'login: failed: .*do: check the login name and the password' 'is said, with what to do'
exits 75 'a wrong port' setup_mail "${SERVER[@]}" --port 1 --password-file "$WORK/pw"
like "$OUT" 'login: failed: .*do: check host and port' 'likewise'
exits 78 'a certificate that nobody vouches for' setup_mail "${SERVER[@]}" --ca-file /etc/ssl/certs/ca-certificates.crt --password-file "$WORK/pw"
like "$OUT" 'login: failed: .*--ca-file' 'likewise'
exits 78 'a folder that is not there' setup_mail "${SERVER[@]}" --folder Nowhere --password-file "$WORK/pw"
like "$OUT" 'folder: failed: .*--folder' 'likewise'
exits 75 'a submission server that is not there' setup_mail "${SERVER[@]}" --smtp-port 1 --password-file "$WORK/pw"
like "$OUT" $'push: ok.*\nsubmission: failed' 'is noticed after the login'
exits 78 'a password program that can not be started' setup_mail "${SERVER[@]}" --password-command /nowhere/pass
like "$OUT" 'login: failed: .*do: run that program by hand' 'likewise'
is "$(cat "$CONF")" "$(cat "$WORK/before")" 'none of these has written anything'

lying >"$WORK/lying"
ok 'mail by flags' setup_mail "${SERVER[@]}" --password-command "cat $WORK/pw" --owner alice@test.example --authserv-id mail.test.example
like "$OUT" $'login: ok.*\nfolder: ok, 2 mails lie in INBOX: none of them is work, none is touched\npush: ok.*\nsubmission: ok.*\nround trip: ok' \
    'each step has its line'
is "$(lying | diff - "$WORK/lying")" '' 'the round trip leaves no trace, old mail keeps bytes and flags'
like "$OUT" $'\nmail that comes from now on is work' 'the first visit is made'
mail alice@test.example agent@test.example 'the first that counts' \
    'Authentication-Results: mail.test.example; dmarc=pass header.from=test.example'
three_lie() { [ "$(lying | wc -l)" = 3 ]; }
ok 'a mail comes while nothing runs' wait_for three_lie
ok 'a pass later' pr account mail --once
is "$(pr mail list --json | python3 -c 'import json,sys; print(len(json.load(sys.stdin)))') $(find "$HOME_DIR/mail/envoy/new" -type f | wc -l)" '0 1' \
    'it is there, and no older one'
like "$(cat "$CONF")" 'owner = alice@test.example' 'the owner is set'
like "$(cat "$CONF")" 'address = agent@test.example' "the role's address too"
unlike "$(cat "$CONF")" 'sent-copy' 'and we file Sent here, which is the default'
ok 'the checks again' pr setup mail --check
like "$OUT" $'login: ok.*submission: ok' 'say the same'
ok 'again without flags' setup_mail --no-round-trip
like "$OUT" 'nothing is to change' 'nothing is to change'
run pr doctor --json
unlike "$OUT" 'account mail' 'doctor finds nothing wrong with the servers'
cp "$CONF" "$WORK/working"
pr config set 'account mail' password-command "cat $WORK/wrong"
exits 1 'doctor repeats the tests' pr doctor
like "$OUT" 'account mail.*login: failed|login: failed.*account mail' 'and finds a login that does not work any more'
cp "$WORK/working" "$CONF"

# Pairing: the word is on the terminal alone.
exits 75 'nobody writes in time' setup_mail --pair --pair-within 1s --no-round-trip
like "$OUT" 'pairing: failed: no mail with the word' 'is said'
cp "$WORK/before" "$CONF"
cat >"$WORK/send" <<X
#!/bin/bash
$(declare -f mail)
SMTP_PORT=$SMTP_PORT
mail mallory@test.example agent@test.example "out of office: \$1" 'Auto-Submitted: auto-replied'
mail bob@test.example agent@test.example "the word is \${1^^}" 'Authentication-Results: mail.test.example; dmarc=pass header.from=test.example'
X
chmod +x "$WORK/send"
talk pair setup mail --port "$IMAPS_PORT" --ca-file "$MAIL_CA" --smtp-port "$SUBMISSIONS_PORT" --no-round-trip <<X
expect "Address of the mailbox"; send "agent@test.example\r"
expect {Provider: *\[other]: }; send "dovecot\r"
expect {IMAP server \[localhost]: }; send "127.0.0.1\r"
expect {implicit, starttls, none \[implicit]: }; send "\r"
expect {Server that sends; empty: none \[localhost]: }; send "127.0.0.1\r"
expect {implicit, starttls, none \[starttls]: }; send "implicit\r"
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
ok 'the owner has this very mailbox' setup_mail --owner agent@test.example --no-round-trip
like "$(cat "$CONF")" 'address = agent\+envoy@test.example' 'then mail to the role carries a tag'

# A mailbox has one home.
OTHER=$WORK/other
"$PR_BIN" --home "$OTHER" init >/dev/null
exits 78 'a second home is told at once' "$PR_BIN" --home "$OTHER" setup mail --yes "${SERVER[@]}" --password-file "$WORK/pw" \
    --owner bob@test.example --no-round-trip
like "$ERR" 'another home works in this mailbox.*--take-over' 'and what to do'
exits 0 'another home takes the mailbox over' "$PR_BIN" --home "$OTHER" setup mail --take-over
exits 78 'the first one refuses then' pr account mail --once
like "$ERR" "worked by another home, '[^']*$OTHER'" 'and names the other'

done_testing
