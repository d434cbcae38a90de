#!/usr/bin/env bash
# postrider sendmail takes what programs hand to a sendmail.
. "$(dirname "$0")/../lib/tap.sh"

rcpts() { db "SELECT group_concat(address, ' ') FROM (SELECT address FROM delivery WHERE outbox = (SELECT max(id) FROM outbox) ORDER BY id)"; }
bytes() { db "SELECT CAST(bytes AS TEXT) FROM outbox ORDER BY id DESC LIMIT 1"; }

ok 'a home' pr init
printf 'From: you@postrider.local\nTo: envoy@postrider.local\nBcc: Kim <kim@example.org>,\n lee@example.org\nSubject: x\n\nhidden\n' >"$WORK/mail"
ok 'a mail with Bcc' bash -c '"$1" --home "$2" sendmail -t <"$3"' - "$PR_BIN" "$HOME_DIR" "$WORK/mail"
is "$(rcpts)" 'envoy@postrider.local kim@example.org lee@example.org' 'goes to all of them'
unlike "$(bytes)" 'example.org' 'and names them to nobody'

done_testing
