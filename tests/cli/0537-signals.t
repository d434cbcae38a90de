#!/usr/bin/env bash
# Signals that the kernel sends for a file: one that may not grow (SIGXFSZ), and memory of the store that is gone (SIGBUS).
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"
trap 'umount -l "$WORK/fs" 2>/dev/null; tap_end' EXIT

subjects() { db "SELECT count(*) FROM message WHERE subject = '$1'"; }
limited() { (ulimit -f "$1"; shift; "$PR_BIN" --home "$HOME_DIR" "$@"); } # in KiB
head -c 300000 /dev/zero | tr '\0' a >"$WORK/body"
to_bob() { limited 100 send --to bob@elsewhere.example --subject long <"$WORK/body"; }

pr init >/dev/null
pr ask first >/dev/null
to_bob >"$WORK/out" 2>"$WORK/err"
is "$?" 75 'a verb that may not write its file'
is "$(wc -l <"$WORK/err")" 1 'says so in one line'
like "$(cat "$WORK/err")" '^postrider: .*: File too large$' 'and why'
is "$(db 'PRAGMA integrity_check') $(db "SELECT count(*) FROM outbox WHERE subject = 'long'")" 'ok 0' 'the store is whole and has nothing of it'
ok 'without the limit' bash -c '"$1" --home "$2" send --to bob@elsewhere.example --subject long <"$3"' - "$PR_BIN" "$HOME_DIR" "$WORK/body"
is "$(db "SELECT count(*) FROM outbox WHERE subject = 'long'")" 1 'it is sent, once'
is "$(subjects first)" 1 'and what was there is there'

# The master has that memory; SIGHUP makes it look at the store.
start_serve
pr ask second >/dev/null
quiet() { ! ps -o args= -p "$(at_work | paste -sd,)" | grep -qvE ' (serve|account|run --spare)( |$)'; }
ok '(nobody else is at work)' wait_for quiet
truncate -s 0 "$HOME_DIR/state/postrider.db-shm"
kill -HUP "$SERVE_PID"
wait "$SERVE_PID"
is "$?" 75 'a master whose memory of the store is gone ends'
SERVE_PID=
is "$(grep -c 'postrider.db-shm.* start again' "$WORK/serve.log")" 1 'with one last word'
unlike "$(cat "$WORK/serve.log")" 'Sanitizer|Bus error' 'and no other'
start_serve
is "$(subjects second)" 1 'nothing is lost'
ok 'the next one works' pr ask third
stop_serve
is "$SERVE_STATUS$(at_work)" 0 'and ends well'
is "$(db 'PRAGMA integrity_check')" ok 'the store is whole'

# A disk with blocks of 1 KB that is nearly full. SQLite makes sure of one block in four of that memory; the others are taken
# when they are first written to, and where there are none left, that is SIGBUS.
small_disk()
{
    [ "$(id -u)" = 0 ] && mkdir -p "$WORK/fs" && truncate -s 6M "$WORK/disk" && PATH=$PATH:/usr/sbin mkfs.ext2 -q -b 1024 -m 0 "$WORK/disk" &&
        mount -o loop "$WORK/disk" "$WORK/fs"
}
# KIB: as much as this is free, and the memory is to be made anew, as after a boot.
leave()
{
    rm -f "$HOME_DIR/state/postrider.db-shm" "$WORK"/fs/fill*
    head -c "$1k" /dev/zero >"$WORK/fs/room"
    head -c 7m /dev/zero >"$WORK/fs/fill" 2>/dev/null
    rm "$WORK/fs/room"
}
if small_disk 2>/dev/null; then
    HOME_DIR=$WORK/fs/home
    pr init >/dev/null
    pr ask first >/dev/null
    wrong= bus=0 accepted=0
    for kib in {1..64..5}; do
        for verb in status 'mail list' "send --to envoy --subject full$kib" 'serve --once'; do
            leave "$kib"
            # shellcheck disable=SC2086
            run pr $verb
            case $STATUS$verb in
            0send*) accepted=$((accepted + 1)) ;;
            0*) ;;
            75*) [ "$(wc -l <<<"$ERR")" = 1 ] && grep -q 'full\|No space' <<<"$ERR" || wrong="$wrong; $verb: $ERR" ;;
            *) wrong="$wrong; $verb: $STATUS $ERR" ;;
            esac
            [[ $ERR != *postrider.db-shm* ]] || bus=$((bus + 1))
        done
    done
    is "$wrong" '' 'a disk of 1 KB blocks with 1 to 64 KB left: a verb works, or ends with 75 and one line that says why'
    ok "($bus of 52 had SIGBUS, $accepted mails were accepted)" test "$bus" -gt 8 -a "$accepted" -gt 0
    leave 16
    exits 75 'a master that starts there ends' pr serve
    like "$ERR" '^postrider: the memory of the store .*make room, then start again$' 'with its last word'
    rm "$WORK"/fs/fill*
    start_serve
    there() { [ "$(db "SELECT count(*) FROM message WHERE subject LIKE 'full%' AND state = 'handled'")" = "$accepted" ]; }
    ok 'with room again, each mail that was accepted is answered' wait_for there
    stop_serve
    is "$SERVE_STATUS $(db "SELECT count(*) - count(DISTINCT subject) FROM message WHERE subject LIKE 'full%'")" '0 0' 'once'
    exits 0 'and doctor finds nothing' pr doctor
    umount "$WORK/fs"
else
    skip 'a full disk of 1 KB blocks' 'no right to mount one by a loop device'
fi

done_testing
