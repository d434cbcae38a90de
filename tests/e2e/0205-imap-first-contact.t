#!/usr/bin/env bash
# The first contact with a mailbox of 10,000 mails, 40 of them the owner's, is harmless: no job, and every byte, flag
# and file of the server is as before, also after new mail was answered beside them. A start reads only what is new;
# idling costs nothing and forks nobody.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/imap.sh"
FORWARD=
trap '[ -z "$FORWARD" ] || kill "$FORWARD" 2>/dev/null; imap_end' EXIT

imap_start
box unseen INBOX >/dev/null # makes the Maildir
python3 - "$MAIL_STORE/agent" <<'P'
import os, sys
folder, uid = sys.argv[1], os.stat(sys.argv[1]).st_uid
flags = ("", "S", "RS", "F", "FRS", "DS", "T")
for n in range(10000):
    sender = "you@postrider.local" if n % 250 == 0 else f"stranger{n % 70}@example.org"
    path = f"{folder}/cur/17946000{n:05}.M{n}P1.test.example:2,{flags[n % len(flags)]}"
    with open(path, "wb") as f:
        f.write(f"From: <{sender}>\nTo: <agent@test.example>\nSubject: old {n}\nMessage-ID: <old.{n}@example.org>\n"
                f"Date: Sun, 15 Nov 2026 09:30:00 +0000\n\nPlease do {n}.\n".encode() + bytes([n % 96 + 32]) * (n % 500) + b"\n")
    os.chown(path, uid, uid)
P
FLAGS='\Seen' box append Sent 20 agent@test.example
FLAGS='\Flagged' box append Trash 20 you@postrider.local
# What a client sees, and what lies on the disk: names have the flags.
seen() { local folder; for folder in INBOX Sent Trash; do echo "$folder"; box list "$folder"; done | sed 's/ *\\Recent//; s/FLAGS ( */FLAGS (/'; }
files()
{
    (cd "$MAIL_STORE/agent" && find . \( -path '*/cur/*' -o -path '*/new/*' \) -type f ! -path './.postrider*' -print0 |
        sort -z | xargs -0 sha256sum | sed 's,/new/,/,; s,/cur/,/,; s/:2,$//')
}
seen >"$WORK/seen" && files >"$WORK/files"
is "$(grep -c '^UID\|UID ' "$WORK/seen") $(wc -l <"$WORK/files")" "10040 10040" "10,040 mails lie there"
is "$(grep -lr '^From: <you@' "$MAIL_STORE/agent/cur" | wc -l)" 40 "40 in INBOX are the owner's"

imap_home
start_serve
ok "the first visit" wait_for visited
# The Maildirs' own process has looked, too, when mail that came later is done.
box send 1 you@postrider.local agent@test.example 'the first task'
ok "mail that comes later is a job" wait_for box_has postrider/Done 'the first task'
is "$(jobs)" 1 "and the only one: 0 of the old mails are"
is "$(pr --json mail list --limit 100000 | grep -c '"id"')" 1 "none was even fetched"
wait_for box_has Sent 'Re: the first task'
wait_for nothing_owed
stop_serve
start_serve
box send 1 you@postrider.local agent@test.example 'the second task'
ok "after a second start, too" wait_for box_has postrider/Done 'the second task'
wait_for box_has Sent 'Re: the second task'

# Idling
# watch_idle: five seconds of those that stay, by a tracer. Leaves IDLE, who they are, before and after, and COST in ticks.
watch_idle()
{
    local tracer before
    wait_for calm
    mapfile -t IDLE < <(at_work | sort)
    strace -f -e signal=none -o "$WORK/strace" $(printf -- '-p %s ' "${IDLE[@]}") 2>"$WORK/strace.err" &
    tracer=$!
    all_traced() { [ "$(grep -c attached "$WORK/strace.err")" -ge "${#IDLE[@]}" ]; }
    wait_for all_traced
    before=$(ticks)
    read -r -t 5 -u "$TAP_NEVER" # what does not happen has no event to wait for
    COST=$(($(ticks) - before))
    AFTER=$(at_work | sort | tr '\n' ' ')
    kill "$tracer"
    wait "$tracer" 2>/dev/null
    [ "$COST" = 0 ] && [ "$AFTER" = "$(printf '%s ' "${IDLE[@]}")" ]
}
watch_idle || watch_idle # once a minute the master looks round, which may fall into one of two
is "$COST" 0 "idling costs no CPU in 5 s: ${#IDLE[@]} processes"
is "$AFTER" "$(printf '%s ' "${IDLE[@]}")" "they are the same processes"
is "$(grep -cE 'clone|fork|exec' "$WORK/strace")" 0 "and none has forked"
# What a server says from time to time ("Still here") is read, for which the sanitizer's allocator may take or give back
# pages: memory that belongs to no file. Whatever else a process calls is seen, and a file that it maps, too.
harmless='resumed|unfinished|restart_syscall|detached|recvfrom|poll|^[0-9]+ +(mmap\(.*MAP_ANONYMOUS|munmap\(|madvise\()'
is "$(grep -vE "$harmless" "$WORK/strace" | head -n 5)" "" "nor done anything else"
stop_serve

# Starting
box send 1 you@postrider.local agent@test.example 'the third task'
silent_port
"$POSTRIDER_SRC/tests/lib/forward" "$PORT" "$IMAPS_PORT" "$WORK/wire" &
FORWARD=$!
wait_for grep -q up "$WORK/wire"
pr config set 'account work' port "$PORT"
exits 0 "one pass" pr account work --once
wait_for grep -q '^[0-9]' "$WORK/wire"
heard=$(grep '^[0-9]' "$WORK/wire" | tail -1)
ok "reads only what is new: $heard bytes" [ "$heard" -lt 20000 ]
pr serve --once 2>/dev/null
ok "and does it" box_has postrider/Done 'the third task'
is "$(jobs)" 3 "0 old mails are jobs"
box delete Sent 'Re: the'
seen >"$WORK/seen.after"
ok "every UID, flag, size and byte is as before" cmp "$WORK/seen" "$WORK/seen.after"
files >"$WORK/files.after"
ok "and so is every file on the server's disk" cmp "$WORK/files" "$WORK/files.after"
done_testing
