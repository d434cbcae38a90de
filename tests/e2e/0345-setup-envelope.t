#!/usr/bin/env bash
# setup learns `envelope` from its round trip: a sender with a tag leads every bounce to its mail, where the server
# takes one and gives back what is sent to it.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/peer.sh"
. "$(dirname "$0")/../lib/setup.sh"
trap 'stop_peer; tidy' EXIT

TAG='agent\+b\.[0-9]+\.[a-z2-7]{16}@test\.example'
echo agent-pw >"$WORK/pw"
conf() { sed -n "s/^$1 = //p" "$CONF"; }

# learn OPTION...: setup of a new home with a peer of these options.
learn()
{
    rm -rf "$HOME_DIR"
    pr init >/dev/null
    cp "$CONF" "$WORK/first.conf"
    start_peer --files-sent "$@" # then nobody waits for a copy in Sent
    cp "$WORK/first.conf" "$CONF"
    run pr setup mail --yes --address agent@test.example --preset "${PRESET:-other}" --host 127.0.0.1 --port "$IMAP" --tls none \
        --smtp-host 127.0.0.1 --smtp-port "$SMTP" --smtp-tls none --user agent@test.example \
        --password-file "$WORK/pw" --owner alice@test.example
}
# What lies in INBOX and Sent of agent.
lying()
{
    python3 - "$IMAP" <<'PY'
import imaplib, sys
imap = imaplib.IMAP4("127.0.0.1", int(sys.argv[1]))
imap.login("agent", "x")
print(*(int(imap.select(f, readonly=True)[1][0]) for f in ("INBOX", "Sent")))
PY
}

learn
is "$STATUS $(conf envelope)" '0 verp' 'a server that takes tags: envelope = verp'
like "$OUT" $'\nenvelope: ok, ' 'in one line'
like "$(grep MAIL "$WORK/log")" "MAIL FROM:<$TAG>" 'the very form that bounces are told by was tried'
like "$(grep RCPT "$WORK/log")" "RCPT TO:<$TAG>" 'both ways'
is "$(conf sent-copy) $(lying)" 'server 0 0' 'nothing is left behind, in Sent neither'
ok 'once more' pr setup mail --yes
like "$OUT" 'nothing is to change' 'changes nothing'

learn --rule '{"on": "MAIL", "answer": "553 5.7.1 not your address"}'
is "$STATUS $(conf envelope)" '0 ' 'a tagged sender is refused: the default stays'
like "$OUT" $'\nenvelope: account: .*553 5.7.1 not your address' 'and the server is quoted'
like "$OUT" 'round trip: ok' 'the rest is well'

learn --rule '{"on": "RCPT", "answer": "550 5.1.1 no such user"}'
is "$STATUS $(conf envelope)" '0 ' 'mail to a tag is refused: bounces would be lost, the default stays'
like "$OUT" $'\nenvelope: account: .*550 5.1.1' 'and that is said'

learn --rule '{"on": "dot", "swallow": true}'
is "$STATUS $(conf envelope)" '0 ' 'taken, and it never comes: the default stays'
like "$OUT" $'\nenvelope: account: .*did not come back' 'and that is said'

learn --rewrites-from other@test.example
is "$STATUS $(conf envelope)" '0 ' 'a server that puts a sender of its own on it: the default stays'
like "$OUT" $'\nenvelope: account: .*another sender' 'and that is said'

pr config set 'account mail' envelope verp
ok 'what was verp' pr setup mail --yes
is "$(conf envelope)" account 'is not any more, once the server does not take it'

PRESET=gmail learn
is "$STATUS $(conf envelope)" '0 ' 'a preset that knows: the default stays'
unlike "$(grep MAIL "$WORK/log")" 'agent\+' 'and nothing is tried'
stop_peer

start_servers 'real servers' || done_testing
rm -rf "$HOME_DIR"
pr init >/dev/null
ok 'Postfix and Dovecot' pr setup mail --yes --address agent@test.example --preset other --host 127.0.0.1 --port "$IMAPS_PORT" \
    --ca-file "$MAIL_CA" --smtp-host 127.0.0.1 --smtp-port "$SUBMISSIONS_PORT" --password-file "$WORK/pw" --owner alice@test.example
is "$(conf envelope)" verp 'take tags'
is "$(find "$MAIL_STORE/agent" -path '*/cur/*' -o -path '*/new/*' -type f | grep -v postrider | wc -l)" 0 'and nothing is left behind'
echo hello | pr send --from envoy --to bob@test.example --subject hello >/dev/null
ok 'a mail' pr submit
came() { grep -hs '^Return-Path' "$MAIL_STORE"/bob/new/*; }
ok 'comes' wait_for came
like "$(came)" "Return-Path: <$TAG>" 'with a sender that its bounce would name'
done_testing
