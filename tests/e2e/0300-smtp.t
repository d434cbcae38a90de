#!/usr/bin/env bash
# Against a real Postfix and Dovecot: a person mails, the agent works, the answer is in the person's
# mailbox, once, and threads for an independent reader. Who can't prove who they are causes nothing.
. "$(dirname "$0")/../lib/tap.sh"

mailserver=$POSTRIDER_SRC/tests/lib/mailserver
trap '"$mailserver" stop "$WORK/server"; tap_end' EXIT
run "$mailserver" start "$WORK/server"
[ "$STATUS" != 77 ] || skip_all "no mail servers here"
[ "$STATUS" = 0 ] || { fail "the servers start" "$ERR"; done_testing; }
. "$WORK/server/env"
[ -n "$SMTP_PORT" ] || skip_all "Postfix needs root"

pr init >/dev/null
cat >"$HOME_DIR/postrider.conf" <<END
[postrider]
owner = alice@test.example
retry-first = 1s
[account main]
kind = imap
role = envoy
host = 127.0.0.1
port = $IMAPS_PORT
ca-file = $MAIL_CA
user = agent@test.example
password-command = sh -c "echo agent-pw"
smtp-host = 127.0.0.1
smtp-port = $SUBMISSIONS_PORT
smtp-ca-file = $MAIL_CA
smtp-user = agent@test.example
smtp-password-file = password
envelope = verp
[trust]
authserv-id = mx.test.example
allow = nobody@test.example
[brain default]
kind = command
command = scripts/hello
[role envoy]
address = agent@test.example
name = Envoy
END
(umask 077; echo agent-pw >"$HOME_DIR/password")

# mail COMMAND…: a person with Python's own mail client.
#   send ID FROM TO [proved] [re ID]     by LMTP; proved: as from a server that checked it
#   box USER N                           waits for N mails: id, from, reply-to, in-reply-to, references
mail()
{
    python3 - "$WORK/server/env" "$@" <<'PY'
import email, email.policy, imaplib, smtplib, ssl, sys, time
env = dict(line.rstrip("\n").split("=", 1) for line in open(sys.argv[1]))
host, context = env["MAIL_HOST"], ssl.create_default_context(cafile=env["MAIL_CA"])
command, args = sys.argv[2], sys.argv[3:]
if command == "send":
    mail_id, sender, to, rest = args[0], args[1], args[2], args[3:]
    m = email.message.EmailMessage()
    if "proved" in rest:
        m["Authentication-Results"] = "mx.test.example; dmarc=pass header.from=test.example"
        m["Received"] = f"from client by mx.test.example with ESMTPS id 1; {email.utils.formatdate()}"
    m["Message-ID"], m["From"], m["To"], m["Subject"] = f"<{mail_id}@test.example>", sender, to, "a question " + mail_id
    if "re" in rest:
        m["In-Reply-To"] = m["References"] = rest[rest.index("re") + 1]
    if "event" in rest:
        m["X-Event-Type"] = "approval"
    m["Date"] = email.utils.formatdate()
    m.set_content("please: " + mail_id)
    with smtplib.LMTP(host, int(env["LMTP_PORT"])) as smtp:
        smtp.sendmail(sender, [to], m.as_bytes())
elif command == "box":
    imap = imaplib.IMAP4_SSL(host, int(env["IMAPS_PORT"]), ssl_context=context)
    imap.login(f"{args[0]}@test.example", f"{args[0]}-pw")
    imap.select()
    end = time.monotonic() + 60  # Postfix has its own pace
    while time.monotonic() < end:
        numbers = imap.search(None, "ALL")[1][0].split()
        if len(numbers) >= int(args[1]):
            break
        time.sleep(0.05)
        imap.noop()
    for number in numbers:
        raw = imap.fetch(number, "(BODY.PEEK[])")[1][0][1]
        m = email.message_from_bytes(raw, policy=email.policy.default)
        print("from", m["from"].addresses[0].display_name, m["from"].addresses[0].addr_spec)
        print("reply-to", m["reply-to"].addresses[0].addr_spec if m["reply-to"] else "-")
        print("in-reply-to", m["in-reply-to"], "references", m["references"])
        print("auto-submitted", m["auto-submitted"], "defects", len(m.defects))
        print("subject", m["subject"])
        print(m.get_body(("plain",)).get_content())
PY
}
jobs() { pr --json job list --all | python3 -c 'import json,sys; print(*("%s:%s:%s" % (j["id"], j["state"], j["round"]) for j in reversed(json.load(sys.stdin))))'; }
held() { pr --json mail list --state held 2>/dev/null | python3 -c 'import json,sys; print(len(json.load(sys.stdin)))'; }
is_held() { [ "$(held)" = "$1" ]; }
jobs_are() { [ "$(jobs)" = "$1" ]; }
out_state() { pr --json outbox list --all | grep -q "\"state\": *\"$1\""; }

start_serve
mark_is_set() { python3 -c "
import sqlite3, sys
store = sqlite3.connect('file:$HOME_DIR/state/postrider.db?mode=ro', uri=True)
sys.exit(not store.execute('SELECT count(*) FROM remote_folder').fetchone()[0])"; }
ok 'the account logs in' wait_for mark_is_set

mail send one alice@test.example agent@test.example proved
run mail box alice 1
is "$(grep -c '^from' <<<"$OUT")" 1 'one mail, one answer'
like "$OUT" 'from Envoy agent@test.example' 'from the account, in the name of the role'
like "$OUT" 'reply-to agent\+1\.[a-z2-7]{16}@test.example' 'Reply-To leads back to the job'
like "$OUT" 'in-reply-to <one@test.example> references <one@test.example>' 'it threads'
like "$OUT" 'auto-submitted auto-replied defects 0' 'and says that it is no person'
reply_to=$(sed -n 's/^reply-to //p' <<<"$OUT")
ok 'the job is done' wait_for jobs_are 1:done:1

mail send two alice@test.example "$reply_to" proved
run mail box alice 2
is "$(grep -c '^from' <<<"$OUT")" 2 'a mail to the tag is answered'
ok 'on the same job' wait_for jobs_are 1:done:2

# P, T: nobody who can't prove it causes anything.
mail send three alice@test.example agent@test.example
mail send four alice@test.example "$reply_to"
mail send five bob@test.example "$reply_to" proved
mail send six bob@test.example agent@test.example proved event
ok 'a spoofed principal, and a stranger, are held' wait_for is_held 4
is "$(jobs)" 1:done:2 'no job, no model call'
run mail box alice 3
is "$(grep -c '^from' <<<"$OUT")" 3 'the owner is told once a day'
like "$OUT" 'says that it is from alice@test.example, and nothing proves it' 'of whom somebody claims to be'
is "$(mail box bob 0)" '' 'a stranger is never answered'
run pr mail trace '<three@test.example>'
like "$OUT" 'unproven' 'mail trace says why'

# A bounce of a real server.
ok 'mail to nobody' sh -c "echo hi | '$PR_BIN' --home '$HOME_DIR' send --from envoy --to nobody@test.example --subject lost"
ok 'M: bounces, and the outbox knows' wait_for out_state failed
run pr outbox list --all
like "$OUT" 'failed +nobody@test.example' 'for whom'
run mail box alice 4
like "$OUT" 'did not arrive' 'the owner hears of it'
stop_serve
unlike "$(cat "$WORK/serve.log")" 'agent-pw' 'no password in the log'
is "$(mail box alice 0 | grep -c '^from')" 4 'and nothing came twice'
done_testing
