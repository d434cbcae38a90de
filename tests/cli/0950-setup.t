#!/usr/bin/env bash
# setup: asks or takes flags, tests what it was told, shows the difference, then writes; never a secret in sight.
. "$(dirname "$0")/../lib/tap.sh"

. "$(dirname "$0")/../lib/setup.sh"
pr init >/dev/null
cp "$CONF" "$WORK/first.conf"
read_twice() { [ "$(grep -c 'settings read again' "$WORK/serve.log")" = 2 ]; }

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
exits 64 'an owner that is none, before anything is tried' pr setup mail --address a@gmail.com --owner alice --yes
like "$ERR" "owner 'alice' is no address" 'is named'
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
unlike "$OUT" 'serves this home' 'and nobody is told'

# --- who serves the home is told ---
ok 'nothing runs' pr setup limits --max-cost-per-day 3.50 --yes
like "$OUT" "nothing serves this home yet; to start it: postrider --home $HOME_DIR serve" 'how to start it is said'
ok 'serve' start_serve
ok 'while it runs' pr setup limits --max-cost-per-day 3.00 --yes
like "$OUT" "process $SERVE_PID, which serves this home, was told to read it again" 'it is told, and that is said'
ok 'and reads it' wait_for grep -q 'settings read again' "$WORK/serve.log"
ok 'a new role' pr setup role bob --display Bob --yes
like "$(pr config show)" 'role bob\].*bob@postrider.local' 'has its address'
ok 'the master has it' wait_for read_twice
stop_serve
ok 'its mailbox' test -d "$HOME_DIR/mail/bob/new"
ok 'and its first notes' test -s "$HOME_DIR/notes/bob/start.md"

# --- a brain ---
fake good <<'S'
"ready"
"ready"
"ready"
S
echo "$SECRET" >"$WORK/key"
ok 'brain by flags' pr setup brain --kind anthropic --model claude-opus-5-5 --url "$URL" --key-file "$WORK/key" --yes
like "$OUT" 'answer: ok, it says: ready' 'was asked one question'
like "$OUT" "step: the model can't answer with a step as jobs need it .*; do: try a larger one" 'what it can not is told'
fake_end

step='{"reasoning":"ready","status":"complete","current_phase":"complete"}'
fake schema <<S
$step
{"fake": "no-schema"}
$step
S
ok 'a model that answers with a step' pr setup brain --name s1 --kind openai --model m --url "$URL/v1" --yes
like "$OUT" 'it says: ready.*step: ok, it answers in the form that jobs need' 'is told apart'
like "$(cat "$WORK/schema.log")" 'current_phase' 'it was asked with the schema of a step'
ok 'a server that knows no schema' pr setup brain --name s2 --kind openai --model m --url "$URL/v1" --yes
like "$OUT" 'step: ok, though its server takes no JSON schema; the question says it in words' 'is told too'
is "$(db "SELECT count(*) FROM brain WHERE name = 's2' AND lacks > 0")" 1 'and remembered'
fake_end

fake bad <<'S'
{"fake": "401"}
{"fake": "404"}
S
cp "$CONF" "$WORK/before"
exits 78 'a key that is refused' pr setup brain --model other --url "$URL/v1" --yes
like "$OUT" 'answer: failed: .*do: check key, model and url' 'is said in words, with what to do'
is "$(cat "$CONF")" "$(cat "$WORK/before")" 'and nothing is written'
fake_end
ok 'not tested' pr setup brain --model m --url http://127.0.0.1:1/v1 --no-test --yes
ok 'a program' pr setup brain --kind command --command 'sh -c "cat >/dev/null; echo fine"' --yes
like "$OUT" 'it says: fine' 'is run'
ok 'the script of a new home' pr setup brain --kind command --command scripts/hello --yes
like "$OUT" 'it says: Hello, this is envoy, and' 'knows in whose name it is asked'
ok 'a brain that no role has' pr setup brain --name spare --kind command --command scripts/hello --yes
like "$OUT" 'it says: Hello, this is test, and' 'has a name for the test'
stub=$POSTRIDER_SRC/tests/peers/stub-agent
printf 'result ready {prompt}\n' >"$WORK/ready"
echo login >"$WORK/broken"
mkdir "$WORK/bin"
for agent in claude codex opencode; do
    printf '#!/bin/sh\nexec "%s" --mode %s --script "%s" --state "%s" "$@"\n' "$stub" $agent "$WORK/ready" "$WORK/state" >"$WORK/bin/$agent"
    chmod +x "$WORK/bin/$agent"
    ok "$agent is found in PATH" env PATH="$WORK/bin:$PATH" "$PR_BIN" --home "$HOME_DIR" setup brain --name $agent --kind $agent --yes
    like "$OUT" "program: ok, $WORK/bin/$agent, [a-z -]*[0-9]+\.[0-9]+\.[0-9]+.*answer: ok, it says: ready This is a test" 'with its version, and answers'
    like "$(cat "$CONF")" "\[brain $agent\].kind = $agent.?(\[|$)" 'no more than its kind is written'
