#!/usr/bin/env bash
# The servers that the other tests talk to: they deliver, each to its own, and leave nothing behind.
. "$(dirname "$0")/../lib/tap.sh"

mailserver=$POSTRIDER_SRC/tests/lib/mailserver
trap '"$mailserver" stop "$WORK/one"; "$mailserver" stop "$WORK/two"; tap_end' EXIT
run "$mailserver" start "$WORK/one"
[ "$STATUS" != 77 ] || skip_all "no mail servers here"
is "$STATUS" 0 "a server starts" || { diag "$ERR"; done_testing; }
ok "a second one beside it" "$mailserver" start "$WORK/two"
not_ok "one folder, one server" "$mailserver" start "$WORK/one"

for name in IMAP_PORT IMAPS_PORT LMTP_PORT; do
    isnt "$(sed -n "s/^$name=//p" "$WORK/one/env")" "$(sed -n "s/^$name=//p" "$WORK/two/env")" \
        "each has its own $name"
done

# mail FOLDER COMMAND [ARG]: an independent client, Python's.
mail()
{
    python3 - "$@" <<'PY'
import imaplib, smtplib, ssl, sys, time
env = dict(line.rstrip("\n").split("=", 1) for line in open(sys.argv[1] + "/env"))
host, context = env["MAIL_HOST"], ssl.create_default_context(cafile=env["MAIL_CA"])


def login(user):
    imap = imaplib.IMAP4_SSL(host, int(env["IMAPS_PORT"]), ssl_context=context)
    imap.login(f"{user}@test.example", f"{user}-pw")
    imap.select()
    return imap


def submit(to):
    with smtplib.SMTP(host, int(env["SUBMISSION_PORT"])) as smtp:
        smtp.starttls(context=context)
        smtp.login("alice@test.example", "alice-pw")
        smtp.sendmail("alice@test.example", [to], f"Subject: by SMTP\r\nTo: {to}\r\n\r\nhello\r\n")


def lmtp(to):
    with smtplib.LMTP(host, int(env["LMTP_PORT"])) as smtp:
        smtp.sendmail("alice@test.example", [to], "Subject: by LMTP\r\n\r\nhello\r\n")


command = sys.argv[2]
if command == "submit":
    try:
        submit(sys.argv[3])
    except smtplib.SMTPRecipientsRefused as error:
        sys.exit(str(error))
elif command == "relay":
    with smtplib.SMTP(host, int(env["SMTP_PORT"])) as smtp:
        smtp.sendmail("a@example.com", [sys.argv[3]], "Subject: x\r\n\r\n")
elif command == "lmtp":
    lmtp(sys.argv[3])
elif command == "subjects":
    imap = login(sys.argv[3])
    end = time.monotonic() + 60  # Postfix has its own pace
    while time.monotonic() < end:
        numbers = imap.search(None, "ALL")[1][0].split()
        if len(numbers) >= int(sys.argv[4]):
            break
        time.sleep(0.05)
        imap.noop()
    for number in numbers:
        print(imap.fetch(number, "(BODY[HEADER.FIELDS (SUBJECT)])")[1][0][1].decode().strip())
PY
}

ok "mail goes in by LMTP" mail "$WORK/one" lmtp agent@test.example
if [ -n "$(sed -n 's/^SMTP_PORT=//p' "$WORK/one/env")" ]; then
    ok "and by submission with TLS, login and a plus tag" mail "$WORK/one" submit agent+tag@test.example
    not_ok "but to nobody outside" mail "$WORK/one" submit somebody@example.com
    not_ok "nor without a login" mail "$WORK/one" relay somebody@example.com
    want=2
else
    skip "submission" "Postfix needs root"
    want=1
fi
run mail "$WORK/one" subjects agent "$want"
like "$OUT" 'Subject: by LMTP' "and can be read by IMAP with TLS"
[ "$want" = 1 ] || like "$OUT" 'Subject: by SMTP' "both of them"
is "$(mail "$WORK/two" subjects agent 0)" "" "the other server knows nothing of it"

# pids_of FOLDER: processes whose command line names it, and their children.
pids_of() { cat "$1"/dovecot/run/master.pid "$1"/postfix/queue/pid/master.pid 2>/dev/null; }
gone() { local pid; for pid; do [ ! -r "/proc/$pid/stat" ] || grep -q ') Z ' "/proc/$pid/stat" || return 1; done; }
pids="$(pids_of "$WORK/one") $(pids_of "$WORK/two")"
not_ok "both run" gone $pids
ok "the one ends" "$mailserver" stop "$WORK/one"
ok "the other still serves" mail "$WORK/two" lmtp bob@test.example
ok "and ends" "$mailserver" stop "$WORK/two"
ok "no process is left" gone $pids
ok "and no file" test ! -e "$WORK/one" -a ! -e "$WORK/two"
ok "ending what has ended is harmless" "$mailserver" stop "$WORK/one"
done_testing
