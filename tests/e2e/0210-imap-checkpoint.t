#!/usr/bin/env bash
# The checkpoints of a role whose mail is on a server lie there too, and who deletes one with a phone stops
# the job; on evidence only.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/loop.sh"
. "$POSTRIDER_SRC/tests/lib/imap.sh"

imap_start
imap_home
pr config set 'brain default' kind script
pr config set 'brain default' script scripts/steps.jsonl
pr config set postrider continue-after 1h
many 60 '{"working_note":"note NNN"}'

sql() { python3 - "$HOME_DIR/state/postrider.db" "$1" <<'P'
import sqlite3, sys
for row in sqlite3.connect('file:%s?mode=ro' % sys.argv[1], uri=True).execute(sys.argv[2]):
    print(*row)
P
}
# park N: job N is parked, and its checkpoint lies on the server and is known to be there
followed() { [ "$(sql "select count(*) from remote r join message m on m.file = r.file and m.role = r.role
    where m.job = $1 and m.class = 'checkpoint' and r.folder = 'INBOX' and r.wants is null")" = 1 ]; }
park()
{
    box send 1 you@postrider.local agent@test.example "work $1."
    wait_for job_is parked "$1" && wait_for followed "$1"
}
start_serve --max-iterations 1
wait_for visited

ok "job 1 is parked" park 1
subject=$(box subjects INBOX)
like "$subject" 'work 1' "its checkpoint lies in INBOX on the server"
is "$(box unseen INBOX)" 1 "unseen"
ok "and in Sent" wait_for box_has Sent "$subject"
ok "what it works on lies in Active" wait_for box_has postrider/Active "work 1."
is "$(jobs)" 1 "nothing of that is work"

pr continue 1 >/dev/null
second() { [ "$(sql "select count(*) from message where job = 1 and class = 'checkpoint'")" = 2 ]; }
ok "it goes on, and parks again" wait_for second
ok "the used checkpoint goes to Done there" wait_for box_has postrider/Done "$subject"
ok "the new one is followed" wait_for followed 1
ok "and the only one in INBOX" wait_for box_has INBOX 'work 1'

box move INBOX 'work 1' Later >/dev/null
let_go() { ! followed 1; }
ok "a person moves it to another folder" wait_for let_go
is "$(job state 1)" parked "the job is still parked"

ok "job 2 is parked" park 2
box flag INBOX 'work 2' '\Deleted'
ok "the deleted flag on the server stops it" wait_for job_is stopped 2
ok "the owner is told" wait_for you_have 'The checkpoint mail of job 2 was deleted'

ok "job 3 is parked" park 3
box move INBOX 'work 3' Trash >/dev/null
ok "moving it to Trash stops it" wait_for job_is stopped 3

ok "job 4 is parked" park 4
ok "job 5 is parked" park 5
box delete INBOX 'work 4'
ok "expunging it stops it, after two looks" wait_for job_is stopped 4
is "$(job state 5) $(job state 1)" "parked parked" "and no other"
pr continue 4 >/dev/null
ok "CONTINUE goes on" wait_for job_is parked 4
stop_serve
is "$(jobs)" 5 "five jobs, no more"
done_testing
