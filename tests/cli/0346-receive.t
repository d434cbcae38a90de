#!/usr/bin/env bash
# receive: the door for an MTA's pipe.
. "$(dirname "$0")/../lib/tap.sh"

pr init >/dev/null
exits 64 'whose mailbox?' pr receive
exits 66 'nobody has it' pr receive --role nobody </dev/null
printf 'From: ann@example.org\nTo: envoy@postrider.local\nMessage-ID: <a@x>\nSubject: hello\n\nhello\n' >"$WORK/mail"
take() { pr receive --role envoy <"$WORK/mail"; }
ok 'a mail on standard input' take
is "$(cat "$HOME_DIR"/mail/envoy/new/*)" "$(cat "$WORK/mail")" 'is filed as it came'
pr serve --once 2>/dev/null
is "$(pr --json mail list | python3 -c 'import json,sys; print(*(m["state"] for m in json.load(sys.stdin)))')" held 'as mail from outside'

done_testing