done
like "$(grep '"exec"' "$WORK/state/calls.jsonl")" '"-s", "read-only"' 'Codex can change nothing while it is tested'
exits 78 'one that is not installed' env PATH=/usr/bin:/bin "$PR_BIN" --home "$HOME_DIR" setup brain --name none --kind codex --yes
like "$OUT" "program: failed: no program 'codex' in PATH; do: install it, or say --command" 'is told as such'
exits 78 'one without a login' pr setup brain --name out --kind claude --command "$stub --script $WORK/broken --state $WORK/state" --yes
like "$OUT" 'answer: failed: Not logged in · Please run /login; do: log in with the program itself' 'in its own words, with what to do'
ok 'a brain is tested again, and nothing changes' env PATH="$WORK/bin:$PATH" "$PR_BIN" --home "$HOME_DIR" setup brain --check --name claude
like "$OUT" 'answer: ok' 'it answers'
exits 66 'one that is not there' pr setup brain --check --name nobody
ok 'of another kind than before' pr setup brain --name claude --kind command --command scripts/hello --yes
ok 'and back' env PATH="$WORK/bin:$PATH" "$PR_BIN" --home "$HOME_DIR" setup brain --name claude --kind claude --yes
like "$OUT" "program: ok, $WORK/bin/claude" 'it is not what the other kind was'
for kind in command script anthropic openai claude codex opencode; do
    like "$(pr help setup)" "--kind [a-z|]*$kind" "setup offers $kind"
done
exits 78 'a script that is not there' pr setup brain --kind script --script scripts/none --yes
like "$OUT" "do: check 'script'" 'is told as such'
exits 78 'a model without a key' env -u ANTHROPIC_API_KEY "$PR_BIN" --home "$HOME_DIR" setup brain --name keyless \
    --kind anthropic --model m --yes
like "$OUT" 'there is no key.*do: say --key-file' 'likewise'
exits 75 'a model that can not be reached' pr setup brain --kind openai --model m --url http://127.0.0.1:1/v1 --yes
like "$OUT" "can't reach.*do: check the url" 'likewise'
exits 78 'a program that is not there' pr setup brain --kind command --command /nowhere/brain --yes

# --- mail ---
start_servers 'mail' || done_testing
echo agent-pw >"$WORK/pw"
echo wrong-pw >"$WORK/wrong"
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
exits 78 'a password file that is not there' setup_mail "${SERVER[@]}" --password-file "$WORK/none"
like "$OUT" 'login: failed: the password file .*do: name a file' 'likewise'
exits 75 'another protocol behind the port' setup_mail "${SERVER[@]}" --smtp-port "$IMAPS_PORT" --password-file "$WORK/pw"
like "$OUT" 'submission: failed: .*do: check that port and encryption fit' 'likewise'
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
cp "$CONF" "$WORK/absolute"
cp "$MAIL_CA" "$HOME_DIR/secrets/ca.pem"
pr config set 'account mail' ca-file secrets/ca.pem
pr config set 'account mail' smtp-ca-file secrets/ca.pem
ok 'a ca-file beneath the home, from elsewhere' env -C / "$PR_BIN" --home "$HOME_DIR" setup mail --check
like "$OUT" $'login: ok.*submission: ok' 'is read by setup as it is by the account'
ok 'which goes by it too' env -C / "$PR_BIN" --home "$HOME_DIR" account mail --once
cp "$WORK/absolute" "$CONF"
ok 'again without flags' setup_mail --no-round-trip
like "$OUT" 'nothing is to change' 'nothing is to change'
run pr doctor --json
unlike "$OUT" 'account mail' 'doctor finds nothing wrong with the servers'
cp "$CONF" "$WORK/working"
pr config set 'account mail' password-command "cat $WORK/wrong"
exits 1 'doctor repeats the tests' pr doctor
like "$OUT" 'account mail.*login: failed|login: failed.*account mail' 'and finds a login that does not work any more'
cp "$WORK/working" "$CONF"

# Pairing: the word is on the terminal alone (0955).
exits 75 'nobody writes in time' setup_mail --pair --pair-within 1s --no-round-trip
like "$OUT" 'pairing: failed: no mail with the word' 'is said'
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
