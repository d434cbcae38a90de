#!/usr/bin/env bash
# A real Postfix that puts a Message-ID of its own on our mail and files it in Sent, with a real Dovecot: the new id is
# learnt from there before an answer that names nothing else is taken in, also by a master whose parts are killed.
export MAILSERVER_RENAMES=postrider.local
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"
. "$(dirname "$0")/../lib/imap.sh"
. "$(dirname "$0")/../lib/steps.sh"

imap_start
[ -n "$SUBMISSION_PORT" ] || skip_all 'no Postfix without root'
ok 'a home whose server renames mail' imap_home
cat >>"$HOME_DIR/postrider.conf" <<END

[smtp]
host = 127.0.0.1
port = $SUBMISSION_PORT
tls = starttls
ca-file = $MAIL/ca.pem
user = agent@test.example
password-file = secret
END
sed -i 's/^role = envoy/&\nmessage-id = server\nsent-copy = server/' "$HOME_DIR/postrider.conf"
pr config set trust principals alice@test.example
pr config set 'brain default' kind command
pr config set 'brain default' command "$HOME_DIR/scripts/think"
pr config set 'role envoy' mode steps
cat >"$HOME_DIR/scripts/think" <<END
#!/bin/sh
read -r n <'$WORK/n'
echo \$((n += 1)) >'$WORK/n'
cat >'$WORK/seen.'\$n
sed -n "\${n}p" '$WORK/answers'
END
chmod +x "$HOME_DIR/scripts/think"
answers <<'END'
{"status":"waiting","current_phase":"waiting","working_note":"asked","send_emails":[{"to":["alice@test.example"],"subject":"Choose","body":"Which one?"}],"wait":{"for":"reply"}}
{"status":"complete","current_phase":"complete","send_emails":[{"to":["alice@test.example"],"subject":"Thanks","body":"All done."}]}
END
person() { "$POSTRIDER_SRC/tests/peers/person" "$IMAP_PORT" "$SMTP_PORT" "$@"; }
has() { person "$1" read "$2" >"$WORK/read" 2>/dev/null; }
in_sent() { box subjects Sent 2>/dev/null | grep -q "$1"; }

start_serve
ok 'the first visit' wait_for visited
pr inject --subject choose </dev/null >/dev/null
ok 'a mail of a job reaches alice' wait_for has alice Which
like "$(cat "$WORK/read")" 'Message-ID: <re\.[^>]*@mail.test.example>' 'under an id of the server'
ok 'which has filed it in Sent' wait_for in_sent Choose
ok 'the job waits' wait_for job_is parked
kill -KILL "$(remote_pid)"
person alice reply-bare Which 'The blue one.'
ok 'an answer that names only that id wakes it, though the account was killed' wait_for job_is done
like "$(seen 2)" 'The blue one' 'and is shown to it'
ok 'it answers' wait_for has alice 'All done'
is "$(jobs)" 1 'there is no other job'
stop_serve
done_testing
