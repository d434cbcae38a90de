#!/usr/bin/env bash
# A briefing by real servers: it leaves by SMTP, is read from IMAP, answered twice by a client like a phone's (one reply with
# the quoted text below, one that is HTML only), and answered once; all of it is one thread for Python and for Dovecot.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/imap.sh"
imap_start
[ -n "$SMTP_PORT" ] || skip_all "Postfix needs root"
D=2026-02-09
R=$HOME_DIR/reports/$D
imap_home
pr config set postrider owner alice@test.example
pr config set report role envoy
pr config set 'role envoy' name Carlton
for setting in "smtp-host 127.0.0.1" "smtp-port $SUBMISSIONS_PORT" "smtp-ca-file $MAIL_CA" "smtp-user agent@test.example" \
    "smtp-password-file secret"; do
    pr config set 'account work' ${setting% *} "${setting#* }"
done
cat >"$HOME_DIR/scripts/hello" <<END
#!/bin/sh
cat >'$WORK/prompt'
echo start >>'$WORK/starts'
read -r _ <'$WORK/door'
echo "Both: nine, and Thursday."
END
shut_door
printf '# Good morning\n\n- 09:00 budget meeting\n- dentist?\n' >"$WORK/briefing.md"
start_serve
ok 'the account logs in' wait_for visited
ok 'the briefing is sent' pr briefing send "$D" "$WORK/briefing.md"
cat >"$WORK/client.py" <<'P'
import email, email.policy, imaplib, smtplib, sys, time
from email.message import EmailMessage
imap_port, smtp_port, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]


def mails():
    box = imaplib.IMAP4("127.0.0.1", imap_port)
    box.login("alice@test.example", "alice-pw")
    box.select("INBOX", True)
    found = [email.message_from_bytes(part[1], policy=email.policy.default)
             for part in box.fetch("1:*", "(BODY.PEEK[])")[1] if isinstance(part, tuple)]
    return box, found


def answer(parent, text, html):
    m = EmailMessage()
    m["From"], m["To"] = "alice@test.example", parent["reply-to"] or parent["from"]
    m["Subject"] = "Re: " + parent["subject"]
    m["Message-ID"] = f"<{'html' if html else 'quoted'}@phone.example>"
    m["In-Reply-To"] = parent["message-id"]
    if not html:
        m["References"] = parent["message-id"]
    m["Date"] = email.utils.formatdate()
    quoted = "".join("> " + line + "\n" for line in parent.get_body(("plain",)).get_content().splitlines())
    if html:
        m.set_content(f"<div>{text}</div>", subtype="html")
    else:
        m.set_content(f"{text}\n\nOn Mon, Carlton wrote:\n{quoted}")
    with smtplib.SMTP("127.0.0.1", smtp_port) as smtp:
        smtp.sendmail("alice@test.example", [m["To"].addresses[0].addr_spec], m.as_bytes())


if command == "count":
    print(len(mails()[1]))
elif command == "reply":
    parent = mails()[1][0]
    answer(parent, sys.argv[4], sys.argv[5] == "html")
else:
    box, all_ = mails()
    first, last = all_[0], all_[-1]
    print("briefing", first["message-id"], first["subject"], first.get_content_type())
    print("answer", last["in-reply-to"], last["references"].split())
    print("text", last.get_body(("plain",)).get_content().splitlines()[0])
    print("thread", box.thread("REFERENCES", "UTF-8", "ALL")[1][0].decode())
P
client() { python3 "$WORK/client.py" "$IMAP_PORT" "$SMTP_PORT" "$@"; }
has() { [ "$(client count 2>/dev/null)" = "$1" ]; }
ok 'it arrives' wait_for has 1
client reply 'Still at nine?' text
recorded() { [ -f "$R/responses/$1-reply.md" ]; }
ok 'a reply with quoted text below is recorded' wait_for recorded 01
client reply 'And the <b>dentist</b>?' html
ok 'so is one that is HTML only, without References' wait_for recorded 02
started() { grep -q NEW.*2 "$WORK/prompt" 2>/dev/null || [ "$(grep -c start "$WORK/starts" 2>/dev/null)" -ge 1 ]; }
ok 'an agent works' wait_for started
like "$(cat "$R/responses/02-reply.md")" 'And the .?dentist.?\?' 'its text is there'
open_door
answered() { [ -z "$(grep '^## NEW' "$R/thread.md")" ]; }
ok 'all replies are answered' wait_for answered
n=$(find "$R/responses" -name '*-response.md' | wc -l)
ok 'the answer arrives' wait_for has $((1 + n))
run client thread
like "$OUT" "^briefing <carlton-$D@carlton.local> Good morning — $D multipart/alternative|^briefing <envoy-$D@envoy.local> Good morning — $D multipart/alternative" 'the briefing has its id, subject and an HTML part'
like "$OUT" "answer <(quoted|html)@phone.example> \['<envoy-$D@envoy.local>', '<(quoted|html)@phone.example>'" 'the answer names the reply, and the briefing first'
like "$OUT" 'text Both: nine, and Thursday.' 'it is the answer'
like "$OUT" 'thread \(1 ' 'one thread for Dovecot'
unlike "$OUT" 'thread \(1\)' 'in which the answer hangs below the briefing'
stop_serve
done_testing
