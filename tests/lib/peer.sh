# For tests with the mail server that misbehaves (tests/peers/mailpeer), behind tap.sh.
#
#   run_peer OPTION...    starts a server, ends the one before; IMAP and SMTP are its ports, $WORK/log its log
#   start_peer OPTION...  the same, and the settings lead to it
#   peer_home MODE [KIND] a new home whose owner is local and that sends by the peer; in-doubt = MODE
#   mail_to ADDRESS [SUBJECT]  a mail of role envoy, without a job; its id is in $WORK/msgid
#   state [ID...]         "name state" of each recipient in the outbox
#   accepted              how many mails the server took
#   taken ID              how many times it took this one
#   reply ID BODY [FROM]  the owner's answer, sent and taken in
#   ask ID [HEADER]       carol writes to the agent, from outside; taken in and answered

peer=$POSTRIDER_SRC/tests/peers/mailpeer
PEER_PID=
stop_peer() { [ -z "$PEER_PID" ] || { kill "$PEER_PID" 2>/dev/null; wait "$PEER_PID" 2>/dev/null; }; PEER_PID=; }
trap 'stop_peer; tap_end' EXIT

run_peer()
{
    stop_peer
    rm -f "$WORK/ports" "$WORK/log"
    mkfifo "$WORK/ports"
    "$peer" --log "$WORK/log" "$@" >"$WORK/ports" &
    PEER_PID=$!
    read -r IMAP SMTP <"$WORK/ports"
}

start_peer()
{
    run_peer "$@"
    pr config set smtp port "$SMTP" >/dev/null
    ! grep -q '^kind = imap' "$HOME_DIR/postrider.conf" || pr config set 'account main' port "$IMAP" >/dev/null
}

peer_home()
{
    rm -rf "$HOME_DIR"
    pr init >/dev/null
    cat >"$HOME_DIR/postrider.conf" <<END
[postrider]
owner = you@postrider.local
[account main]
kind = ${2:-maildir}
role = envoy
in-doubt = $1
END
    [ "${2:-maildir}" = maildir ] || cat >>"$HOME_DIR/postrider.conf" <<END
host = 127.0.0.1
port = 1
tls = none
user = agent@test.example
password-file = password
END
    cat >>"$HOME_DIR/postrider.conf" <<END
[smtp]
host = 127.0.0.1
port = 1
tls = none
user = agent@test.example
password-file = password
[brain default]
kind = command
command = scripts/hello
[role envoy]
address = agent@test.example
[trust]
principals = carol@test.example
require-auth = none
END
    (umask 077; echo agent-pw >"$HOME_DIR/password")
}

mail_to() { echo hello | pr send --from envoy --to "$1" --subject "${2:-a mail}" >"$WORK/msgid" 2>"$WORK/.err"; }
state() { pr --json outbox list --all | python3 -c 'import json,sys
for r in reversed(json.load(sys.stdin)):
    if not sys.argv[1:] or str(r["id"]) in sys.argv[1:]: print(r["to"].split("@")[0], r["state"])' "$@"; }
accepted() { grep -c '"event": "accepted"' "$WORK/log" 2>/dev/null; }
taken() { grep '"event": "accepted"' "$WORK/log" | grep -cF "\"id\": \"$1\""; }
reply() {
    printf 'From: %s\nTo: agent@test.example\nSubject: Re: x\nIn-Reply-To: %s\nReferences: %s\n\n%s\n' \
        "${3:-you@postrider.local}" "$1" "$1" "$2" | pr sendmail -t && pr deliver && pr serve --once >/dev/null 2>&1
}
ask()
{
    { printf '%s\n' "Message-ID: <$1@test.example>" 'From: carol@test.example' 'To: agent@test.example' \
        'Subject: work' 'Date: Sun, 15 Nov 2026 09:00:00 +0000' ${2:+"$2"} '' "please: $1"; } | pr receive --role envoy
    pr serve --once >/dev/null 2>&1
}
