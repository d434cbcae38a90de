#!/usr/bin/env bash
# state/ is lost: nothing is answered twice, nothing old is redone in silence, new mail works at once.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"
trap 'end_brains; tap_end' EXIT

py() { printf '%s' "$OUT" | python3 -c 'import json,sys; d=json.load(sys.stdin); print('"$1"')'; }
mails() { run pr --json mail list --limit 1000 "$@"; }
drop() { cat >"$HOME_DIR/mail/$1/tmp/$2" && mv "$HOME_DIR/mail/$1/tmp/$2" "$HOME_DIR/mail/$1/new/$2"; }
answer_id() { sed -n 's/^Message-ID: //p' "$(grep -l "^Subject: Re: $1\$" "$HOME_DIR"/mail/you/new/* | head -n 1)"; }
reply() { # ID SUBJECT BODY, as a mail client does
    printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: %s\nMessage-ID: <%s@client.example>\nIn-Reply-To: %s\nReferences: %s\n\n%s\n' \
        "$2" "$RANDOM.$RANDOM" "$1" "$1" "$3" | pr sendmail -t
}
all_ids() { find "$HOME_DIR/mail" -type f -exec sed -n '/^$/q;s/^Message-ID: //Ip' {} \; | sort -u; }
job_count() { pr --json job list --all | grep -c '"id":'; }
job_done() { # ID ROUND
    run pr --json job list --all
    [ "$(py "[j['state'] for j in d if j['id'] == $1 and j['round'] == $2]")" = "['done']" ]
}
kill_all()
{
    local p
    kill_serve
    for p in $(at_work); do kill -KILL "$p"; done 2>/dev/null
    end_brains
}

pr init >/dev/null
start_serve
for n in one two three; do pr ask "question $n" >/dev/null; done
ok 'three jobs are answered' wait_for has_answers 3
three_filed() { [ "$(find "$HOME_DIR/mail/envoy/.Done/cur" -type f | wc -l)" = 3 ]; }
ok 'and filed' wait_for three_filed
printf 'From: ann@y.example\nTo: envoy@postrider.local\nMessage-ID: <ann@y>\nSubject: let me in\n\nhi\n' | drop envoy 7
held() { mails --state held && [ "$(py 'len(d)')" = 1 ]; }
ok 'a mail is held' wait_for held
cp "$HOME_DIR/scripts/hello" "$WORK/hello"
slow_brain
echo 'a long task' | pr send --to envoy --subject 'in hand' >/dev/null
ok 'a job works' wait_for begun 1
kill_all
nothing_left() { [ -z "$(at_work)" ]; }
ok 'everything is killed' wait_for nothing_left
cp "$WORK/hello" "$HOME_DIR/scripts/hello"

# The answered question "two" lies in INBOX again, as if its move to Done had never been made.
two=$(grep -l '^Subject: question two' "$HOME_DIR"/mail/envoy/.Done/cur/*)
mv "$two" "$HOME_DIR/mail/envoy/cur/$(basename "$two"):2,S"
# Its answer says so by In-Reply-To alone: of References some mail clients keep the first only.
python3 - "$(grep -l '^Subject: Re: question two' "$HOME_DIR"/mail/envoy/.Sent/*/*)" <<'P'
import re, sys
text = open(sys.argv[1], 'rb').read()
open(sys.argv[1], 'wb').write(re.sub(rb'(?im)^References:.*\n(?:[ \t].*\n)*', b'References: <root@client.example>\n', text, count=1))
P
all_ids >"$WORK/ids-before"
rm -rf "$HOME_DIR/state"
start_serve
listed() { mails && [ "$(py 'len(d)')" = 5 ]; }
ok 'a new store has read the mailbox' wait_for listed
is "$(py 'sorted((m["subject"], m["folder"], m["state"], m["why"] or "") for m in d)')" \
    "[('in hand', 'INBOX', 'ignored', 'history'), ('let me in', 'INBOX', 'ignored', 'history'), \
('question one', 'Done', 'handled', 'history: filed as done'), ('question three', 'Done', 'handled', 'history: filed as done'), \
('question two', 'INBOX', 'handled', 'history: answered by a mail in Sent')]" 'and says what became of each mail'
is "$(job_count)" 0 'no job was begun'
run pr status
like "$OUT" '2 old mails were left alone' 'status lists what was left alone'
exits 1 'status --check tells somebody' pr status --check

