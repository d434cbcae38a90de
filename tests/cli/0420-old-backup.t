#!/usr/bin/env bash
# An old store beside newer mail: it is noticed, nothing runs or leaves, and the owner decides once.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"

py() { printf '%s' "$OUT" | python3 -c 'import json,sys; d=json.load(sys.stdin); print('"$1"')'; }
# Every mail: its folder, name and bytes. What a run may touch when nothing may happen is nothing.
listing() { (cd "$1/mail" && find . -type f ! -name .postrider-home -exec sha256sum {} + | sort -k 2); }
subjects() { grep -h '^Subject: ' "$HOME_DIR"/mail/you/new/* | sort | uniq -c | sed 's/^ *//'; }
id_of() { sed -n '/^$/q;s/^Message-ID: //p' "$(grep -l "^Subject: $1\$" "$HOME_DIR"/mail/you/new/* | head -n 1)"; }
held_back() { pr status | grep -q 'nothing runs or leaves'; }

OLD=$HOME_DIR
pr init >/dev/null
pr ask 'before' >/dev/null
echo x | pr send --to envoy --subject 'queued' >/dev/null
pr deliver && pr account main --once
echo x | pr send --to envoy --subject 'not delivered' >/dev/null
echo x | pr send --to ann@y.example --subject 'not to be sent' >/dev/null
ok 'a backup with work in it' pr backup "$WORK/bk"
run pr --json job list --all
is "$(py '[(j["subject"], j["state"]) for j in d]')" "[('queued', 'queued'), ('before', 'done')]" 'one job waits there'
ok 'after it, that work is done' pr serve --once
ok 'and more' pr ask 'after'
is "$(answers)" 4 'four answers came'
subjects >"$WORK/subjects"

# The backup in a new place, with the mail of now.
HOME_DIR=$WORK/there
ok 'restore' pr restore "$WORK/bk"
rm -rf "$HOME_DIR/mail" && cp -a "$OLD/mail" "$HOME_DIR/mail"
rm "$HOME_DIR/mail/.postrider-home" # that of the old home, which would be refused for that reason
rm -rf "$HOME_DIR/state" && cp -a "$WORK/bk/state" "$HOME_DIR/state" # as an administrator may put it back
listing "$HOME_DIR" >"$WORK/mail-before"
ok 'a pass' pr serve --once
listing "$HOME_DIR" >"$WORK/mail-after"
ok 'does nothing' cmp "$WORK/mail-before" "$WORK/mail-after"
run pr --json job list --all
is "$(py '[(j["subject"], j["state"]) for j in d]')" "[('queued', 'queued'), ('before', 'done')]" 'no job went on'
run pr status
like "$OUT" 'nothing runs or leaves: the store is older than the mail' 'status says why'
like "$OUT" 'doctor --accept-backup' 'and what to do'
exits 1 'status --check tells somebody' pr status --check
like "$OUT" 'ATTENTION: nothing runs' 'first of all'
exits 1 'so does doctor' pr doctor
exits 75 'ask waits for a person' pr ask 'meanwhile'

# By the master, from its first moment on.
rm -rf "$HOME_DIR/state" && cp -a "$WORK/bk/state" "$HOME_DIR/state"
start_serve
ok 'the master notices it too' wait_for held_back
ok 'and logs it' wait_for logged 'until a person decides'
echo 'in the meantime' | pr send --to envoy --subject 'meanwhile' >/dev/null
printf 'From: x@y.example\nTo: envoy@postrider.local\nMessage-ID: <out@side>\nSubject: outside\n\nhi\n' >"$HOME_DIR/mail/envoy/tmp/1"
mv "$HOME_DIR/mail/envoy/tmp/1" "$HOME_DIR/mail/envoy/new/1"
taken() { pr --json mail list | grep -q 'outside'; }
ok 'mail is taken in meanwhile' wait_for taken
is "$(answers)" 4 'but nothing is answered'
ok 'the owner accepts it' pr doctor --accept-backup
like "$OUT" 'goes on as generation' 'and reads what was taken over'
ok 'mail of the meantime is answered' wait_for has_answers 5
ok 'new mail is' pr ask 'afterwards'
ok 'with one answer' wait_for has_answers 6
settled() { run pr --json outbox list; [ "$(py 'sorted(set(m["state"] for m in d))')" = "['held']" ]; }
ok 'all that may leave has left' wait_for settled
is "$(py '[m["subject"] for m in d]')" "['not to be sent']" 'what was held is still held'
is "$(subjects | grep -v 'meanwhile\|afterwards')" "$(cat "$WORK/subjects")" 'nothing was answered twice'

# A conversation that the store does not know goes on.
printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: Re: after\nIn-Reply-To: %s\nReferences: %s\n\nAnd?\n' \
    "$(id_of 'Re: after')" "$(id_of 'Re: after')" | pr sendmail -t
ok 'a reply to what came after the backup' wait_for has_answers 7
run pr --json job list --all
is "$(py 'all(j["state"] == "done" for j in d), len(set(j["id"] for j in d)) == len(d)')" 'True True' 'every job is done'
stop_serve
python3 - "$HOME_DIR/mail" >"$WORK/py" <<'P'
import email, pathlib, sys
bodies = {}
for path in pathlib.Path(sys.argv[1]).rglob('*'):
    if path.is_file() and path.parent.name in ('new', 'cur'):
        data = path.read_bytes()
        bodies.setdefault(email.message_from_bytes(data)['message-id'], set()).add(data.partition(b'\n\n')[2])
print([i for i, b in bodies.items() if len(b) > 1])
P
is "$(cat "$WORK/py")" '[]' 'no id was ever given to two mails'
exits 0 'all is well' pr doctor

# Accepted before anybody looked, with an answered mail that never came to Done.
rm -rf "$WORK/there"
HOME_DIR=$WORK/there
pr restore "$WORK/bk" >/dev/null
rm -rf "$HOME_DIR/mail" && cp -a "$OLD/mail" "$HOME_DIR/mail"
rm "$HOME_DIR/mail/.postrider-home"
mv "$(grep -l '^Subject: after' "$HOME_DIR"/mail/envoy/.Done/cur/*)" "$HOME_DIR/mail/envoy/new/"
ok 'the owner accepts it at once' pr doctor --accept-backup
ok 'a pass' pr serve --once
is "$(subjects)" "$(cat "$WORK/subjects")" 'answers nothing again'

# A store that is as old as its mail is no reason to stop.
rm -rf "$WORK/there" "$WORK/bk2"
HOME_DIR=$OLD
pr backup "$WORK/bk2" >/dev/null
rm -rf "$HOME_DIR/state" && cp -a "$WORK/bk2/state" "$HOME_DIR/state"
ok 'a backup of a moment ago goes on' pr ask 'as if nothing had been'
done_testing
