#!/usr/bin/env bash
# backup and restore, and a store that went back in time.
. "$(dirname "$0")/../lib/tap.sh"

py() { printf '%s' "$OUT" | python3 -c 'import json,sys; d=json.load(sys.stdin); print('"$1"')'; }
there() { "$PR_BIN" --home "$WORK/there" "$@"; }

pr init >/dev/null
pr ask 'first' >/dev/null
mkdir -p "$HOME_DIR/notes/deep/er" && echo note >"$HOME_DIR/notes/deep/er/a.md"
echo mine >"$HOME_DIR/instructions.md"
ln -s /etc/passwd "$HOME_DIR/notes/link"
mkfifo "$HOME_DIR/notes/pipe"
touch "$HOME_DIR/mail/envoy/tmp/unfinished" "$HOME_DIR/work/big"
ok 'backup' pr backup "$WORK/bk"
like "$OUT" "$WORK/bk: the store and [0-9]+ files" 'says what it did'
like "$OUT" 'left out: 2' 'and what it left out'
is "$(stat -c %a "$WORK/bk" "$WORK/bk/key" | tr '\n' ' ')" '700 600 ' 'it is ours alone'
for part in BACKUP postrider.conf key state/postrider.db notes/deep/er/a.md instructions.md scripts/hello mail/envoy/.Done/cur; do
    ok "it has $part" test -e "$WORK/bk/$part"
done
for part in notes/link notes/pipe mail/envoy/tmp/unfinished work state/write.lock; do
    not_ok "it has no $part" test -e "$WORK/bk/$part"
done
is "$(cd "$WORK/bk" && find mail -type f | sort | xargs sha256sum)" \
    "$(cd "$HOME_DIR" && find mail -type f ! -name unfinished | sort | xargs sha256sum)" 'all mail is in it'
is "$(sqlite3 "$WORK/bk/state/postrider.db" 'PRAGMA integrity_check')" ok 'and a whole store'
is "$(ls "$WORK" | grep -c tmp-)" 0 'nothing is left beside it'

exits 73 'a folder that is there' pr backup "$WORK/bk"
like "$ERR" 'is there already' 'is refused'
exits 64 'a folder inside the home' pr backup "$HOME_DIR/bk"
is "$(ls "$HOME_DIR" | grep -c '^bk')" 0 'is refused, nothing is left'
exits 73 'a folder in a place that is none' pr backup "$WORK/no/where"
exits 64 'no folder' pr backup
exits 64 'two folders' pr backup "$WORK/a" "$WORK/b"
exits 64 'an empty name' pr backup ''
run pr --json backup "$WORK/bk2"
is "$(py 'd["path"].endswith("/bk2"), d["files"] > 5')" 'True True' 'as JSON'

# Under a running master, with mail that comes and goes meanwhile.
start_serve
for i in 1 2 3 4 5 6 7 8; do echo "mail $i" | pr send --to envoy --subject "s$i" >/dev/null; done &
ok 'backup while it works' pr backup "$WORK/live"
wait %2 2>/dev/null || wait $!
is "$(sqlite3 "$WORK/live/state/postrider.db" 'PRAGMA integrity_check')" ok 'has a whole store'
is "$(find "$WORK/live/mail" -type f | sed 's|.*/||; s|:.*||' | grep '^[0-9]' | sort | uniq -d | wc -l)" 0 'and each mail once'
stop_serve

exits 66 'restore of what is not there' there restore "$WORK/nothing"
exits 65 'restore of what is no backup' there restore "$HOME_DIR"
like "$ERR" 'is no backup' 'says so'
cp -a "$WORK/bk" "$WORK/newer" && sed -i 's/^schema: .*/schema: 999/' "$WORK/newer/BACKUP"
exits 65 'a backup of a newer postrider' there restore "$WORK/newer"
like "$ERR" 'newer postrider' 'is refused'
cp -a "$WORK/bk" "$WORK/half" && rm "$WORK/half/key"
exits 65 'half a backup' there restore "$WORK/half"
like "$ERR" "lacks 'key'" 'names what it lacks'
exits 73 'a home that is there' pr restore "$WORK/bk"
like "$ERR" 'not empty' 'is not overwritten'
exits 64 'no folder' there restore
not_ok 'nothing was made so far' test -e "$WORK/there"

mkdir "$WORK/there"
ok 'restore to an empty folder' there restore "$WORK/bk"
like "$OUT" 'doctor --accept-backup' 'tells what comes next'
exits 1 'the restored home is held' there doctor
exits 75 'and answers nothing' there ask 'too early'
ok 'until its owner has stopped the other one' there doctor --accept-backup
exits 0 'then it is well' there doctor
run there --json mail list
is "$(py '[m["subject"] for m in d]')" "['first']" 'and has the mail'
is "$(stat -c %Y "$WORK"/there/mail/envoy/.Done/cur/*)" "$(stat -c %Y "$WORK"/bk/mail/envoy/.Done/cur/*)" 'with its times'
ok 'and works' there ask 'again'

# What happened after the backup: a mail taken in and answered, which the copy does not know.
rm -rf "$WORK/there"
pr serve --once
echo 'open question' | pr send --to envoy --subject 'open' >/dev/null && pr deliver
ok 'a backup before the answer' pr backup "$WORK/b0"
pr serve --once
there restore "$WORK/b0" >/dev/null
cp -a "$HOME_DIR"/mail/envoy/.Sent/cur/. "$WORK/there/mail/envoy/.Sent/cur/"
answer=$(grep -l 'Subject: Re: open' "$HOME_DIR"/mail/envoy/.Sent/cur/*)
aid=$(sed -n 's/^Message-ID: //p' "$answer")
printf 'From: x@y.example\nTo: envoy@postrider.local\nMessage-ID: <r@x>\nIn-Reply-To: %s\nSubject: Re: open\n\nthanks\n' "$aid" >"$WORK/there/mail/envoy/new/9"
sqlite3 "$WORK/there/state/postrider.db" "DELETE FROM meta WHERE key = 'hold-all'" # it would be held without that proof
run there serve --once
run there status
like "$OUT" 'older than the mail' 'mail from the future stops everything'
exits 1 'doctor says so' there doctor
like "$OUT" 'accept-backup' 'and the way on'
is "$(there outbox list --all | grep -c 'Re: open')" 0 'nothing was answered again'
before=$(sqlite3 "$WORK/there/state/postrider.db" "SELECT value FROM meta WHERE key = 'generation'")
ok 'the owner accepts it' there doctor --accept-backup
like "$OUT" 'and 1 answers' 'what Sent proves is taken over'
after=$(sqlite3 "$WORK/there/state/postrider.db" "SELECT value FROM meta WHERE key = 'generation'")
ok 'a new generation begins' test "$after" -gt "$before"
exits 0 'it is well' there doctor
there serve --once
is "$(there outbox list --all | grep -c 'Re: open')" 0 'still nothing is answered again'
ok 'new mail is' there ask 'something new'

done_testing
