#!/usr/bin/env bash
# A server that breaks off, talks nonsense, or does what it is told and does not say so: in the end every mail
# is here once, and every move and copy is there once. The peer's own folders are the witness.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/peer.sh"

home()
{
    rm -rf "$HOME_DIR"
    pr init >/dev/null
    cat >>"$HOME_DIR/postrider.conf" <<END

[account work]
kind = imap
role = envoy
host = 127.0.0.1
port = $IMAP
tls = none
user = agent@test.example
password-file = secret
END
    (umask 077 && echo x >"$HOME_DIR/secret")
    pr config set trust require-auth none
    pr config set 'role envoy' address agent@test.example
}

send()
{
    python3 - "$SMTP" "$1" <<'PY'
import smtplib, sys
with smtplib.SMTP("127.0.0.1", int(sys.argv[1])) as smtp:
    smtp.login("somebody", "x")
    for n in range(int(sys.argv[2])):
        smtp.sendmail("you@postrider.local", ["agent@test.example"],
                      f"From: you@postrider.local\r\nTo: agent@test.example\r\nSubject: task {n}\r\n"
                      f"Message-ID: <task{n}@test.example>\r\n\r\nDo {n}.\r\n")
PY
}
# there FOLDER: the subjects there, sorted
there()
{
    python3 - "$IMAP" "$1" <<'PY'
import imaplib, re, sys
imap = imaplib.IMAP4("127.0.0.1", int(sys.argv[1]))
imap.login("agent", "x")
if imap.select(sys.argv[2])[0] == "OK":
    found = []
    for uid in imap.uid("search", None, "ALL")[1][0].split():
        found += re.findall(r"(?m)^Subject: (.*?)\r?$", imap.uid("fetch", uid, "(BODY.PEEK[])")[1][0][1].decode())
    print(" ".join(sorted(found)))
PY
}
# visit: until it has gone well, as the process itself would
visit() { local i; for i in 1 2 3 4 5 6 7 8; do pr account work --once 2>>"$WORK/said" && return; done; false; }
work() { local i; for i in 1 2 3 4 5; do pr run 2>>"$WORK/said"; done; pr deliver; }

while read -r name rule; do
    old=()
    [[ $name != COPY* ]] || old=(--capability 'IMAP4rev1 UIDPLUS LITERAL+')
    run_peer --mails 3 ${rule:+--rule "$rule"} "${old[@]}"
    home
    ok "$name: the first visit" visit
    send 5
    ok "$name: mail is fetched" visit
    pr account main --once 2>>"$WORK/said"
    is "$(find "$HOME_DIR/mail/envoy/new" -type f | wc -l) $(pr --json job list --all | grep -c '"id"')" "5 5" "$name: five files, five jobs"
    work
    ok "$name: what is owed is paid" visit
    visit
    is "$(there postrider/Done)" "task 0 task 1 task 2 task 3 task 4" "$name: each is in Done once"
    unlike "$(there INBOX)" task "$name: and not in INBOX"
    is "$(there Sent)" "Re: task 0 Re: task 1 Re: task 2 Re: task 3 Re: task 4" "$name: each answer is in Sent once"
done <<'END'
honest
FETCH-cut {"on":"UID FETCH","skip":1,"times":3,"cut":700}
FETCH-garbage {"on":"UID FETCH","skip":1,"times":2,"answer":"* 1 FETCH (UID {9\r\n","end":"close"}
SEARCH-refused {"on":"UID SEARCH","skip":1,"times":3,"answer":"{tag} NO busy\r\n"}
APPEND-unsaid {"on":"APPEND","skip":1,"times":3,"cut":0}
MOVE-unsaid {"on":"UID MOVE","times":3,"cut":0}
COPY-unsaid {"on":"UID COPY","times":3,"cut":0}
SELECT-broken {"on":"SELECT","skip":2,"times":3,"end":"reset"}
END
done_testing
