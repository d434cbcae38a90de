#!/usr/bin/env bash
# A mail that was handed over without an answer is looked for at once, and again while the server may still be
# about to file it; not when the account's process next looks by itself, which is after ten minutes.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/peer.sh"
. "$(dirname "$0")/../lib/serve.sh"

WAIT=25 # less than the half minute between two looks for the same mail
sleeps() { grep '"side": "imap"' "$WORK/log" | grep '"event": "got"' | tail -n 1 | grep -q IDLE; }
is_sent() { [ "$(state "$1")" = "bob sent" ]; }
looks() { grep '"event": "got"' "$WORK/log" | grep -c 'UID SEARCH HEADER'; }

peer_home probe imap
pr config set 'account main' sent-copy server >/dev/null
start_peer --files-sent --rule '{"on": "dot", "lost": true, "times": 0}' \
    --rule '{"on": "UID SEARCH HEADER", "skip": 2, "times": 2, "answer": "* SEARCH\r\n{tag} OK none\r\n"}'
ok 'serve' start_serve
ok 'the account sleeps on its server' wait_for sleeps
mail_to bob@test.example one
ok 'probe: a doubt wakes it, and the mail is found in Sent' wait_for is_sent 1
ok 'it sleeps again' wait_for sleeps
mail_to bob@test.example two
ok 'so does the next, however soon it comes' wait_for is_sent 2
is "$(looks)" 2 'one look each'
mail_to bob@test.example three
ok 'one that is filed a moment later is looked for again' wait_for is_sent 3
is "$(looks) $(accepted)" '5 3' 'until it is there; nothing was sent twice'
stop_serve
is "$SERVE_STATUS" 0 'all ends in order'
done_testing
