#!/usr/bin/env bash
# A mail's file is opened once while its job is worked on, however often the mail is wanted: its text for the
# program, its attachments for in/, its links for the policy, its headers for the answer.
. "$(dirname "$0")/../lib/tap.sh"
strace -o /dev/null true 2>/dev/null || skip_all 'no strace here'

pr init >/dev/null
printf '#!/bin/sh\ncat >prompt\necho "see https://example.org/page?a=1"\n' >"$HOME_DIR/scripts/links"
chmod 700 "$HOME_DIR/scripts/links"
pr config set 'brain default' command scripts/links
echo 'column a,b' >"$WORK/data.csv"

send() { echo 'look at https://example.org/page?a=1' | pr send --to envoy -a "$WORK/data.csv"; }
ok 'a mail with an attachment and a link' send
pr deliver 2>/dev/null
name=$(basename "$(find "$HOME_DIR/mail/envoy/new" -type f)")
isnt "$name" '' 'lies in the mailbox of the role'
ok 'is taken in' pr account main --once
POSTRIDER_TRACED=1 strace -f -o "$WORK/calls" "$POSTRIDER_PLAIN_BIN" --home "$HOME_DIR" run 2>"$WORK/err"
is "$(cat "$HOME_DIR/work/envoy/1/in/data.csv")" 'column a,b' 'its attachment is in in/'
like "$(cat "$HOME_DIR/work/envoy/1/prompt")" 'in/data\.csv' 'under the name that the program reads'
is "$(grep -E "openat2?\(.*$name[^ ]*\", .*= [0-9]+$" "$WORK/calls" | grep -vc O_PATH)" 1 'its file was opened once, but for looks at its times'
pr serve --once 2>/dev/null
like "$(cat "$HOME_DIR"/mail/you/new/*)" 'see https://example.org/page' 'and it is answered'

done_testing
