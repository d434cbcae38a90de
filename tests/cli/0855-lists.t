#!/usr/bin/env bash
# No list reads more than it shows: what brains said and were shown, and the bytes of mail that was written, stay where they are.
. "$(dirname "$0")/../lib/tap.sh"

strace -o /dev/null true 2>/dev/null || skip_all 'no strace here'
pr init >/dev/null
pr ask hello >/dev/null
id=$(pr --json mail list | python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["message_id"])')
STEPS=1000 LARGE=60000
python3 - "$HOME_DIR/state/postrider.db" $STEPS $LARGE "$id" <<'P'
import sqlite3, sys
db, n, large = sqlite3.connect(sys.argv[1], isolation_level=None), int(sys.argv[2]), int(sys.argv[3])
db.execute("PRAGMA wal_autocheckpoint = 0")
db.execute("BEGIN")
blob = b"x" * (large // 2)
for i in range(2, n):
    db.execute("INSERT INTO step (job, n, round, at_us, took_us, cost_micro, phase, did, because, answer, manifest, context, brain) "
               "SELECT job, ?, 1, at_us + ?, 1, 1, '', 'waited', 'it must', ?, ?, context, 'default' FROM step WHERE job = 1 AND n = 1",
               (i, i, blob, blob))
    mail = b"In-Reply-To: " + sys.argv[4].encode() + b"\n\n" + b"y" * large
    db.execute("INSERT INTO outbox (id, msgid, from_spec, subject, level, job, round, step, created_us, bytes, in_reply_to) "
               "SELECT ? + 100, ? || msgid, from_spec, subject, level, 1, 1, 1, created_us + ?, ?, ? FROM outbox WHERE job = 1 LIMIT 1",
               (i, i, i, mail, sys.argv[4][1:-1]))
    db.execute("INSERT INTO delivery (outbox, address, mailbox, folder, state, next_us) VALUES (? + 100, 'you@postrider.local', 'you', '', 'sent', 0)",
               (i,))
db.execute("UPDATE job SET steps = ? WHERE id = 1", (n - 1,))
db.execute("COMMIT")
db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
P
size=$(stat -c %s "$HOME_DIR/state/postrider.db")
ok 'a store whose steps and mails are large' test "$size" -gt $((STEPS * LARGE * 2 - STEPS * 1000))

# reads_little LINES ARG...: it prints so many lines or more, and of every twelve bytes of the store it reads one at most.
reads_little()
{
    local lines=$1
    shift
    strace -f -y -e trace=pread64,read -o "$WORK/calls" "$POSTRIDER_PLAIN_BIN" --home "$HOME_DIR" "$@" >"$WORK/shown"
    local bytes
    bytes=$(sed -n 's/.*state\/postrider\.db[^>]*>.* = \([0-9]*\)$/\1/p' "$WORK/calls" | awk '{ n += $1 } END { print n + 0 }')
    diag "$*: $bytes of $size bytes, $(wc -l <"$WORK/shown") lines"
    [ "$(wc -l <"$WORK/shown")" -ge "$lines" ] && [ "$bytes" -gt 0 ] && [ "$bytes" -lt $((size / 12)) ]
}

ok 'job show' reads_little $STEPS job show 1
ok 'one step of it' reads_little 10 show 1@7
ok 'job log' reads_little $STEPS job log 1
ok 'cost' reads_little 2 cost
ok 'cost by brain' reads_little 2 cost --by brain
ok 'cost by job' reads_little 2 cost --by job
ok 'outbox list' reads_little $((STEPS - 10)) outbox list --all --limit 2000
ok 'mail thread' reads_little $((STEPS - 10)) mail thread "$id"
ok 'status' reads_little 1 status

done_testing
