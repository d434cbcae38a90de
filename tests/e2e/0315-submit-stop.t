#!/usr/bin/env bash
# A stop while a mail is handed over and its answer does not come. The sender ends by itself within `drain`, and
# leaves the mail in doubt: not lost, not sent again.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/peer.sh"
. "$(dirname "$0")/../lib/serve.sh"

handed_over() { grep -q '"event": "data"' "$WORK/log"; }
why() { pr --json outbox list --all | python3 -c 'import json,sys; print(json.load(sys.stdin)[-1]["why"])'; }
# The newest mail to bob: a question to the owner may have been written before it.
is_sent()
{
    pr --json outbox list --all | python3 -c 'import json,sys
sys.exit(not any(r["message_id"] == sys.argv[1] and r["state"] == "sent" for r in json.load(sys.stdin)))' "$(cat "$WORK/msgid")"
}

# stop_while CASE WANT DRAIN RULE: stops the master between a mail and its answer. One that is killed in the end
# leaves the mail `sending`.
stop_while()
{
    pr config set postrider drain "$3" >/dev/null
    start_peer --rule "$4"
    start_serve
    mail_to bob@test.example plans
    ok "$1: a mail is handed over" wait_for handed_over
    stop_serve
    is "$SERVE_STATUS $(state 1)" "0 $2" "$1: the stop ends in order, the mail is in its place"
}

for mode in hold probe; do
    peer_home "$mode"
    stop_while "$mode, a 250 that trickles in" 'bob in_doubt' 1s '{"on": "dot", "split": 1, "pause": 1}'
    like "$(why)" 'no answer to the whole mail: asked to stop' "$mode: it says why"
    ID=$(cat "$WORK/msgid")
    start_peer
    mail_to bob@test.example next
    start_serve
    ok "$mode: the next master goes on" wait_for is_sent
    stop_serve
    is "$(state 1) $(taken "$ID")" 'bob in_doubt 0' "$mode: and sends nothing again"
done

peer_home hold
stop_while 'an answer within the time' 'bob sent' 1m '{"on": "dot", "delay": 1}'

# The local sendmail may hang too.
peer_home hold
sed -i '/^\[smtp\]/,/^password-file/d; s/^in-doubt.*/&\nsmtp = sendmail/' "$HOME_DIR/postrider.conf"
pr config set postrider drain 1s >/dev/null
mkdir "$WORK/bin"
mkfifo "$WORK/hang"
cat >"$WORK/bin/sendmail" <<END
#!/bin/sh
cat >/dev/null
echo \$\$ >'$WORK/sendmail.pid'
read -r _ <'$WORK/hang'
END
chmod +x "$WORK/bin/sendmail"
PATH=$WORK/bin:$PATH start_serve
mail_to bob@test.example plans
ok 'sendmail hangs' wait_for test -s "$WORK/sendmail.pid"
stop_serve
is "$SERVE_STATUS $(state 1)" '0 bob in_doubt' 'the stop ends in order, the mail is in doubt'
gone() { ! kill -0 "$(cat "$WORK/sendmail.pid")" 2>/dev/null; }
ok 'which is gone' wait_for gone
done_testing
