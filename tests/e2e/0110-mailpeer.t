#!/usr/bin/env bash
# The peer that misbehaves: honest without rules, and its log says what happened whatever it does.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/peer.sh"

# send ID...: one connection, one mail each; prints what the server said to each.
send()
{
    python3 - "$SMTP" "$@" <<'PY'
import smtplib, sys
smtp = None
for n, mail_id in enumerate(sys.argv[2:]):
    try:
        if not smtp:
            smtp = smtplib.SMTP("127.0.0.1", int(sys.argv[1]))
            smtp.login("agent@test.example", "x")
        smtp.sendmail("agent@test.example", ["bob@test.example"],
                      f"From: agent@test.example\r\nMessage-ID: {mail_id}\r\n\r\n.dot\r\n.\r\n")
        print("sent")
    except smtplib.SMTPRecipientsRefused as error:
        print("refused", *(code for code, _ in error.recipients.values()))
    except smtplib.SMTPResponseException as error:
        print("said", error.smtp_code)
        smtp = None
    except smtplib.SMTPServerDisconnected:
        print("lost")
        smtp = None
PY
}

# box USER FOLDER: the mails there, as Python's client sees them.
box()
{
    python3 - "$IMAP" "$@" <<'PY'
import imaplib, sys
imap = imaplib.IMAP4("127.0.0.1", int(sys.argv[1]))
imap.login(sys.argv[2], "x")
imap.select(sys.argv[3])
for uid in imap.uid("search", None, "ALL")[1][0].split():
    print(imap.uid("fetch", uid, "(BODY.PEEK[])")[1][0][1].decode())
imap.logout()
PY
}

run_peer
is "$(send '<1@x>')" sent "honest: a mail is taken"
is "$(accepted)" 1 "the log says so"
like "$(box bob INBOX)" 'Message-ID: <1@x>' "and it lies in the mailbox"
like "$(box bob INBOX)" $'\r\n\r\n[.]dot\r\n[.]' "with its dots"
is "$(box agent Sent)" "" "nothing is filed in Sent"

run_peer --rule '{"on":"RCPT","answer":"451 later"}' --rule '{"on":"dot","answer":"554 no"}'
is "$(send '<1@x>' '<2@x>' '<3@x>' | tr '\n' ' ')" "refused 451 said 554 sent " "4xx, then 5xx, then good"
is "$(accepted)" 1 "only the last was taken"

run_peer --rule '{"on":"dot","lost":true}' --rule '{"on":"MAIL","side":"smtp","skip":2,"answer":"421 bye","end":"close"}'
is "$(send '<1@x>' '<2@x>' '<3@x>' | tr '\n' ' ')" "lost sent said 421 " "a lost 250, a good one, a 421"
is "$(accepted)" 2 "the mail whose 250 was lost counts as taken"
like "$(box bob INBOX)" '<1@x>' "and was delivered"

run_peer --rewrite-message-id --files-sent --rewrites-from somebody@peer.example
is "$(send '<1@x>')" sent "a server that changes mail takes it"
like "$(box bob INBOX)" 'Message-ID: <server.1@peer.example>' "the id is its own now"
like "$(box bob INBOX)" 'X-Microsoft-Original-Message-ID: <1@x>' "ours is told"
like "$(box bob INBOX)" 'From: somebody@peer.example' "the sender is changed"
like "$(box agent Sent)" 'Message-ID: <server.1@peer.example>' "and Sent has it already"
like "$(grep accepted "$WORK/log")" '"id": "<1@x>", "id_now": "<server.1@peer.example>"' "the log has both ids"

run_peer --mails 2 --rule '{"on":"UID FETCH","cut":150}'
not_ok "a connection that ends in a literal" box agent INBOX
run box agent INBOX
like "$OUT" 'This is mail 2' "once: then it is honest again"
done_testing
