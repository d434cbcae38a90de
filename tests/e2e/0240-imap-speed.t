#!/usr/bin/env bash
# How fast: from a push to a run that has taken the job against a bare client in IDLE, and new mail against mbsync on the same
# mailbox. Prints what it measures. mbsync flushes every mail; tests/soak/imap-speed.t pulls 10,000.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/imap.sh"
PR_BIN=$POSTRIDER_PLAIN_BIN
NEW=${IMAP_NEW:-1000} PUSHES=9
WAIT=120
command -v mbsync >/dev/null || skip_all "no mbsync"

now() { date +%s%3N; }
imap_start
imap_home
exits 0 "the first visit" pr account work --once

# Push: a small mailbox, since a large one keeps the server busy for both clients.
POSTRIDER_LOG=debug start_serve
# A run has taken a job: one that is only started, or waits to be told of a job, does not count.
at_work_line='msg="at work"'
runs() { grep -c "$at_work_line" "$WORK/serve.log"; }
had_runs() { [ "$(runs)" -gt "$1" ]; }
# What a moment costs on this machine now: starting a program and flushing a file, in milliseconds.
moment()
{
    python3 - "$HOME_DIR" <<'P'
import os, subprocess, sys, time
begin = time.monotonic()
subprocess.run(["true"])
with open(sys.argv[1] + "/moment", "w") as f:
    f.write("x" * 4096)
    f.flush()
    os.fsync(f.fileno())
print(round((time.monotonic() - begin) * 1000))
P
}
late=() moments=()
for ((n = 1; n <= PUSHES; n++)); do
    before=$(runs)
    rm -f "$WORK/idle" # the last one's word
    box idle >"$WORK/idle" &
    wait_for grep -q idling "$WORK/idle"
    wait_for calm # ours idles too
    box send 1 you@postrider.local agent@test.example "push $n"
    wait $!
    moments+=("$(moment)")
    wait_for had_runs "$before" || break
    late+=("$(python3 - "$WORK/idle" "$WORK/serve.log" "$at_work_line" <<'P'
import datetime, re, sys
bare = float(open(sys.argv[1]).read().split()[-1])
line = [l for l in open(sys.argv[2]) if sys.argv[3] in l][-1]
run = datetime.datetime.fromisoformat(re.match(r"t=(\S+)Z", line)[1] + "+00:00").timestamp()
print(round((run - bare) * 1000))
P
)")
    wait_for box_has postrider/Done "push $n"
done
stop_serve
median() { printf '%s\n' "$@" | sort -n | sed -n "$((($# + 1) / 2))p"; }
is "${#late[@]}" "$PUSHES" "each push has a run at work"
delay=$(median "${late[@]}") moment=$(median "${moments[@]}")
diag "from the push that a bare client sees to a run that has taken the job: ${late[*]} ms, median $delay ms; a moment is $moment ms"
# 50 ms are for a machine on which a moment is at most 6 ms; a busy one gets more.
limit=$((moment <= 6 ? 50 : 50 * moment / 6))
ok "at most $limit ms after a bare client in IDLE" [ "${delay:-9999}" -le "$limit" ]

# come ROUND: as another server would have delivered them, in a moment: files in the user's Maildir.
come()
{
    python3 - "$MAIL_STORE/agent" "$NEW" "$1" <<'P'
import os, sys
folder, uid, r = sys.argv[1], os.stat(sys.argv[1]).st_uid, sys.argv[3]
for n in range(int(sys.argv[2])):
    path = f"{folder}/new/179470{r}0{n:05}.M{n}P{r}.test.example"
    with open(path, "w", newline="") as f:
        f.write(f"From: <stranger{n % 50}@example.org>\nTo: <agent@test.example>\nSubject: bulk {n}\n"
                f"Message-ID: <bulk.{r}.{n}@example.org>\nDate: Sun, 15 Nov 2026 09:30:00 +0000\n\n" + f"Words of mail {n}.\n" * 40)
    os.chown(path, uid, uid)
P
    box unseen INBOX >/dev/null # now they have UIDs
}

mkdir "$WORK/pulled"
cat >"$WORK/mbsyncrc" <<END
IMAPStore far
Host localhost
Port $IMAPS_PORT
User agent@test.example
Pass agent-pw
SSLType IMAPS
CertificateFile $MAIL/ca.pem

MaildirStore near
Path $WORK/pulled/
Inbox $WORK/pulled/INBOX

Channel all
Far :far:
Near :near:
Sync Pull
Create Near
SyncState *
END
mbsync -q -c "$WORK/mbsyncrc" all 2>/dev/null # what lies there already is not measured
pulled() { find "$WORK/pulled/INBOX" -type f -path '*/new/*' -o -type f -path '*/cur/*' | wc -l; }
fast=false
# Others work on this machine too, now and then for one of us only: the best of three counts.
for round in 1 2 3; do
    before=$(pulled)
    come $round
    begin=$(now)
    mbsync -q -c "$WORK/mbsyncrc" all 2>"$WORK/mbsync.log" || diag "$(cat "$WORK/mbsync.log")"
    mbsync_ms=$(($(now) - begin))
    is "$(($(pulled) - before))" "$NEW" "mbsync pulls $NEW"

    begin=$(now)
    pr account work --once 2>/dev/null
    fetch_ms=$(($(now) - begin))
    pr account main --once 2>/dev/null
    intake_ms=$(($(now) - begin))
    is "$(pr --json mail list --limit 100000 | grep -c '"id"')" $((round * NEW + PUSHES)) "so do we"
    diag "$NEW mails: mbsync $mbsync_ms ms; we fetch in $fetch_ms ms, and know all in $intake_ms ms"
    [ "$intake_ms" -gt $((2 * mbsync_ms)) ] || { fast=true; break; }
done
ok "at no less than half its speed" $fast

done_testing
