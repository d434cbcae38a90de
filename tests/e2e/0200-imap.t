#!/usr/bin/env bash
# A real mailbox: the first visit changes nothing, what comes later is work, and the folders on the
# server follow. Issue 4: IMAP, first contact, one home per mailbox.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/imap.sh"
OLD=${IMAP_OLD:-300} # mails that lie there before; 5000 by hand

imap_start
imap_home
day=$(date -u +%Y-%m-%d) # before the first of them: midnight may be near
box append INBOX $((OLD - 40))
FLAGS='\Seen \Flagged' box append INBOX 40 you@postrider.local
box append Sent 3
box list INBOX >"$WORK/before"
is "$(wc -l <"$WORK/before")" "$OLD" "$OLD old mails lie there, 40 of them from the owner"

start_serve
ok "the first visit" wait_for visited
box list INBOX >"$WORK/after"
ok "every old mail has its UID, flags, size and bytes" cmp "$WORK/before" "$WORK/after"
box send 1 you@postrider.local agent@test.example 'task one'
ok "mail that comes later is a job" wait_for job_is done
is "$(jobs)" 1 "and the only one: old mail is never work"
ok "it lies in postrider/Done on the server" wait_for box_has postrider/Done 'task one'
ok "and not in INBOX" wait_for box_has INBOX 'task one' 0
ok "the answer is in Sent there" wait_for box_has Sent 'Re: task one'
ok "the owner has it" wait_for has_answers 1
box list INBOX >"$WORK/after"
# \Recent is the first session's that may write, which is how a mail is moved.
sed -i 's/ *\\Recent//; s/FLAGS ( */FLAGS (/' "$WORK/before" "$WORK/after"
ok "still, after mail was moved beside it" cmp "$WORK/before" "$WORK/after"
stop_serve
is "$SERVE_STATUS" 0 "serve ends in order"

box send 1 you@postrider.local agent@test.example 'while nobody ran'
box send 1 you@postrider.local agent+clerk@test.example 'for the clerk'
pr config set 'role clerk' address agent+clerk@test.example # a mailbox that nobody has opened yet
start_serve
ok "mail that came while nothing ran is work" wait_for box_has postrider/Done 'while nobody ran'
ok "so is mail for another role of this mailbox, by its tag" wait_for box_has postrider/Done 'for the clerk'
like "$(pr job list --all)" 'clerk +done' "which is that role's job"
is "$(jobs)" 3 "once"

# One process holds the connection; its mails are filed once.
box send 5 you@postrider.local agent@test.example burst
ok "five at once" wait_for box_has postrider/Done burst 5
ok "five answers in Sent" wait_for box_has Sent 'Re: burst' 5
is "$(jobs)" 8 "five jobs more"
box send 1 stranger@example.org agent@test.example 'buy now'
held() { [ "$(pr mail list --state held | grep -c 'buy now')" = 1 ]; }
ok "a stranger's mail is held" wait_for held
ok "and stays where it is" box_has INBOX 'buy now'
is "$(box folders | sort | tr '\n' ' ')" "INBOX Sent Trash postrider postrider/Active postrider/Done postrider/Home " \
    "our folders are below the prefix, and no other is made"

# More than the first visit left.
exits 0 "--since asks for older mail, while serve runs" pr account work --since "$day"
ok "the owner's forty are jobs now" wait_for has_jobs $((8 + 40))

# A second home.
imap_home "$WORK/second"
sed -i '/^\[account main\]/,/^$/d' "$WORK/second/postrider.conf"
like "$("$PR_BIN" --home "$WORK/second" config show)" '\[account local\]' "the Maildirs are an account, named or not"
exits 78 "a second home on the same mailbox refuses" "$PR_BIN" --home "$WORK/second" account work
like "$ERR" "$HOME_DIR" "and names the first"
stop_serve
exits 0 "it takes the mailbox over when told to" "$PR_BIN" --home "$WORK/second" account work --take-over
exits 78 "then the first refuses" pr account work --once
like "$ERR" "$WORK/second" "and names the second"
like "$(pr status)" "account 'work' does not work" "status says so"
exits 0 "and back" pr account work --take-over

# Asked again, by hand
exits 64 "--since takes a day" pr account work --since yesterday
exits 0 "--since by hand" pr account work --since "$day"
pr account main --once
is "$(jobs)" $((8 + 40)) "asked again, nothing is new"

# Without a master
box send 1 you@postrider.local agent@test.example 'by cron'
exits 0 "serve --once" pr serve --once
ok "fetches, works, and tells the server" box_has postrider/Done 'by cron'
ok "the answer is in Sent" box_has Sent 'Re: by cron'
is "$(box subjects postrider/Done | wc -l)" $((8 + 40 + 1)) "and so is all that waited"
pr config set 'account work' sent-copy server
box send 1 you@postrider.local agent@test.example 'filed by the server'
pr serve --once 2>/dev/null
ok "with sent-copy = server" box_has postrider/Done 'filed by the server'
ok "we file nothing in Sent" box_has Sent 'filed by the server' 0
done_testing