ok 'new mail works at once' pr ask 'something new'
ok 'and is answered' wait_for has_answers 4
is "$(job_count)" 1 'as the only job'
run pr --json job list --all
job=$(py 'd[0]["id"]')
ok 'under a number that no earlier job had' test "$job" -gt 4

# The old conversations go on: their jobs are unknown now.
one=$(answer_id 'question one')
reply "$one" 'Re: question one' 'And then?'
ok 'a reply to an old answer begins a job' wait_for job_done $((job + 1)) 1
reply "$(answer_id 'question three')" 'Re: question three' 'And here?'
ok 'one on another thread begins another' wait_for job_done $((job + 2)) 1
reply "$one" 'Re: question one' 'And once more?'
ok 'a second one on the first thread joins' wait_for job_done $((job + 1)) 2
ok 'and each has its answer' wait_for has_answers 7
is "$(job_count)" 3 'three jobs in all'

ok 'the owner releases what is left' pr doctor --release all
is "$OUT" 'released: 1; no work after all: 1 (see: postrider mail list)' 'what its sender may ask for is released'
ok 'and answered' wait_for has_answers 8
mails --state held
is "$(py '[(m["subject"], m["why"]) for m in d]')" "[('let me in', 'stranger: nobody that may ask')]" 'a stranger is still held'
ok 'the owner may vouch for it' pr doctor --release '<ann@y>'
ok 'then it is worked' wait_for job_done $((job + 4)) 1
like "$(pr outbox list)" 'held +ann@y.example' 'its answer waits for a way out'
stop_serve
is "$(answers)" 8 'nothing was answered twice'
python3 - "$HOME_DIR/mail" "$WORK/ids-before" >"$WORK/py" <<'P'
import email, pathlib, sys
bodies = {}
for path in pathlib.Path(sys.argv[1]).rglob('*'):
    if path.is_file() and path.parent.name in ('new', 'cur'):
        data = path.read_bytes()
        bodies.setdefault(email.message_from_bytes(data)['message-id'], set()).add(data.partition(b'\n\n')[2])
before = set(open(sys.argv[2]).read().split())
ours = [i for i in bodies if i not in before and i.endswith('@postrider.local>')]
print(len(ours), [i for i, b in bodies.items() if len(b) > 1], len({i.split('.')[0] for i in ours}))
P
is "$(cat "$WORK/py")" '6 [] 1' 'no id was ever given to two mails'
exits 0 'all is well' pr doctor
exits 0 'a pass' pr serve --once
is "$(answers)" 8 'has nothing to do'

# A role that is given a mailbox with 500 old mails from the owner, in use until a moment ago.
mkdir -p "$HOME_DIR"/mail/old/{new,cur,tmp,.Sent/{new,cur,tmp}}
python3 - "$HOME_DIR/mail/old" <<'P'
import sys
for i in range(500):
    sub, flags = ('cur', ':2,' + 'FRS'[:i % 4]) if i % 3 else ('new', '')
    with open(f'{sys.argv[1]}/{sub}/{1500000000 + i}.M{i}.host{flags}', 'w') as f:
        f.write(f'From: you@postrider.local\nTo: old@postrider.local\nSubject: task {i}\n'
                f'Message-ID: <{i}@old.example>\n\n' + ('STOP\n' if i == 4 else f'Please do {i}.\n'))
P
listing() { (cd "$HOME_DIR/mail/old" && find . -type f -printf '%p %m %T@ ' -exec sha256sum {} \; | sort); }
listing >"$WORK/old-before"
printf '\n[role old]\naddress = old@postrider.local\nbrain = default\n[trust]\nrequire-auth = none\n' >>"$HOME_DIR/postrider.conf"
echo 'the first real one' | pr send --to old --subject 'new to old' >/dev/null
ok 'the first pass' pr serve --once
run pr --json job list --all --role old
is "$(py '[j["subject"] for j in d]')" "['new to old']" 'starts no job for old mail, but for what we sent there'
mails --role old --state ignored
is "$(py 'len(d), set(m["why"] for m in d)')" "500 {'history'}" 'old mail is history'
listing | grep -F .host >"$WORK/old-after"
ok 'with every byte, time and flag as before' cmp "$WORK/old-before" "$WORK/old-after"
is "$(answers)" 9 'one answer came'
echo 'later' | pr send --to old --subject 'later' >/dev/null
pr serve --once
is "$(answers)" 10 'later mail is worked as ever'
done_testing
