#!/usr/bin/env bash
# Nobody starts a mail war, over real servers: two homes that write to each other, and one home with responders,
# one of which is Dovecot's own (Sieve, RFC 5230). With servers that take out the header that says so, too.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/imap.sh"

# Each home reads USER's mailbox and sends as USER; all three are principals of each.
# home USER
home()
{
    local dir=$WORK/home-$1 user
    "$PR_BIN" --home "$dir" init >/dev/null
    cat >"$dir/postrider.conf" <<END
[postrider]
owner = you@postrider.local
[account work]
kind = imap
role = envoy
host = 127.0.0.1
port = $IMAPS_PORT
ca-file = $MAIL_CA
user = $1@test.example
password-file = secret
smtp-host = 127.0.0.1
smtp-port = $SUBMISSIONS_PORT
smtp-ca-file = $MAIL_CA
smtp-user = $1@test.example
smtp-password-file = secret
[trust]
principals = alice@test.example bob@test.example agent@test.example
require-auth = none
[brain default]
kind = command
command = scripts/chatter
[role envoy]
address = $1@test.example
END
    (umask 077; echo "$1-pw" >"$dir/secret")
    # Never says the same twice.
    printf '#!/bin/sh\ncat >/dev/null\necho "Thank you. What about $(date +%%N)?"\n' >"$dir/scripts/chatter"
    chmod 700 "$dir/scripts/chatter"
}

PIDS=()
begin() # USER...: their homes are at work, and have made their first visit
{
    local user
    for user; do
        "$PR_BIN" --home "$WORK/home-$user" serve >>"$WORK/serve-$user.log" 2>&1 </dev/null &
        PIDS+=($!)
    done
    for user; do wait_for grep -q 'first visit' "$WORK/serve-$user.log" || diag "no visit: $(cat "$WORK/serve-$user.log")"; done
}
stop()
{
    local pid
    for pid in "${PIDS[@]}"; do kill "$pid" && wait "$pid"; done 2>/dev/null
    PIDS=()
    "$mailserver" stop "$MAIL" >/dev/null 2>&1
    rm -rf "$WORK"/home-* "$WORK"/serve-* "$WORK/responder.log"
}
trap 'stop; tap_end' EXIT

# ask FROM TO WORDS: a person, with a plain mail client, by Postfix.
ask()
{
    python3 - "$SMTP_PORT" "$@" <<'P'
import smtplib, sys, time
port, sender, to, words = sys.argv[1:]
with smtplib.SMTP("127.0.0.1", int(port)) as smtp:
    smtp.sendmail(sender, [to], f"From: {sender}\r\nTo: {to}\r\nSubject: {words}\r\n"
                  f"Message-ID: <{time.time_ns()}@test.example>\r\nDate: Sun, 15 Nov 2026 09:30:00 +0000\r\n\r\n{words}?\r\n")
P
}

# quiet: Postfix has nothing, every home knows all mail that lies for it, and none has anything to do.
quiet()
{
    python3 - "$MAIL" "$WORK" <<'P'
import glob, imaplib, os, re, sqlite3, sys
mail, work = sys.argv[1:]
env = dict(line.rstrip("\n").split("=", 1) for line in open(mail + "/env"))
def queued():
    return [f for q in ("incoming", "active", "deferred", "maildrop") for _, _, f in os.walk(f"{mail}/postfix/queue/{q}") if f]
def ids(user):
    box = imaplib.IMAP4("127.0.0.1", int(env["IMAP_PORT"]))
    box.login(f"{user}@test.example", f"{user}-pw")
    box.select("INBOX", True)
    data = box.uid("FETCH", "1:*", "(BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])")[1]
    return {i for part in data if isinstance(part, tuple) for i in re.findall(r"<(\S+)>", part[1].decode())}
def busy(home):
    db = sqlite3.connect(f"file:{home}/state/postrider.db?mode=ro", uri=True)
    one = lambda sql: db.execute(sql).fetchone()[0]
    known = {row[0] for row in db.execute("SELECT msgid FROM message")}
    return (ids(home.rpartition("-")[2]) - known or one("SELECT count(*) FROM message WHERE state IN ('stored', 'shown')")
            or one("SELECT count(*) FROM job WHERE state IN ('queued', 'running')") or one("SELECT count(*) FROM effect")
            or one("SELECT count(*) FROM remote WHERE wants IS NOT NULL")  # a mail that is being moved lies in two folders
            or one("SELECT count(*) FROM delivery WHERE state IN ('ready', 'retry', 'sending', 'waiting')"))
def owes():
    """A responder owes an answer to each mail in its INBOX."""
    if not os.path.exists(work + "/responder.log"):
        return False
    answered = open(work + "/responder.log").read()
    return any(i not in answered for i in ids("bob"))
# Twice: a mail may pass from a part that was looked at to one that was looked at before.
look = lambda: queued() or any(busy(home) for home in glob.glob(work + "/home-*")) or owes() or queued()
sys.exit(bool(look() or look()))
P
}
is_quiet() { wait_for quiet || diag "not quiet: $(tail -n 5 "$WORK"/serve-*.log)"; }

