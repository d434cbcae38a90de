#!/usr/bin/env bash
# The process of an imap account dies at any moment: every mail is taken in once, every move and copy on the
# server is made once. And a server that numbers its mail anew makes no new work.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/imap.sh"

imap_start
imap_home
sql() { python3 - "$HOME_DIR/state/postrider.db" "$1" <<'P'
import sqlite3, sys
for row in sqlite3.connect('file:%s?mode=ro' % sys.argv[1], uri=True).execute(sys.argv[2]):
    print(*row)
P
}
files() { find "$HOME_DIR/mail/envoy" -type f -path "*/$1/*" | wc -l; }
once() { pr account work --once 2>>"$WORK/log"; }
work() { local i; for ((i = 0; i < $1; i++)); do pr run 2>>"$WORK/log"; done; pr deliver; }
die_at() { (POSTRIDER_DIE_AT=$1 pr account work --once 2>>"$WORK/log"); [ $? -gt 128 ]; }

box append INBOX 5 you@postrider.local
ok "dies right after its mark" die_at remote-marked
once
is "$(files new)" 0 "old mail stays old"

box send 4 you@postrider.local agent@test.example first
for point in remote-filed remote-before-commit remote-committed maildir-written maildir-renamed maildir-flushed; do
    box send 1 you@postrider.local agent@test.example "at $point"
    ok "dies at $point" die_at "$point"
done
once
is "$(files new)" 10 "ten mails, ten files"
is "$(sql 'select count(*), count(distinct uid), count(distinct file) from remote')" "10 10 10" "ten rows"
pr account main --once 2>>"$WORK/log"
is "$(jobs)" 10 "ten jobs"

# 300 mails, killed at random
box send 300 stranger@example.org agent@test.example bulk
fetched() { [ "$(files new)" -ge "$1" ]; }
for n in 30 90 150 210 270; do
    "$PR_BIN" --home "$HOME_DIR" account work --once 2>>"$WORK/log" &
    pid=$!
    wait_for fetched "$n"
    kill -KILL "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
done
once
is "$(files new)" 310 "killed while it fetched: every mail is there once"
is "$(find "$HOME_DIR/mail/envoy/new" -type f -print0 | xargs -0 grep -h '^Message-ID' | sort -u | wc -l)" 310 "each its own"
pr account main --once 2>>"$WORK/log"
is "$(sql 'select count(*), count(distinct msgid) from message')" "310 310" "and once in the store"
is "$(sql "select count(*) from message where account <> 'work'")" 0 "as mail of this account"

# moves and copies
work 10
is "$(sql "select count(*) from remote where wants = 'Done'")" 10 "ten moves are owed to the server"
for point in remote-moved remote-moved remote-appended remote-appended; do
    ok "dies at $point" die_at "$point"
done
once
is "$(box subjects postrider/Done | sort | uniq -d)$(box subjects Sent | sort | uniq -d)" "" "nothing is there twice"
is "$(box subjects postrider/Done | wc -l) $(box subjects Sent | wc -l)" "10 10" "ten mails in Done, ten answers in Sent"
is "$(box subjects INBOX | wc -l)" 305 "the rest is where it was"
is "$(sql "select count(*) from remote where wants is not null")" 0 "nothing is owed"

# The same mail twice; one that vanished
printf 'From: <you@postrider.local>\nTo: <agent@test.example>\nMessage-ID: <twice@test.example>\nSubject: twice\n\nDo it.\n' >"$WORK/twice"
box raw INBOX <"$WORK/twice"
box raw INBOX <"$WORK/twice"
box send 1 you@postrider.local agent@test.example alive
box send 1 you@postrider.local agent@test.example vanishes
box delete INBOX vanishes
once
pr account main --once 2>>"$WORK/log"
is "$(jobs)" 12 "a mail that was delivered twice is one job, and one that is gone is none"

# Too large
pr config set postrider max-message 100k
{ printf 'From: <you@postrider.local>\nTo: <agent@test.example>\nMessage-ID: <large@test.example>\nSubject: large\n\n'
    yes 'all work and no play' | head -c 200000; } >"$WORK/large"
box raw INBOX <"$WORK/large"
once
pr account main --once 2>>"$WORK/log"
like "$(pr mail list --state held)" 'large' "a mail larger than max-message is held"
is "$(sql "select why from message where subject = 'large'")" too_large "and says why"
is "$(find "$HOME_DIR/mail" -type f -size +100k | wc -l)" 0 "its text stays on the server"

# Numbered anew
doveadm -c "$MAIL/dovecot/dovecot.conf" mailbox update -u agent@test.example --uid-validity 4711 INBOX || diag "doveadm failed"
once
like "$(cat "$WORK/log")" 'numbered its mail anew' "UIDVALIDITY changed"
pr account main --once 2>>"$WORK/log"
is "$(jobs) $(files new) $(files .Done/cur)" "12 304 10" "nothing becomes work again"
work 2
once
ok "mail of a living job is found again and moved" box_has postrider/Done alive
box send 1 you@postrider.local agent@test.example 'after that'
once
pr account main --once 2>>"$WORK/log"
is "$(jobs)" 13 "mail that comes later is work"

# The store is lost
rm -rf "$HOME_DIR/state"
pr account main --once 2>>"$WORK/log"
exits 0 "a home that has lost its store is still the same home" pr account work --once
pr account main --once 2>>"$WORK/log"
is "$(jobs)" 0 "and nothing that lies there becomes work"
done_testing
