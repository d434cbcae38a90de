#!/usr/bin/env bash
# A briefing by a server that puts a Message-ID of its own on our mail: .briefing-sent keeps ours, a reply that names only the server's is a
# reply to the briefing, and the answer hangs below both ids in its reader's thread.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/peer.sh"
D=2026-02-09
R=$HOME_DIR/reports/$D
OURS="<envoy-$D@envoy.local>"
person() { "$POSTRIDER_SRC/tests/peers/person" "$IMAP" "$SMTP" "$@"; }
once() { pr serve --once >/dev/null 2>&1; pr serve --once >/dev/null 2>&1; }
header() { person carol read "$2" | python3 -c 'import email, sys
print(" ".join((email.message_from_file(sys.stdin)[sys.argv[1]] or "").split()))' "$1"; }
sent_says() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$R/.briefing-sent" "$1"; }
for tells in reply header nobody; do
    peer_home hold imap
    sed -i 's/^role = envoy/&\nmessage-id = server\nsent-copy = server/' "$HOME_DIR/postrider.conf"
    pr config set postrider owner carol@test.example
    pr config set report role envoy
    printf '#!/bin/sh\ncat >/dev/null\necho "Answer: nine."\n' >"$HOME_DIR/scripts/hello"
    start_peer --rewrite-message-id "$tells" --files-sent --rewrites-from 'Agency <agent@test.example>'
    once
    is "$(echo '# Good morning' | pr briefing send "$D" -)" "$OURS" "$tells: a briefing is sent under our id"
    once
    server=$(header Message-ID 'Good morning')
    like "$server" '^<server.[0-9]+@peer.example>$' "$tells: its reader has it under the server's"
    is "$(sent_says messageId)" "$OURS" "$tells: .briefing-sent keeps ours"
    is "$(pr --json outbox list --all | python3 -c 'import json, sys; print(*[r["message_id"].strip("<>") for r in json.load(sys.stdin) if str(r["id"]) == sys.argv[1]])' "$(sent_says resendId)")" \
        "envoy-$D@envoy.local" "$tells: resendId is the mail's number in the outbox"
    person carol reply-bare 'Good morning' 'Still at nine?'
    once
    once
    ok "$tells: a reply that names only the server's id is a reply to the briefing" grep -q '^Still at nine?' "$R/responses/01-reply.md"
    is "$(cat "$R/responses/01-response.md")" 'Answer: nine.' "$tells: and is answered"
    is "$(pr --json job list --all | grep -c '"id"')" 1 "$tells: by the job of the date"
    references=$(header References 'Answer: nine')
    like "$references" "^$OURS " "$tells: the References of the answer begin with our id"
    like "$references" "$server" "$tells: the server's stands there, too"
    like "$(header In-Reply-To 'Answer: nine')" '^<carol\.[0-9]+@test.example>$' "$tells: it answers the reply"
done
done_testing
