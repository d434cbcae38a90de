# For tests of `setup`, behind tap.sh. Ends what it started.
#
#   CONF              the settings                              SECRET     a key that must not be seen
#   start_servers DESC  Dovecot and Postfix (tests/lib/mailserver); false after a skip where there are none
#   mail FROM TO SUBJECT [HEADER]...   by SMTP
#   mode_of FILE      its rights, octal
#   talk NAME ARG...  setup at a terminal; an expect script on stdin. TTY is what stood there, STATUS how it ended

CONF=$HOME_DIR/postrider.conf
SECRET=CANARY-pw-81d2
umask 077
. "$POSTRIDER_SRC/tests/lib/model.sh"
tidy()
{
    fake_end
    [ ! -d "$WORK/ms" ] || bash "$POSTRIDER_SRC/tests/lib/mailserver" stop "$WORK/ms"
    tap_end
}
trap tidy EXIT

mail() # FROM TO SUBJECT [HEADER]...: by SMTP
{
    python3 - "$SMTP_PORT" "$@" <<'PY'
import smtplib, sys
port, sender, to, subject, *more = sys.argv[1:]
head = "".join(h + "\r\n" for h in more)
text = f"{head}From: {sender}\r\nTo: {to}\r\nSubject: {subject}\r\nDate: Sun, 15 Nov 2026 09:00:00 +0000\r\n\r\nhello\r\n"
smtplib.SMTP("127.0.0.1", int(port)).sendmail(sender, [to], text)
PY
}

start_servers()
{
    (umask 022; exec bash "$POSTRIDER_SRC/tests/lib/mailserver" start "$WORK/ms") >/dev/null 2>"$WORK/ms.err" ||
        { skip "$1" "no mail servers: $(head -n 1 "$WORK/ms.err")"; rm -rf "$WORK/ms"; return 1; }
    . "$WORK/ms/env"
    [ -n "$SUBMISSIONS_PORT" ] || { skip "$1" 'no Postfix without root'; return 1; }
}

mode_of() { stat -c %a "$1"; }

talk()
{
    local name=$1
    shift
    {
        echo "log_user 0; set timeout $WAIT; log_file -a -noappend $WORK/$name.tty"
        echo "proc lost {} { puts stderr {expect: it never came}; catch {exec kill -KILL [exp_pid]}; exit 99 }"
        echo "spawn -noecho {$PR_BIN} --home {$HOME_DIR} $*"
        echo "expect_after timeout lost eof lost" # behind spawn: it counts for that process alone
        cat
        echo 'expect_after; expect eof; exit [lindex [wait] 3]'
    } >"$WORK/$name.exp"
    run timeout -k 1 $((WAIT * 4)) expect "$WORK/$name.exp"
    [ "$STATUS" -lt 99 ] && [ -z "$ERR" ] || diag "$name: $ERR"
    TTY=$(tr -d '\r' <"$WORK/$name.tty")
}
