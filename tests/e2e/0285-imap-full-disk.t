#!/usr/bin/env bash
# More mail than the disk has room for: what fits is kept and is work, the rest comes when there is room, each
# once. With disks of our own, so as root alone.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/imap.sh"

small=$WORK/disk
trap 'umount -l "$small" "$HOME_DIR/mail/envoy" 2>/dev/null; imap_end' EXIT
mkdir "$small"
can_mount() { [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=12m none "$small" 2>/dev/null; }
can_mount || skip_all "no right to mount a small disk"
imap_start
files() { find "$HOME_DIR/mail/envoy" -type f -path '*/new/*' | wc -l; }
ids() { find "$HOME_DIR/mail/envoy" -type f -path '*/new/*' -print0 | xargs -0 grep -h '^Message-ID' | sort -u | wc -l; }
rows() { db 'select count(*) from remote'; }
once() { pr account work --once 2>>"$WORK/log"; }
# big N SUBJECT: mails of half a megabyte each
big()
{
    python3 - "$MAIL/env" "$@" <<'P'
import imaplib, sys, time
env = dict(line.rstrip("\n").split("=", 1) for line in open(sys.argv[1]))
box = imaplib.IMAP4(env["MAIL_HOST"], int(env["IMAP_PORT"]))
box.login("agent@test.example", "agent-pw")
for n in range(int(sys.argv[2])):
    head = f"From: <stranger@example.org>\r\nTo: <agent@test.example>\r\nMessage-ID: <{sys.argv[3]}.{n}@test.example>\r\nSubject: {sys.argv[3]} {n}\r\n\r\n"
    box.append("INBOX", None, None, (head + ("x" * 70 + "\r\n") * 7282).encode())
box.logout()
P
}

# A mailbox on a disk that nobody could tell was small: the call fails.
imap_home
exits 0 'first visit' pr account work --once
pr account main --once 2>>"$WORK/log"
mount -t tmpfs -o size=3m none "$HOME_DIR/mail/envoy" || done_testing
big 12 tight
exits 75 'the disk is full in the middle of a fetch' pr account work --once
n=$(files)
ok "some of 12 are kept: $n" test "$n" -ge 3 -a "$n" -lt 12
is "$(rows)" "$n" 'as many rows are committed'
once
is "$(files) $(rows)" "$n $n" 'trying again doubles nothing'
run pr status
like "$OUT" 'work.*No space' 'status says why'
mount -o remount,size=32m "$HOME_DIR/mail/envoy"
exits 0 'with room again' pr account work --once
is "$(files) $(ids) $(rows)" '12 12 12' 'all are there, each once'
run pr status
unlike "$OUT" 'No space' 'and nothing is wrong any more'
umount "$HOME_DIR/mail/envoy"

# The whole home on one: room is left, so that what came is taken in and worked on.
HOME_DIR=$small/home
box delete INBOX tight
imap_home
pr account work --take-over 2>>"$WORK/log" # it was the first home's
start_serve
ok 'the account looks' wait_for visited
big 30 flood
box send 1 you@postrider.local agent@test.example 'the last'
full() { logged 'the account does not work.*disk is full'; }
ok 'the log says that the disk is full' wait_for full
some_kept() { [ "$(files)" -ge 1 ]; }
ok 'some are kept' wait_for some_kept
isnt "$(files)" 31 'not all'
free_bytes() { df --output=avail -B1 "$small" | tail -n 1; }
ok 'room is left' test "$(free_bytes)" -gt 300000
taken() { [ "$(db 'select count(*) from message')" = "$(rows)" ] && [ "$(rows)" -ge 1 ]; }
ok 'what came is taken in' wait_for taken
ok 'and the home works: somebody here asks, and is answered' timeout "$WAIT" "$PR_BIN" --home "$HOME_DIR" ask hello
run pr status --check
isnt "$STATUS" 0 'status --check tells that something is wrong'
run pr status
like "$OUT" 'work.*disk is full' 'and status what'
mount -o remount,size=64m "$small"
all_here() { [ "$(db 'select count(distinct msgid) from message')" = 32 ]; }
ok 'with room again the rest comes by itself' wait_for all_here
ok 'the last one is answered' wait_for job_is done
ok 'and it works again' wait_for logged 'the account works again'
is "$(grep -c 'the account does not work' "$WORK/serve.log")" 1 'it was told once'
stop_serve
is "$(db 'select count(*), count(distinct msgid) from message')" '32|32' 'each is in the store once'
exits 0 'doctor finds nothing' pr doctor
done_testing
