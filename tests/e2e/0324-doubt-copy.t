#!/usr/bin/env bash
# `in-doubt = probe` where the server files nothing in Sent: one more recipient of the same mail, account+sent-…@,
# whose copy proves that the server took it. The copy is known by its token, and is nobody's mail.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/peer.sh"
. "$(dirname "$0")/../lib/serve.sh"

TAG='agent\+sent-1\.[0-9]+\.[a-z2-7]{16}@test\.example'
lost='{"on": "dot", "lost": true}'                 # taken, and the answer is lost
gone='{"on": "dot", "skip": 1, "answer": "", "end": "close"}' # the second mail: not even taken
sleeps() { grep '"side": "imap"' "$WORK/log" | grep '"event": "got"' | tail -n 1 | grep -q IDLE; }
is_sent() { [ "$(state "$1")" = 'bob sent' ]; }
jobs() { pr --json job list --all | grep -c '"id"'; }
mails() { pr --json mail list --role envoy | grep -c '"id"'; }
files() { find "$HOME_DIR/mail/envoy/new" "$HOME_DIR/mail/envoy/cur" -type f | wc -l; }
why() { pr --json outbox list --all | python3 -c 'import json,sys; print(json.load(sys.stdin)[-1]["why"])'; }

probe_home()
{
    peer_home probe imap
    pr config set 'account main' envelope verp >/dev/null
    start_peer --delivered-to "$@"
}

probe_home --rule "$lost"
ok 'serve' start_serve
ok 'the account sleeps on its server' wait_for sleeps
mail_to bob@test.example plans
ok 'a copy that comes settles the doubt' wait_for is_sent 1
like "$(why)" 'arrived: our own copy came back' 'and says so'
like "$(grep RCPT "$WORK/log")" "RCPT TO:<$TAG>" 'it went to an address that nobody can guess'
is "$(accepted)" 1 'in the same mail'
stop_serve
is "$(files) $(mails) $(jobs)" '0 0 0' 'it is no work, and no mail that anybody here is shown'

# It comes while the answer is awaited: nobody waits for nothing, and a stop loses no proof.
probe_home --rule '{"on": "dot", "delay": 300}'
pr config set postrider drain 1s >/dev/null
ok 'serve' start_serve
ok 'the account sleeps on its server' wait_for sleeps # what lies there at the first visit is nobody's
mail_to bob@test.example plans
ok 'a copy that comes before the answer counts too' wait_for is_sent 1
stop_serve
is "$(state 1)" 'bob sent' 'however the wait ends'

# A server that puts a Message-ID of its own on it, and tells nobody.
probe_home --rewrite-message-id nobody --rule "$lost"
pr config set 'account main' message-id server >/dev/null
pr serve --once >/dev/null 2>&1
ok 'the first visit' pr account main --once
mail_to bob@test.example plans
pr submit 2>/dev/null
ok 'a copy under another id' pr account main --once
is "$(state 1) $(files) $(pr show '<server.1@peer.example>' 2>/dev/null | grep -c plans)" 'bob sent 0 1' 'proves the same, and teaches that id'

# The copy of one try says nothing about the next.
probe_home --rule '{"on": "RCPT TO:<carol@test.example>", "answer": "451 4.2.0 later"}' --rule "$gone"
pr serve --once >/dev/null 2>&1
ok 'the first visit' pr account main --once
echo hello | pr send --from envoy --to bob@test.example --to carol@test.example --subject two >/dev/null
pr submit 2>/dev/null
is "$(state 1 | tr '\n' ' ')" 'bob sent carol retry ' 'one has it, one is tried again'
pr outbox retry 1 >/dev/null
pr submit 2>/dev/null
is "$(state 1 | tr '\n' ' ')" 'bob sent carol in_doubt ' 'and is in doubt then'
is "$(grep -oE "RCPT TO:<$TAG>" "$WORK/log" | sort -u | wc -l)" 2 'each try has its own token'
ok 'the copy of the first try comes' pr account main --once
is "$(state 1 | tr '\n' ' ')$(files)" 'bob sent carol in_doubt 0' 'and proves nothing about the second'

# A guess is a mail like any other.
probe_home --rule "$gone"
pr serve --once >/dev/null 2>&1
ok 'the first visit' pr account main --once
python3 - "$SMTP" <<'PY'
import smtplib, sys
text = "From: carol@test.example\r\nTo: agent+sent-1.7.aaaaaaaaaaaaaaaa@test.example\r\nSubject: hi\r\nMessage-ID: <g@test.example>\r\n\r\nhello\r\n"
smtplib.SMTP("127.0.0.1", int(sys.argv[1])).sendmail("carol@test.example", ["agent+sent-1.7.aaaaaaaaaaaaaaaa@test.example"], text)
PY
mail_to bob@test.example plans
pr submit 2>/dev/null
ok 'a guessed token comes' pr account main --once
pr serve --once >/dev/null 2>&1
is "$(state 1) $(jobs)" 'bob in_doubt 1' 'a guess settles nothing, and is a mail like any other'

peer_home probe imap
start_peer
mail_to bob@test.example plans
pr submit
like "$(grep RCPT "$WORK/log")" 'RCPT TO:<agent@test.example>' 'where tags are not known to work the plain address is used'
stop_peer

# Real servers.
MAIL=$WORK/ms
trap 'stop_peer; "$POSTRIDER_SRC/tests/lib/mailserver" stop "$MAIL" >/dev/null 2>&1; tap_end' EXIT
run "$POSTRIDER_SRC/tests/lib/mailserver" start "$MAIL"
[ "$STATUS" = 0 ] && . "$MAIL/env" && [ -n "$SUBMISSIONS_PORT" ] || { skip 'real servers' 'none here'; done_testing; }
peer_home probe imap
sed -i '/^\[smtp\]/,/^password-file/d; s/^tls = none/tls = implicit/; /^port = /d' "$HOME_DIR/postrider.conf"
for pair in "port $IMAPS_PORT" "ca-file $MAIL_CA" 'envelope verp' 'smtp-host 127.0.0.1' "smtp-port $SUBMISSIONS_PORT" \
    'smtp-tls implicit' "smtp-ca-file $MAIL_CA" 'smtp-user agent@test.example' 'smtp-password-file password'; do
    pr config set 'account main' ${pair} >/dev/null
done
pr serve --once >/dev/null 2>&1
ok 'the first visit' pr account main --once
mail_to bob@test.example plans
POSTRIDER_POINTS=$WORK/points POSTRIDER_DIE_AT=submit-answered pr submit 2>/dev/null
pr submit 2>/dev/null
is "$(state 1)" 'bob in_doubt' 'Postfix: the sender dies before it can write the answer down'
looked() { pr account main --once && is_sent 1; }
ok 'Dovecot has the copy: it was sent' wait_for looked
is "$(files) $(mails)" '0 0' 'and it is nobody'"'"'s mail'
done_testing
