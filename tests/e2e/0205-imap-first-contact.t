#!/usr/bin/env bash
# The first contact with a mailbox of 10,000 mails, 40 of them the owner's, is harmless: no job, and every byte, flag
# and file of the server is as before, also after new mail was answered beside them. A start reads only what is new;
# idling costs nothing and forks nobody.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/imap.sh"
WAIT=60
FORWARD=
trap '[ -z "$FORWARD" ] || kill "$FORWARD" 2>/dev/null; "$mailserver" stop "$MAIL" >/dev/null 2>&1; tap_end' EXIT

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
stop_serve
start_serve
box send 1 you@postrider.local agent@test.example 'the second task'
ok "after a second start, too" wait_for box_has postrider/Done 'the second task'
wait_for box_has Sent 'Re: the second task'

# Idling
ticks() { local p; for p in $(at_work); do sed 's/.*) //' "/proc/$p/stat" 2>/dev/null; done | awk '{n += $12 + $13} END {print n + 0}'; }
# Those that stay are there, and no other is at work.
calm() { local before; before=$(at_work; ticks); read -r -t 0.7 -u "$TAP_NEVER"; [ "$(at_work; ticks)" = "$before" ] && remote_pid; }
wait_for calm
mapfile -t idle < <(at_work | sort)
before=$(ticks)
timeout 5 strace -f -qq -e signal=none -o "$WORK/strace" $(printf -- '-p %s ' "${idle[@]}") 2>"$WORK/strace.err"
is "$(($(ticks) - before))" 0 "idling costs no CPU in 5 s: ${#idle[@]} processes"
is "$(at_work | sort | tr '\n' ' ')" "$(printf '%s ' "${idle[@]}")" "they are the same processes"
is "$(grep -cE 'clone|fork|exec' "$WORK/strace")" 0 "and none has forked"
# What a server says from time to time ("Still here") is read.
is "$(grep -vE 'resumed|unfinished|restart_syscall|detached|recvfrom|poll' "$WORK/strace" | head -n 5)" "" "nor done anything else"
stop_serve

# Starting
box send 1 you@postrider.local agent@test.example 'the third task'
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$POSTRIDER_SRC/tests/lib/forward" "$port" "$IMAPS_PORT" "$WORK/wire" &
FORWARD=$!
wait_for grep -q up "$WORK/wire"
pr config set 'account work' port "$port"
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
