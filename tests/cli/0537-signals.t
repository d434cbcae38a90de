#!/usr/bin/env bash
# Signals that the kernel sends for a file: one that may not grow (SIGXFSZ), and memory of the store that is gone (SIGBUS).
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"

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
quiet() { ! ps -o args= -p "$(at_work | paste -sd,)" | grep -qvE ' (serve|account)( |$)'; }
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

done_testing
