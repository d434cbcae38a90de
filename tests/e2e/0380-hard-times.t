#!/usr/bin/env bash
# Hard times: a server that is restarted under us, a password that changes meanwhile, a server that sends one byte a
# second, a disk that is full while mail is fetched, a second master. Nothing is lost, nothing is done twice, and
# status says what is wrong.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/imap.sh"
. "$POSTRIDER_SRC/tests/lib/peer.sh"
trap 'stop_peer; "$mailserver" stop "$MAIL" >/dev/null 2>&1; umount "$WORK/disk" 2>/dev/null; tap_end' EXIT

imap_start
imap_home
status_says() { pr status | grep -qE "account 'work' does not work: .*($1)"; }
works() { ! pr status | grep -q "account 'work' does not work"; }
stop_dovecot()
{
    local pid
    pid=$(cat "$MAIL/dovecot/run/master.pid")
    gone() { ! kill -0 "$pid" 2>/dev/null; }
    kill "$pid" && wait_for gone
}
start_dovecot() { dovecot -c "$MAIL/dovecot/dovecot.conf" >/dev/null 2>&1; }
logins() { grep -c 'imap-login: .*auth failed' "$MAIL_LOG/dovecot.log"; }

# Restarted
start_serve
ok "the first visit" wait_for visited
for n in 1 2; do
    stop_dovecot
    start_dovecot
    box send 1 you@postrider.local agent@test.example "restart $n"
    ok "the server was restarted in IDLE, $n: mail is work" wait_for box_has postrider/Done "restart $n"
done
ok "status is content" wait_for works

# The password changes while we are logged in
sed -i 's/^agent@test.example:{PLAIN}agent-pw:/agent@test.example:{PLAIN}another-pw:/' "$MAIL/users"
box_pw() { python3 - "$IMAP_PORT" <<'P'
import imaplib, sys
box = imaplib.IMAP4("127.0.0.1", int(sys.argv[1]))
box.login("agent@test.example", "another-pw")
P
}
ok "the server has another password now" wait_for box_pw
before=$(logins)
stop_dovecot
start_dovecot
ok "ours is refused, and status says so" wait_for status_says 'login|AUTH|auth|password'
python3 - "$LMTP_PORT" <<'P'
import smtplib, sys
with smtplib.LMTP("127.0.0.1", int(sys.argv[1])) as lmtp:
    lmtp.sendmail("you@postrider.local", ["agent@test.example"], "From: <you@postrider.local>\r\nTo: <agent@test.example>\r\n"
                  "Subject: while locked out\r\nMessage-ID: <locked@test.example>\r\n\r\nDo it.\r\n")
P
read -r -t 3 -u "$TAP_NEVER" # time enough to knock; that nobody does has no event
ok "nobody knocks again and again: $(($(logins) - before)) refused" [ $(($(logins) - before)) -le 2 ]
(umask 077 && echo another-pw >"$HOME_DIR/secret")
kill -HUP "$SERVE_PID"
ok "with the new one and SIGHUP it works" wait_for works
ok "and mail that came meanwhile is a job" wait_for has_jobs 3
sed -i 's/^agent@test.example:{PLAIN}another-pw:/agent@test.example:{PLAIN}agent-pw:/' "$MAIL/users"
(umask 077 && echo agent-pw >"$HOME_DIR/secret")

# A second master
run pr serve
isnt "$STATUS" 0 "a second master refuses"
like "$ERR" "$SERVE_PID" "and names the first"
box send 3 you@postrider.local agent@test.example pair
begin=$SECONDS
exits 75 "serve --once beside it is told to come later" pr serve --once
ok "at once" [ $((SECONDS - begin)) -le 15 ]
ok "each mail is one job" wait_for has_jobs 6
done_is() { [ "$(pr --json job list --all --limit 100 | grep -c '"state": *"done"')" = "$1" ]; }
ok "all are done" wait_for done_is 6
has_six() { [ "$(answers)" = 6 ]; }
ok "one answer each" wait_for has_six
wait_for nothing_owed
stop_serve
exits 0 "doctor is content" pr doctor

# One byte a second
peer_home()
{
    rm -rf "$HOME_DIR"
    : >"$WORK/serve.log"
    PORT=$IMAP
    imap_home
    sed -i '/^ca-file/d' "$HOME_DIR/postrider.conf"
    pr config set 'account work' tls none
}
for step in connect AUTHENTICATE EXAMINE; do
    run_peer --rule "{\"on\":\"$step\",\"side\":\"imap\",\"split\":1,\"pause\":1,\"times\":0}"
    peer_home
    start_serve
    case $step in connect) want='"event": "connect", "side": "imap"' ;; *) want="\"line\": \"[^ ]* $step" ;; esac
    wait_for grep -q "$want" "$WORK/log"
    read -r -t 1.5 -u "$TAP_NEVER" # into the middle of the answer, which takes longer than we allow for the end
    begin=$SECONDS
    stop_serve
    ok "a server that sends a byte a second at $step: we end at once" [ "$SERVE_STATUS" = 0 -a $((SECONDS - begin)) -le 12 ]
done

# A full disk
mkdir "$WORK/disk"
if mount -t tmpfs -o size=6m none "$WORK/disk" 2>/dev/null; then
    run_peer
    HOME_DIR=$WORK/disk/home
    peer_home
    pr account work --once 2>/dev/null
    python3 - "$SMTP" <<'P'
import smtplib, sys
with smtplib.SMTP("127.0.0.1", int(sys.argv[1])) as smtp:
    for n in range(30):
        smtp.sendmail("you@postrider.local", ["agent@test.example"],
                      f"From: you@postrider.local\r\nTo: agent@test.example\r\nSubject: task {n}\r\n"
                      f"Message-ID: <task{n}@test.example>\r\n\r\nDo {n}.\r\n" + ("x" * 70 + "\r\n") * 3000)
P
    start_serve
    ok "F: a disk that is full while mail is fetched: status says so" wait_for status_says 'No space|disk is full'
    mount -o remount,size=200m "$WORK/disk"
    ok "with room again every mail is done" wait_for done_is 30
    ok "and works" wait_for works
    has_all() { [ "$(answers)" = 30 ]; }
    ok "one answer each" wait_for has_all
    wait_for nothing_owed
    stop_serve
    exits 0 "doctor is content" pr doctor
else
    skip "a full disk" "can't mount"
fi
done_testing
