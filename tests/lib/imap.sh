# For tests with a real mail server, behind tap.sh and serve.sh.
#
#   imap_start          a Dovecot of its own ($MAIL); skips the test where there is none
#   imap_home [DIR]     a home (HOME_DIR, or DIR) whose role envoy has its mail there, account "work"
#   box COMMAND...      tests/lib/imapbox on it
#   box_has FOLDER TEXT [N]  N mails (default 1) there have this in their subject
#   jobs                how many jobs there are
#   remote_pid          the process of account work

MAIL=$WORK/mail
mailserver=$POSTRIDER_SRC/tests/lib/mailserver
trap '"$mailserver" stop "$MAIL" >/dev/null 2>&1; tap_end' EXIT

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
