#!/usr/bin/env bash
# A real mutt with the muttrc of `init`: reads the agent's answer, replies to it, stops the job.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"
. "$(dirname "$0")/../lib/mutt.sh"
command -v mutt >/dev/null || skip_all 'no mutt'
command -v tmux >/dev/null || skip_all 'no tmux'
need_terminal

# A home whose name is hard to quote: mutt splits and expands its settings.
HOME_DIR="$WORK/it's a \$home"
export HOME=$WORK EDITOR=$WORK/editor
unset VISUAL

trap 'term kill-server 2>/dev/null; end_brains; tap_end' EXIT

# The person's editor: their text above what mutt quotes, or below it.
cat >"$EDITOR" <<END
#!/bin/sh
if [ -e '$WORK/above' ]; then
    { cat '$WORK/above'; echo; cat "\$1"; } >"\$1.new"
else
    { cat "\$1"; echo; cat '$WORK/below'; } >"\$1.new"
fi
mv "\$1.new" "\$1"
END
chmod 700 "$EDITOR"
above() { rm -f "$WORK/below"; echo "$1" >"$WORK/above"; }
below() { rm -f "$WORK/above"; echo "$1" >"$WORK/below"; }

# Replies to the mail under the cursor, as a person does: r, recipient, subject, quote, send. What mutt says in the
# end is gone when new mail has come; that it lies in Sent is not.
sent() { find "$HOME_DIR"/mail/you/.Sent/cur "$HOME_DIR"/mail/you/.Sent/new -type f 2>/dev/null | wc -l; }
has_sent() { [ "$(sent)" -gt "$1" ] && ! on_screen 'y:Send'; }
# A key that comes while mutt still draws its menu is thrown away: it is pressed again where nothing follows for a while.
is_sent_by_now()
{
    has_sent "$1" && return 0
    if [ "$SECONDS" -ge "$AGAIN" ] && on_screen 'y:Send'; then
        keys y
        AGAIN=$((SECONDS + 3))
    fi
    return 1
}
reply()
{
    local before AGAIN
    before=$(sent)
    keys r
    wait_for on_screen '^To: ' && keys Enter || return 1
    wait_for on_screen '^Subject: ' && keys Enter || return 1
    wait_for on_screen '^Include message' && keys y || return 1
    wait_for on_screen 'y:Send' && keys y || return 1
    AGAIN=$((SECONDS + 3))
    wait_for is_sent_by_now "$before"
}
job_at() # ID 'STATE ROUND', in one look
{
    [ "$(pr --json job list --all |
        python3 -c "import json,sys; print(*((j['state'], j['round']) for j in json.load(sys.stdin) if j['id'] == $1))")" = "('${2% *}', ${2#* })" ]
}
jobs() { pr --json job list --all | grep -c '"id":'; }

pr init >/dev/null
# Answers with what was new. While $WORK/slow is there it waits to be let go.
cat >"$HOME_DIR/scripts/hello" <<END
#!/bin/sh
sed -n '/^=== NEW MAIL /,/^=== END /p' >'$WORK/prompt'
if [ -e '$WORK/slow' ]; then
    mkfifo '$WORK'/gate.\$\$
    echo \$\$ >>'$WORK/begun'
    read -r _ <'$WORK'/gate.\$\$
fi
echo "This is the answer — ünd a line so long that it has to be folded somewhere on its way to the reader of it."
sed -n '/^\$/,\$p' '$WORK/prompt' | sed -n 's/^\([A-Z].*\)/you said: \1/p'
END
start_serve
ok 'a question is asked' pr ask 'Which tabs are wide?'

# Reading.
term new-session -d -s mutt -x 120 -y 40 mutt -F "$HOME_DIR/muttrc"
sees 'mutt lists the answer' 'envoy .*Re: Which tabs are wide'
keys Enter
sees 'and shows it' 'answer — ünd a line so long that it has to be folded somewhere on its way to the reader of it'
sees 'with what can be said' 'reply STOP, STATUS, WHY, or just write'
not_ok 'as text, not as HTML' on_screen '<p>|</small>'

# Replying.
above 'And the second part?'
ok 'mutt sends a reply' reply
ok 'it reaches the same job, as its next round' wait_for job_at 1 'done 2'
like "$(cat "$WORK/prompt")" 'And the second part' 'the brain has read it'
is "$(jobs)" 1 'and it is the only job'
keys i
ok 'mutt has the next answer' wait_for shows_mails 2
sees 'below the first one, threaded' '└─>'
two_sent() { [ "$(sent)" = 2 ]; }
ok 'what you wrote lies in Sent' wait_for two_sent

# Orders, with what mutt quotes around them.
touch "$WORK/slow"
above 'Something long, please.'
keys '*' # the last mail
ok 'a reply' reply
ok 'is worked on' wait_for begun 1
above 'Stop.'
ok 'the reply "Stop." above the quoted text' reply
ok 'stops the job' wait_for job_at 1 'stopped 3'
ok 'and the person reads that' wait_for shows_mails 3
rm "$WORK/slow"
keys '*' Enter
sees 'with the way on' 'CONTINUE'
below 'continue'
ok 'the reply "continue" below the quoted text' reply
ok 'goes on' wait_for job_at 1 'done 3'
like "$(cat "$WORK/prompt")" 'Something long' 'with the mail that was not answered yet'
keys i
above 'Stop using tabs'
ok 'the reply "Stop using tabs"' reply
ok 'is a task' wait_for job_at 1 'done 4'
like "$(cat "$WORK/prompt")" 'Stop using tabs' 'that the brain has read'
touch "$WORK/slow"
above 'Once more, please.'
ok 'a reply' reply
ok 'is worked on' wait_for begun 2
below 'STOP!'
ok 'the reply "STOP!" below the quoted text' reply
ok 'stops the job' wait_for job_at 1 'stopped 5'
rm "$WORK/slow"
keys q
gone() { ! term has-session -t mutt; }
ok 'mutt ends' wait_for gone

# Without a screen.
in_mutt() { mutt -F "$HOME_DIR/muttrc" "$@"; }
echo 'A body — by mutt.' | in_mutt -s 'by batch' envoy@postrider.local
ok 'mutt sends in batch' wait_for job_at 2 'done 1'
like "$(cat "$WORK/prompt")" 'A body — by mutt\.' 'and the brain has read it'
echo 'To a name alone.' | in_mutt -s 'by name' envoy
ok 'a name alone is an address' wait_for job_at 3 'done 1'
printf 'a\0b' >"$WORK/data.bin"
cat >"$HOME_DIR/scripts/hello" <<END
#!/bin/sh
cp in/* '$WORK/got.bin'
echo attached back >out/back.txt
echo 'I have it.'
END
echo 'With a file.' | in_mutt -s 'a file' -a "$WORK/data.bin" -- envoy
ok 'a mail with an attachment' wait_for job_at 4 'done 1'
ok 'comes whole' cmp "$WORK/data.bin" "$WORK/got.bin"
settled() { [ "$(pr outbox list | wc -l)" -le 1 ]; }
wait_for settled
stop_serve

# An independent reader of all of it: Python.
python3 - "$HOME_DIR/mail/you" "$HOME_DIR/mail/envoy" "$WORK/all" >"$WORK/py" <<'P'
import email, email.policy, email.utils, mailbox, sys
def read(f): return email.message_from_binary_file(f, policy=email.policy.default)
you, envoy, everything = (mailbox.Maildir(p, read, create=i == 2) for i, p in enumerate(sys.argv[1:]))
inbox, asked = list(you), list(you.get_folder('Sent'))
ids = lambda m, h: (m[h] or '').split()
parent = lambda m: (ids(m, 'in-reply-to') or [None])[0]
known = {m['message-id']: m for m in inbox + asked}
print('mails', len(inbox), len(asked), 'unique', len(known) == len(inbox + asked))
print('defects', [d for m in inbox + asked for p in m.walk() for d in p.defects])
print('dates', all(email.utils.parsedate_to_datetime(str(m['date'])) for m in inbox + asked))
print('all answer', all(parent(m) in known for m in inbox))
print('references', [m['subject'] for m in inbox + asked if parent(m) and
    ids(m, 'references') != ids(known[parent(m)], 'references') + [parent(m)]])
root = next(m for m in asked if m['subject'] == 'Which tabs are wide?')['message-id']
first = [m for m in inbox + asked if m['message-id'] == root or root in ids(m, 'references')]
print('first thread', len(first), sorted({m['subject'] for m in first}))
print('text', all('answer — ünd a line so long' in m.get_body(('plain',)).get_content() for m in inbox
    if m['subject'] == 'Re: by batch'))
print('file', [p.get_filename() + '=' + p.get_content().strip() for m in inbox for p in m.iter_attachments()])
there = [m['message-id'] for f in (envoy, envoy.get_folder('Done')) for m in f]
print('all arrived, once', sorted(there) == sorted(m['message-id'] for m in asked))
for m in first: everything.add(mailbox.MaildirMessage(m))
P
is "$(cat "$WORK/py")" "mails 10 11 unique True
defects []
dates True
all answer True
references []
first thread 15 ['Re: Which tabs are wide?', 'Which tabs are wide?']
text True
file ['back.txt=attached back']
all arrived, once True" "Python reads the same threads"

term new-session -d -s mutt -x 120 -y 40 mutt -F "$HOME_DIR/muttrc" -f "$WORK/all"
sees 'in one mailbox each answer stands below its question' 'To envoy.* Which tabs are wide'
as_tree() { [ "$(screen | grep -cE '^ +[0-9]+ .*└─>|^ +[0-9]+ .*├─>')" = 14 ]; }
ok 'as one tree' wait_for as_tree
keys x
exits 0 'all is well' pr doctor

# mutt splits `sendmail` at every space, also where the program lies in a folder that has one.
spaced="$WORK/my programs"
mkdir "$spaced"
cp "$PR_BIN" "$(dirname "$PR_BIN")"/src/cli/postrider-* "$spaced/" 2>/dev/null
"$spaced/postrider" --home "$WORK/second" init </dev/null >/dev/null
echo 'by PATH' | mutt -F "$WORK/second/muttrc" -s 'from far' envoy
like "$("$spaced/postrider" --home "$WORK/second" outbox list --all 2>&1)" 'from far' 'a program whose path has a space sends, too'
done_testing
