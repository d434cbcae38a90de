#!/usr/bin/env bash
# doctor: finds what is wrong, mends what can be, tells the rest.
. "$(dirname "$0")/../lib/tap.sh"

drop() { cat >"$HOME_DIR/mail/envoy/tmp/$1" && mv "$HOME_DIR/mail/envoy/tmp/$1" "$HOME_DIR/mail/envoy/new/$1"; }
py() { printf '%s' "$OUT" | python3 -c 'import json,sys; d=json.load(sys.stdin); print('"$1"')'; }
sql() { sqlite3 "$HOME_DIR/state/postrider.db" "$1"; }

pr init >/dev/null
exits 0 'a new home is well' pr doctor
like "$OUT" 'all is well' 'and it says so'
like "$OUT" 'SQLite 3\.' 'with the version of SQLite'
pr ask 'hello' >/dev/null
exits 0 'and still after work' pr doctor --full
run pr --json doctor
is "$(py 'd["ok"], d["findings"]')" 'True []' 'as JSON'

printf 'From: x@y.example\nTo: envoy@postrider.local\nMessage-ID: <new@x>\n\nhi\n' | drop 1
exits 0 'mail that was not taken in yet is no finding' pr doctor
like "$OUT" 'note: .*not taken in yet.*: 1' 'but is told'
pr serve --once
rm "$HOME_DIR/mail/envoy/new/1"
exits 1 'an open mail without its file' pr doctor
like "$OUT" 'mail <new@x> of envoy is held, but its file is nowhere: 1' 'is found'
run pr --json doctor
is "$(py 'd["ok"], [(f["where"], f["fixed"]) for f in d["findings"]]')" "False [('1', False)]" 'as JSON'
sql "UPDATE message SET state = 'dead', why = 'test' WHERE msgid = 'new@x'"
exits 0 'what is dead may be deleted' pr doctor

sql 'UPDATE outbox SET bytes = NULL'
exits 0 'forgotten bytes are fine' pr doctor
find "$HOME_DIR/mail/envoy/.Sent" -type f -name '*:2,*' -delete
exits 1 'unless the copy in Sent is gone too' pr doctor
like "$OUT" 'copy in Sent of envoy is gone' 'and it says so'
sql "UPDATE outbox SET bytes = x'00'"

touch -d '3 days ago' "$HOME_DIR/state/.postrider-tmp-old" "$HOME_DIR/mail/envoy/tmp/123.dead"
touch "$HOME_DIR/state/.postrider-tmp-young"
sql "INSERT OR REPLACE INTO meta VALUES ('tidied', '$(date +%s)000000')"
exits 1 'leftovers' pr doctor
like "$OUT" 'unfinished files, 1: state \(fixed\)' 'are removed'
like "$OUT" 'unfinished deliveries, 1: envoy \(fixed\)' 'in mailboxes too'
ok 'but not young ones' test -e "$HOME_DIR/state/.postrider-tmp-young"
exits 0 'then all is well' pr doctor

echo pw >"$HOME_DIR/secrets/mail" && chmod 644 "$HOME_DIR/secrets/mail" && chmod 755 "$HOME_DIR/state"
chmod 664 "$HOME_DIR/postrider.conf"
exits 1 'files that others may read' pr doctor
is "$(grep -c '(fixed)' <<<"$OUT")" 3 'are closed'
is "$(stat -c %a "$HOME_DIR/state" "$HOME_DIR/secrets/mail" "$HOME_DIR/postrider.conf" | tr '\n' ' ')" '700 600 644 ' 'indeed'
chmod 640 "$HOME_DIR/key"
exits 78 'a key that others may read' pr doctor
like "$ERR" 'chmod 600' 'is refused with the remedy'
chmod 600 "$HOME_DIR/key"

printf '[trust]\nrequire-auth = none\n' >>"$HOME_DIR/postrider.conf"
exits 0 'require-auth = none' pr doctor
like "$OUT" 'note: require-auth = none' 'is warned about'

sql "UPDATE message SET state = 'nonsense' WHERE id = 1"
exits 1 'a row that makes no sense' pr doctor
like "$OUT" "unknown state 'nonsense': state/postrider.db" 'is found'
sql "UPDATE message SET state = 'handled' WHERE id = 1"

ok '--rebuild makes the index anew' pr doctor --rebuild
like "$OUT" 'new: 4 mails' 'and counts'
ok 'search after that' pr mail search hello
like "$OUT" 'hello' 'finds the same'

# A mailbox that was there before the store: history, released by a person.
find "$HOME_DIR/mail/envoy/.Done" -type f -name '*:2,*' -delete # the copies of their answers are gone, by the test above
rm -r "$HOME_DIR/state" && printf 'From: you@postrider.local\nTo: envoy@postrider.local\nMessage-ID: <old1@x>\nSubject: old one\n\nold\n' | drop 5
printf 'From: ann@y.example\nTo: envoy@postrider.local\nMessage-ID: <old2@x>\nSubject: old two\n\nold\n' | drop 6
touch -d '1 hour ago' "$HOME_DIR"/mail/envoy/new/[56]
ok 'a lost store' pr serve --once
run pr --json mail list --state ignored
is "$(py 'sorted(m["message_id"] for m in d)')" "['<old1@x>', '<old2@x>']" 'makes old mail history'
ok '--release of one' pr doctor --release '<old1@x>'
ok 'works it' pr serve --once
like "$(grep -rh '^Subject:' "$HOME_DIR/mail/you/new")" 'Re: old one' 'it is answered'
exits 65 '--release of what is not held' pr doctor --release '<old1@x>'
ok '--release all' pr doctor --release all
like "$OUT" 'released: 0; no work after all: 1' 'lets no stranger in'
exits 66 '--release of what is not there' pr doctor --release '<nobody@x>'
exits 0 'after all that it is well' pr doctor

exits 64 'an operand' pr doctor now
exits 64 'two things at once' pr doctor --rebuild --accept-backup
exits 64 'an unknown option' pr doctor --fix
exits 64 '--release without a value' pr doctor --release

# Damage: as far as it goes.
cp "$HOME_DIR/state/postrider.db" "$WORK/kept"
rm -f "$HOME_DIR"/state/postrider.db-*
head -c 300 /dev/urandom >"$HOME_DIR/state/postrider.db"
exits 1 'a store that is none' pr doctor
like "$OUT" 'the store is damaged: .*restore a backup' 'is found, with the way back'
run pr --json doctor
is "$(py 'd["ok"], len(d["findings"])')" 'False 1' 'as JSON'

# --- mail that somebody deleted while it was worked on ---

HOME_DIR=$WORK/two
pr init >/dev/null
cat >"$HOME_DIR/scripts/rude" <<END
#!/bin/sh
cat >/dev/null
find '$HOME_DIR/mail/envoy' -path '*/new/*' -delete
echo done
END
chmod +x "$HOME_DIR/scripts/rude"
pr config set 'brain default' command scripts/rude
pr ask 'delete it' >/dev/null
like "$(pr status)" '1 move of mail could not be done; see: postrider doctor' 'status knows of it'
exits 1 'doctor tells it' pr doctor
like "$OUT" "could not be done, and stays as it is: mail-move .*: a person deleted it \(fixed\)" 'with what became of it'
unlike "$(pr status)" 'could not be done' 'and then is no problem any more'
exits 0 'nor a finding' pr doctor

done_testing