# mails USER FROM: how many lie in USER's mailbox from FROM
mails()
{
    python3 - "$MAIL" "$@" <<'P'
import imaplib, sys
env = dict(line.rstrip("\n").split("=", 1) for line in open(sys.argv[1] + "/env"))
box = imaplib.IMAP4("127.0.0.1", int(env["IMAP_PORT"]))
box.login(f"{sys.argv[2]}@test.example", f"{sys.argv[2]}-pw")
n = 0
for folder in ("INBOX", "postrider/Done", "postrider/Active"):
    if box.select(f'"{folder}"', True)[0] == "OK":
        n += len(box.uid("SEARCH", "FROM", f"{sys.argv[3]}@test.example")[1][0].split())
print(n)
P
}

# responder USER [ARG...]: a program that answers every mail in USER's INBOX and says nowhere that it is one.
cat >"$WORK/responder" <<'END'
#!/usr/bin/python3
import email, email.policy, email.utils, imaplib, smtplib, sys
env = dict(line.rstrip("\n").split("=", 1) for line in open(sys.argv[1] + "/env"))
user, kind = sys.argv[2], sys.argv[3]
box = imaplib.IMAP4("127.0.0.1", int(env["IMAP_PORT"]))
box.login(f"{user}@test.example", f"{user}-pw")
done = set()
while True:
    box.select("INBOX")
    for uid in set(box.uid("SEARCH", "UNDELETED")[1][0].split()) - done:
        done.add(uid)
        m = email.message_from_bytes(box.uid("FETCH", uid, "(BODY.PEEK[])")[1][0][1], policy=email.policy.default)
        to = (m["Reply-To"] or m["From"]).addresses[0].addr_spec
        answer = email.message.EmailMessage()
        answer["From"], answer["To"], answer["Subject"] = f"{user}@test.example", to, f"Re: {m['Subject']}"
        answer["Message-ID"], answer["Date"] = email.utils.make_msgid(domain="test.example"), email.utils.formatdate()
        answer["In-Reply-To"] = answer["References"] = m["Message-ID"]
        text = "I am away until Monday.\n"
        if kind == "anew":
            text = f"I am away until Monday. This is answer number {len(done)}.\n"
        elif kind == "quotes":
            text += "\nOn Sunday you wrote:\n" + "".join(f"> {line}\n" for line in m.get_body(("plain",)).get_content().splitlines())
        answer.set_content(text)
        with smtplib.SMTP("127.0.0.1", int(env["SMTP_PORT"])) as smtp:
            smtp.sendmail(f"{user}@test.example", [to], answer.as_bytes())
        print("answered", m["Message-ID"], flush=True)
    box.send(b"A1 IDLE\r\n")
    print("idle", flush=True)
    while b"EXISTS" not in (line := box.readline()):
        if not line:
            sys.exit()
    box.send(b"DONE\r\n")
    while not box.readline().startswith(b"A1"):
        pass
