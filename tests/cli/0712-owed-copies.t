#!/usr/bin/env bash
# The copy in Sent is a debt: owed for as long as Sent can't be written, and a finding until it is paid.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"

loop_home
steps '{"status":"complete","current_phase":"complete","send_emails":[{"body":"All done."}]}'
rm -rf "$HOME_DIR/mail/envoy/.Sent"
: >"$HOME_DIR/mail/envoy/.Sent" # a file: nothing can be filed there
pr inject --subject s --run </dev/null >/dev/null 2>&1
is "$(job state) $(to_you)" 'done 1' 'without Sent the answer leaves'
exits 1 'the copy that is owed is a finding' pr doctor
like "$OUT" 'the copy of mail [0-9]+ in Sent of envoy is owed: ' 'which says why'
for d in 3 6 9; do POSTRIDER_CLOCK=+$((d * 86400)) pr serve --once >/dev/null 2>&1; done
is "$(db "SELECT count(*) FROM delivery WHERE state = 'failed'")" 0 'it does not come to an age at which it is given up'
rm "$HOME_DIR/mail/envoy/.Sent"
POSTRIDER_CLOCK=+$((9 * 86400)) pr serve --once >/dev/null 2>&1 # its wait is not over; a pass tries all the same
ok 'it is paid when Sent can be written again' grep -rq 'All done' "$HOME_DIR/mail/envoy/.Sent/cur"
unlike "$(POSTRIDER_CLOCK=+$((10 * 86400)) pr doctor)" 'is owed' 'and is no finding any more'
is "$(to_you)" 1 'nobody gets the mail twice'
done_testing
