#!/usr/bin/env bash
# People at addresses of our own domain who have no mailbox in this home are reached by the submission server.
. "$(dirname "$0")/../lib/tap.sh"

mailserver=$POSTRIDER_SRC/tests/lib/mailserver
trap '"$mailserver" stop "$WORK/server"; tap_end' EXIT
run "$mailserver" start "$WORK/server"
[ "$STATUS" != 77 ] || skip_all "no mail servers here"
[ "$STATUS" = 0 ] || { fail "the servers start" "$ERR"; done_testing; }
. "$WORK/server/env"
[ -n "$SMTP_PORT" ] || skip_all "Postfix needs root"

pr init >/dev/null
cat >"$HOME_DIR/postrider.conf" <<END
[postrider]
owner = alice@test.example
domain = test.example
[smtp]
host = 127.0.0.1
port = $SUBMISSIONS_PORT
ca-file = $MAIL_CA
user = agent@test.example
password-file = password
[account main]
kind = maildir
[brain default]
kind = script
[role envoy]
[role bob]
person = yes
END
(umask 077; echo agent-pw >"$HOME_DIR/password")
at_server() # USER: how many mails lie in their mailbox on the server
{
    python3 - "$MAIL_HOST" "$IMAPS_PORT" "$MAIL_CA" "$1" <<'P'
import imaplib, ssl, sys
host, port, ca, user = sys.argv[1:]
m = imaplib.IMAP4_SSL(host, int(port), ssl_context=ssl.create_default_context(cafile=ca))
m.login(user + "@test.example", user + "-pw")
m.select("INBOX", readonly=True)
print(len(m.search(None, "ALL")[1][0].split()))
P
}
here() { find "$HOME_DIR/mail/$1" -type f -path '*/new/*' 2>/dev/null | wc -l; }
came() { [ "$(at_server "$1")" = "$2" ]; }

ok 'the owner asks' eval 'echo "What is new?" | pr send --from alice@test.example --to envoy --subject News'
pr serve --once 2>>"$WORK/log"
ok 'the answer is in their mailbox on the server' wait_for came alice 1
is "$(here alice)" 0 'and in no folder here that nobody reads'
is "$(db "SELECT count(*) FROM delivery WHERE address = 'alice@test.example' AND state = 'sent'")" 1 'it was sent once'
ok 'who has a mailbox here is written to' eval 'echo Hello | pr send --from envoy --to bob@test.example --subject Hello'
pr serve --once 2>>"$WORK/log"
is "$(here bob) $(at_server bob)" '1 0' 'in that one'
done_testing
