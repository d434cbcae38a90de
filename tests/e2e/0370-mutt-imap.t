#!/usr/bin/env bash
# A person with mutt on a real IMAP server, who sends by a real Postfix: asks, reads, answers, and all of it is one
# thread: for mutt, for Python's imaplib and email, and for Dovecot's own THREAD.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/mutt.sh"
. "$POSTRIDER_SRC/tests/lib/imap.sh"
command -v mutt >/dev/null || skip_all 'no mutt'
command -v tmux >/dev/null || skip_all 'no tmux'
need_terminal

imap_start
[ -n "$SMTP_PORT" ] || skip_all "Postfix needs root"
trap 'term kill-server 2>/dev/null; "$mailserver" stop "$MAIL" >/dev/null 2>&1; tap_end' EXIT

imap_home
"$PR_BIN" --home "$HOME_DIR" config set postrider owner alice@test.example
for setting in "smtp-host 127.0.0.1" "smtp-port $SUBMISSIONS_PORT" "smtp-ca-file $MAIL_CA" "smtp-user agent@test.example" \
    "smtp-password-file secret"; do
    pr config set 'account work' ${setting% *} "${setting#* }"
done
cat >"$HOME_DIR/scripts/hello" <<END
#!/bin/sh
cat >'$WORK/prompt'
echo "This is the answer — ünd a line so long that it has to be folded somewhere on its way to the reader of it."
END
start_serve
ok 'the account logs in' wait_for visited

# alice's settings, as a person writes them. What she writes is kept beside what she gets, as many do.
export HOME=$WORK EDITOR=$WORK/editor
unset VISUAL
cat >"$WORK/muttrc" <<END
set from = alice@test.example
set use_from = yes
set imap_user = alice@test.example
set imap_pass = alice-pw
set ssl_starttls = no
set ssl_force_tls = no
set folder = imap://127.0.0.1:$IMAP_PORT/
set spoolfile = +INBOX
set record = +INBOX
set smtp_url = smtp://127.0.0.1:$SMTP_PORT/
set hostname = test.example
set sort = threads
set index_format = '%4C %-20.20F %s'
set mail_check = 0
set send_charset = utf-8
set charset = utf-8
set copy = yes
set fcc_before_send = yes
unset confirmappend
unset mark_old
END
printf '#!/bin/sh\n{ cat "%s"; echo; cat "$1"; } >"$1.new" && mv "$1.new" "$1"\n' "$WORK/words" >"$EDITOR"
chmod 700 "$EDITOR"

echo 'Which tabs are wide?' | mutt -F "$WORK/muttrc" -s 'wide tabs' agent@test.example
has() { [ "$(IMAPBOX_USER=alice box subjects INBOX | wc -l)" = "$1" ]; }
ok 'what mutt sends by Postfix is answered into the mailbox' wait_for has 2
term new-session -d -s mutt -x 120 -y 40 mutt -F "$WORK/muttrc"
sees 'mutt lists the question' 'To agent.* wide tabs'
sees 'and the answer below it, threaded' '[0-9] .*└─>'
keys '*' Enter
sees 'it reads the answer' 'answer — ünd a line so long that it has to be folded'

# The answer of a person, by what mutt makes of Reply-To, In-Reply-To and References.
echo 'And the second part?' >"$WORK/words"
reply()
{
    keys r
    wait_for on_screen '^Reply to .*\?' && keys y || return 1 # to Reply-To, and not to From
    wait_for on_screen '^To: ' && keys Enter || return 1
    wait_for on_screen '^Subject: ' && keys Enter || return 1
    wait_for on_screen '^Include message' && keys y || return 1
    wait_for on_screen 'y:Send' && keys y || return 1
}
ok 'mutt replies' reply
ok 'and is answered again' wait_for has 4
like "$(cat "$WORK/prompt")" 'And the second part' 'by one who has read it'
is "$(pr --json job list --all | python3 -c 'import json,sys; print(*((j["state"], j["round"]) for j in json.load(sys.stdin)))')" \
    "('done', 2)" 'on the same job'
keys i
ok 'mutt has it' wait_for shows_mails 4
as_tree() { [ "$(screen | grep -cE '^ +[0-9]+ .*(└─>|├─>)')" = 3 ]; }
ok 'below the first, as one tree' wait_for as_tree
keys q

# Independent readers of the same mailbox.
python3 - "$IMAP_PORT" >"$WORK/py" <<'P'
import email, email.policy, email.utils, imaplib, sys
box = imaplib.IMAP4("127.0.0.1", int(sys.argv[1]))
box.login("alice@test.example", "alice-pw")
box.select("INBOX", True)
mails = [email.message_from_bytes(part[1], policy=email.policy.default)
         for part in box.fetch("1:*", "(BODY.PEEK[])")[1] if isinstance(part, tuple)]
known = {m["message-id"]: m for m in mails}
parent = lambda m: (m["in-reply-to"] or "").strip()
ids = lambda m: (m["references"] or "").split()
print("defects", [d for m in mails for p in m.walk() for d in p.defects])
print("dates", all(email.utils.parsedate_to_datetime(str(m["date"])) for m in mails))
print("chain", [len(ids(m)) for m in mails], all(parent(m) in known for m in mails[1:]))
print("references", all(ids(m) == ids(known[parent(m)]) + [parent(m)] for m in mails[1:]))
print("subjects", sorted({str(m["subject"]) for m in mails}))
print("from", sorted({m["from"].addresses[0].addr_spec for m in mails}))
print("auto", [m["auto-submitted"] for m in mails])
print("thread", box.thread("REFERENCES", "UTF-8", "ALL")[1][0].decode())
P
is "$(cat "$WORK/py")" "defects []
dates True
chain [0, 1, 2, 3] True
references True
subjects ['Re: wide tabs', 'wide tabs']
from ['agent@test.example', 'alice@test.example']
auto [None, 'auto-replied', None, 'auto-replied']
thread (1 2 3 4)" "Python and Dovecot see the same thread"
stop_serve
done_testing