END
responder()
{
    python3 "$WORK/responder" "$MAIL" "$@" >"$WORK/responder.log" 2>&1 &
    PIDS+=($!)
    wait_for grep -q idle "$WORK/responder.log"
}

mkdir "$WORK/sieve"
cat >"$WORK/sieve/alice.sieve" <<'END'
require ["vacation"];
vacation :days 1 :subject "Away" "I am away until Monday.";
END
[ ! -e /usr/lib/dovecot/modules/lib90_sieve_plugin.so ] || export MAILSERVER_SIEVE=$WORK/sieve

# Honest servers.
imap_start
[ -n "$SMTP_PORT" ] || skip_all "Postfix needs root"
home agent; home bob
begin agent bob
ask bob@test.example agent@test.example 'a first mail that looks like a person'
is_quiet
is "$(mails bob agent) $(mails agent bob)" "1 1" "two homes are silent after an answer to the first mail"
"$PR_BIN" --home "$WORK/home-bob" send --from envoy --to agent@test.example --subject 'one begins' <<<'Shall we talk?' >/dev/null 2>&1
is_quiet
is "$(mails bob agent) $(mails agent bob)" "2 2" "so they are when one of them is told to write to the other"
like "$("$PR_BIN" --home "$WORK/home-bob" --json mail list --state ignored)" 'automatic: Auto-Submitted' "since each says that it is a program"
if [ -n "${MAILSERVER_SIEVE:-}" ]; then
    ask bob@test.example alice@test.example 'are you there'
    is_quiet
    is "$(mails bob alice)" 1 "Dovecot's own responder answers people"
    ask alice@test.example agent@test.example 'a question before I leave'
    is_quiet
    is "$(mails alice agent) $(mails agent alice)" "1 1" "one mail to somebody on vacation, and no word of the responder"
else
    skip "Dovecot's own responder" "no dovecot-sieve"
fi
stop

# Responders that know no rules.
imap_start
home agent
begin agent
responder bob plain
ask bob@test.example agent@test.example 'a question of a person'
is_quiet
is "$(mails bob agent)" 2 "a responder that knows no rules gets two mails"
like "$("$PR_BIN" --home "$WORK/home-agent" --json mail list --state held)" 'loop: the same text came before' "and is known then"
stop
imap_start
home agent
begin agent
responder bob quotes
ask bob@test.example agent@test.example 'a question of a person'
is_quiet
is "$(mails bob agent)" 2 "so does one that quotes what it answers"
like "$("$PR_BIN" --home "$WORK/home-agent" --json mail list --state held)" 'loop: the same text came before' "and is known as well"
stop
imap_start
home agent
"$PR_BIN" --home "$WORK/home-agent" config set postrider max-mails-per-hour 4 >/dev/null
begin agent
responder bob anew
ask bob@test.example agent@test.example 'a question of a person'
is_quiet
is "$(mails bob agent)" 4 "one that says something new each time is stopped by the limit"
like "$("$PR_BIN" --home "$WORK/home-agent" status)" 'may mail [0-9]+ to bob@test.example leave' "and a person is asked"
stop

# Servers that take out what says that a program wrote it.
export MAILSERVER_STRIP='Auto-Submitted'
imap_start
home agent; home bob
begin agent bob
ask bob@test.example agent@test.example 'a first mail'
is_quiet
is "$(mails bob agent) $(mails agent bob)" "1 1" "two homes without Auto-Submitted: one answer, and silence"
stop
export MAILSERVER_STRIP='(Auto-Submitted|X-Auto-Response-Suppress)'
imap_start
home agent
begin agent
if [ -n "${MAILSERVER_SIEVE:-}" ]; then
    ask alice@test.example agent@test.example 'a question before I leave'
    is_quiet
    n=$(mails alice agent)
    is "$(mails agent alice)" 2 "Dovecot's responder answers what does not look like a program's"
    ok "and is silent after $n mails" [ "$n" -ge 1 -a "$n" -le 2 ]
else
    skip "Dovecot's own responder" "no dovecot-sieve"
fi
stop
done_testing
