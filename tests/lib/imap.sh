# For tests with a real mail server, behind tap.sh and serve.sh.
#
#   imap_start          a Dovecot of its own ($MAIL); skips the test where there is none
#   imap_home [DIR]     a home (HOME_DIR, or DIR) whose role envoy has its mail there, account "work"
#   box COMMAND...      tests/lib/imapbox on it
#   box_has FOLDER TEXT [N]  N mails (default 1) there have this in their subject
#   jobs                how many jobs there are
#   remote_pid          the process of account work
#   nothing_owed        nothing is on its way, and the server knows all that it should
#   silent_port         PORT, where nobody listens, nor anybody but the test may
#   calm                those that stay are there, and no other is at work; ticks: what all of them have used

MAIL=$WORK/mail
mailserver=$POSTRIDER_SRC/tests/lib/mailserver
PORT_KEEPER=
imap_end()
{
    [ -z "$PORT_KEEPER" ] || kill "$PORT_KEEPER" 2>/dev/null
    "$mailserver" stop "$MAIL" >/dev/null 2>&1
    tap_end
}
trap imap_end EXIT

imap_start()
{
    run "$mailserver" start "$MAIL"
    [ "$STATUS" != 77 ] || skip_all "no mail servers here"
    [ "$STATUS" = 0 ] || { fail "the mail server starts" "$ERR"; done_testing; }
    . "$MAIL/env"
}

imap_home()
{
    local dir=${1:-$HOME_DIR}
    "$PR_BIN" --home "$dir" init >/dev/null || return
    cat >>"$dir/postrider.conf" <<END

[account work]
kind = imap
role = envoy
host = 127.0.0.1
port = ${PORT:-$IMAPS_PORT}
ca-file = $MAIL/ca.pem
user = agent@test.example
password-file = secret
END
    (umask 077 && echo agent-pw >"$dir/secret")
    "$PR_BIN" --home "$dir" config set trust require-auth none
    "$PR_BIN" --home "$dir" config set 'role envoy' address agent@test.example
}

box() { "$POSTRIDER_SRC/tests/lib/imapbox" "$MAIL" "$@"; }
box_has() { [ "$(box subjects "$1" | grep -cF -- "$2")" = "${3:-1}" ]; }
jobs() { pr --json job list --all --limit 100000 | grep -c '"id"'; }
has_jobs() { [ "$(jobs)" = "$1" ]; }
visited() { logged 'first visit'; }
remote_pid() { head -n 1 "$HOME_DIR/state/account-work.lock"; }
nothing_owed()
{
    python3 - "$HOME_DIR/state/postrider.db" <<'P'
import sqlite3, sys
store = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True, timeout=60)
owed = ("SELECT count(*) FROM remote WHERE wants IS NOT NULL OR marks IS NOT NULL", "SELECT count(*) FROM effect",
        "SELECT count(*) FROM delivery WHERE state IN ('ready', 'retry', 'sending', 'waiting')")
sys.exit(any(store.execute(sql).fetchone()[0] for sql in owed))
P
}
silent_port()
{
    mkfifo "$WORK/port"
    "$POSTRIDER_SRC/tests/lib/silent-port" >"$WORK/port" &
    PORT_KEEPER=$!
    read -r PORT <"$WORK/port"
}
ticks() { local p; for p in $(at_work); do sed 's/.*) //' "/proc/$p/stat" 2>/dev/null; done | awk '{n += $12 + $13} END {print n + 0}'; }
calm() { local before; before=$(at_work; ticks); read -r -t 0.7 -u "$TAP_NEVER"; [ "$(at_work; ticks)" = "$before" ] && remote_pid; }
