#!/usr/bin/env bash
# Passwords and API keys that systemd hands to the service (LoadCredential=): named in the settings, read where the
# service reads, and nowhere else.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/setup.sh"
handed() { CREDENTIALS_DIRECTORY=$WORK/creds "$@"; }

# As systemd leaves them: root's, readable for us by an ACL or given to us; never writable, never for others.
mkdir "$WORK/creds"
echo "$SECRET" >"$WORK/creds/model"
echo agent-pw >"$WORK/creds/mail"
chmod 400 "$WORK"/creds/*
chmod 500 "$WORK/creds"
pr init >/dev/null

# --- an API key ---
fake model <<'S'
"ready"
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"the answer"}]}
S
brain() { pr setup brain --kind anthropic --model m --url "$URL" --key-file credential:model --yes "$@"; }
cp "$CONF" "$WORK/before"
exits 78 'a key of the service, outside of it' brain
like "$OUT" "the credential 'model' is there in the service alone.*do: say --no-test" 'can not be tested, which is said'
is "$(cat "$CONF")" "$(cat "$WORK/before")" 'and nothing is written'
ok 'with what systemd hands over' handed brain
like "$OUT" 'answer: ok, it says: ready' 'it is'
like "$(cat "$CONF")" 'key-file = credential:model' 'the settings have its name alone'
handed start_serve
ok 'a job of the service' pr ask 'hello'
like "$OUT" 'the answer' 'is worked'
stop_serve
is "$(python3 -c 'import json,sys; print(*{json.loads(l)["key"] for l in open(sys.argv[1])})' "$WORK/model.log")" "$SECRET" 'by that key'
fake_end
not_ok 'which no file of the home has' grep -rq "$SECRET" "$HOME_DIR"

# --- the unit ---
run pr setup service --print --system
like "$OUT" $'\nLoadCredential="model"\n' 'the unit asks for what the settings name'
run pr setup service --print --system --credential model:/etc/keys/model --credential more:/etc/keys/more
like "$OUT" $'\nLoadCredential="model:/etc/keys/model"\nLoadCredential="more:/etc/keys/more"\n' 'from where it is said, and only once'
ok 'written' pr setup service --system --dir "$WORK/units" --yes
like "$OUT" '/etc/credstore/model; for another place say --credential model:/PATH' 'where it is taken from is said'
if command -v systemd-analyze >/dev/null; then
    ok 'systemd takes it' env XDG_RUNTIME_DIR="$WORK" SYSTEMD_LOG_LEVEL=warning \
        systemd-analyze verify --system --man=no "$WORK/units/postrider.service"
else
    skip 'systemd takes it' 'no systemd-analyze'
fi

# A program that works as an agent does not hear of it.
cat >"$HOME_DIR/scripts/hello" <<'X'
#!/bin/sh
echo "credentials: ${CREDENTIALS_DIRECTORY:-none}"
X
ok 'a program' pr setup brain --kind command --command scripts/hello --yes --no-test
handed start_serve
ok 'at work' pr ask 'hello'
like "$OUT" 'credentials: none' 'does not know where they are'
stop_serve

# --- passwords ---
start_servers 'mail' || done_testing
account() { pr setup mail --yes --address agent@test.example --preset other --host 127.0.0.1 --port "$IMAPS_PORT" --ca-file "$MAIL_CA" \
    --smtp-host 127.0.0.1 --smtp-port "$SUBMISSIONS_PORT" --owner alice@test.example --password-file credential:mail "$@"; }
exits 78 'a password of the service, outside of it' account
like "$OUT" "login: failed: the credential 'mail' .*do: say --no-test" 'likewise'
ok 'with what systemd hands over' handed account
like "$OUT" $'login: ok.*submission: ok.*round trip: ok.*\nmail that comes from now on is work' 'login, sending and first visit work'
is "$(grep -c 'password-file = credential:mail' "$CONF")" 2 'both servers are named by it'
run pr setup service --print --system
like "$OUT" $'\nLoadCredential="mail"\n' 'the unit asks for it'
ok 'the checks outside of the service' pr setup mail --check
like "$OUT" 'login: not tested: systemd hands its password to the service alone' 'say that they can not tell'
run pr doctor
unlike "$OUT" 'login: failed' 'and doctor takes it for no fault'
ok 'the checks inside' handed pr setup mail --check
like "$OUT" 'login: ok' 'are made'

done_testing
