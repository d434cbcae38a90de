#!/usr/bin/env bash
# The store is lost. What was only said about a mail (that it came, that it is worked on, what was found so far, a
# question) is no answer to it: the mail is listed, and can be released. What settled a mail is.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"
. "$(dirname "$0")/../lib/loop.sh"

pass_by() { pr serve --once >/dev/null 2>>"$WORK/log"; }
# Without its checkpoint in INBOX, which would bring the job back; the copy in Sent stays.
lose() { rm -rf "$HOME_DIR/state"; in_folder INBOX | xargs -r grep -l continuation.json | xargs -r rm; }
fate() { pr --json mail list --limit 100 | python3 -c 'import json, sys
print(*sorted(": ".join((m["subject"], m["folder"], m["state"], m["why"] or "-")) for m in json.load(sys.stdin) if m["class"] != "checkpoint"), sep="\n")'; }
kinds() { pr --json outbox list --all --limit 1000 | python3 -c 'import json, sys
print(*sorted({m["kind"] for m in json.load(sys.stdin)}))'; }
in_sent() { in_folder Sent | xargs -r grep -l "$1" | wc -l; }
answer='{"status":"complete","current_phase":"complete","send_emails":[{"body":"Here it is."}]}'
found='{"status":"continue","working_note":"half","send_emails":[{"body":"So far I found this."}]}'
listed() # NAME: it is listed, released, and then answered once
{
    is "$(fate)" 'the task: Active: ignored: history: was in hand' "$1: the mail is not handled"
    like "$(pr status)" '1 old mail was left alone' "$1: status lists it"
    is "$(pr --json job list --all)" '[]' "$1: nobody works on it by himself"
    steps "$answer"
    ok "$1: the owner releases it" pr doctor --release all
    pass_by
    is "$(grep -rl 'Here it is' "$HOME_DIR/mail/you" | wc -l)" 1 "$1: then it is answered, once"
    rm -rf "$HOME_DIR/state"
    pass_by && pass_by
    is "$(fate | sed 's/.*: handled: //')" 'history: filed as done' "$1: and not again"
    is "$(grep -rl 'Here it is' "$HOME_DIR/mail/you" | wc -l)" 1 "$1: by anybody"
}
begin() { loop_home; pr config set 'role envoy' max-iterations 1; }
task() { echo please | pr send --to envoy --subject 'the task' >/dev/null; }

# --- interim findings, and the copy of a checkpoint ---

begin
steps "$found" "$answer"
task
pass_by
is "$(job state) $(kinds)" 'parked checkpoint interim letter' 'a job has said what it found so far'
is "$(in_sent 'So far I found') $(in_sent continuation.json)" '1 1' 'that, and a copy of its checkpoint, lie in Sent'
lose
pass_by
listed interim

# --- a question, whose job had gone on ---

begin
steps '{"status":"waiting","current_phase":"waiting","wait":{"for":"reply","until":"","then":"continue"},"send_emails":[{"body":"Which one?"}]}'
task
pass_by
is "$(job state) $(in_sent 'Which one')" 'parked 1' 'a job asks, and waits'
pr stop 1 >/dev/null
pass_by
pr continue 1 >/dev/null
is "$(job state) $(in_folder INBOX | wc -l)" 'queued 0' 'it is to go on, and its checkpoint is filed'
rm -rf "$HOME_DIR/state"
pass_by
listed question

# --- "I have your mail", and the word about long work ---

begin
pr config set 'brain default' kind command
pr config set 'brain default' command "$HOME_DIR/scripts/slow"
printf '#!/bin/sh\ncat >/dev/null\nread -r _ <"%s"\nexit 1\n' "$WORK/gate" >"$HOME_DIR/scripts/slow"
chmod +x "$HOME_DIR/scripts/slow"
mkfifo "$WORK/gate"
pr config set postrider ack-after 1s
pr config set postrider progress-every 1s
start_serve
task
ok 'somebody hears that it came' wait_for you_have 'I have your mail'
ok 'and that it is worked on' wait_for you_have 'I am still at this'
is "$(kinds)" 'ack letter progress' 'each is what it is'
kill_serve
for p in $(at_work); do kill -KILL "$p"; done 2>/dev/null
echo go 1<>"$WORK/gate"
nothing_left() { [ -z "$(at_work)" ]; }
ok 'everything is killed' wait_for nothing_left
rm -rf "$HOME_DIR/state"
pr config set postrider ack-after 1h
pr config set postrider progress-every 1h
pr config set 'brain default' kind script
[ -z "$(in_folder INBOX)" ] || { mkdir -p "$HOME_DIR"/mail/envoy/.Active/{new,cur,tmp}; mv $(in_folder INBOX) "$HOME_DIR/mail/envoy/.Active/cur/"; }
pass_by
listed 'ack and progress'

# --- a question about what is held, the word to whoever asked, and a notice of failure ---

begin
steps '{"status":"continue","send_emails":[{"to":["ann@y.example"],"subject":"Hello","body":"A word."}]}' "$answer"
task
pass_by
is "$(kinds)" 'checkpoint interim letter question' 'the owner is asked about a mail'
ok 'which is held' test -n "$(pr outbox list | grep held)"
lose
pass_by
listed question

# --- an answer settles all that it was shown, also what it does not reply to ---

begin
mail() # ID FROM [REPLY-TO]
{
    printf 'From: %s\nTo: envoy@postrider.local\nSubject: %s\nMessage-ID: <%s@client.example>\n%s\nAnd %s?\n' "$2" "$1" "$1" \
        "${3:+In-Reply-To: <$3@client.example>
References: <$3@client.example>
}" "$1" | pr sendmail -t
}
mail first you@postrider.local
pr deliver >/dev/null 2>&1 && pr account main --once >/dev/null 2>&1
mail second you@postrider.local first
mail third you@postrider.local first
steps "$answer"
pass_by
is "$(job state) $(pr --json mail list --state handled | grep -c '"id"')" 'done 3' 'three mails are settled by one answer'
sent=$(in_folder Sent | xargs grep -l 'Here it is')
like "$(sed -z 's/\n[ \t]/ /g' "$sent")" 'X-Postrider-Settles: <first@client.example> <second@client.example> <third@client.example>' 'which names them'
mv "$HOME_DIR"/mail/envoy/.Done/cur/* "$HOME_DIR/mail/envoy/cur/"
rm -rf "$HOME_DIR/state"
pass_by
is "$(fate | sed 's/.*INBOX: //' | sort -u)" 'handled: history: answered by a mail in Sent' 'a lost store knows it of each'

# --- but not what it leaves open: a program says which mails its reply settles, and is killed then ---

begin
mail first you@postrider.local
pr deliver >/dev/null 2>&1 && pr account main --once >/dev/null 2>&1
mail second you@postrider.local first
pr config set 'brain default' kind command
pr config set 'brain default' command "$HOME_DIR/scripts/half"
pr config set 'role envoy' mode program
cat >"$HOME_DIR/scripts/half" <<'END'
#!/usr/bin/env python3
import json, os, signal, socket, sys
sys.stdin.read()
s = socket.socket(socket.AF_UNIX)
s.connect(os.environ['POSTRIDER_PORT'])
s.sendall(json.dumps({'verb': 'reply', 'body': 'The second one.', 'settles': ['<second@client.example>']}).encode() + b'\n')
s.recv(4096)
sys.exit(1)
END
chmod +x "$HOME_DIR/scripts/half"
pass_by
ok 'one of two mails is settled by a reply' test "$(in_sent 'The second one')" = 1
rm -rf "$HOME_DIR/state"
find "$HOME_DIR"/mail/envoy/.[AD]* -type f ! -name maildirfolder -exec mv {} "$HOME_DIR/mail/envoy/cur/" \;
pass_by
is "$(fate)" 'first: INBOX: ignored: history
second: INBOX: handled: history: answered by a mail in Sent' 'a lost store knows it of that one alone'

# --- mail of a version that gave no kinds counts as it did: whatever it names is answered ---

begin
steps "$found" "$answer"
task
pass_by
python3 - "$HOME_DIR" "$(in_folder Sent | xargs grep -l 'So far I found')" <<'P'
import hashlib, hmac, re, sys
key = bytes.fromhex(open(sys.argv[1] + '/key').readline().strip())
raw = open(sys.argv[2], 'rb').read()
def mac(k, d): return hmac.new(k, d, hashlib.sha256).digest()
def token(d, n): return ''.join('abcdefghijklmnopqrstuvwxyz234567'[int(''.join(f'{b:08b}' for b in d)[5 * i:5 * i + 5], 2)] for i in range(n))
stem = re.search(rb'Message-ID: <(\d+\.\d+)\.', raw)[1]
use = mac(key, b'message-id 1')
tag = token(mac(use, stem + b'@postrider.local'), 13) + token(mac(use, b'any bytes'), 26)
raw = re.sub(rb'(Message-ID: <\d+\.\d+\.)[^@]*', rb'\g<1>' + tag.encode(), raw, count=1)
open(sys.argv[2], 'wb').write(raw)
P
lose
pass_by
is "$(fate)" 'the task: Active: handled: history: answered by a mail in Sent' 'an old interim word counts as an answer, as it always did'
# As does what a person wrote by hand from the mailbox of the role.
begin
steps "$found" "$answer"
task
pass_by
id=$(pr --json mail list | python3 -c 'import json, sys; print(next(m["message_id"] for m in json.load(sys.stdin) if m["class"] == "task"))')
printf 'From: envoy@postrider.local\nTo: you@postrider.local\nSubject: by hand\nMessage-ID: <hand@client.example>\nIn-Reply-To: %s\n\nI did it.\n' "$id" \
    >"$HOME_DIR/mail/envoy/.Sent/cur/1.hand:2,S"
lose
pass_by
is "$(fate | grep '^the task')" 'the task: Active: handled: history: answered by a mail in Sent' 'an answer that a person wrote by hand counts'
done_testing
