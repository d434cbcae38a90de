#!/usr/bin/env bash
# One mailbox, many roles: by the tag, by address, by where it was delivered to, else the account's role. And
# what mail that was work looks like to the person who reads the same mailbox. Issue 4: Build 1 and 4.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/imap.sh"

imap_start
[ -n "$SMTP_PORT" ] || skip_all "Postfix needs root" # without it no answer leaves, and what it answers stays in Active
imap_home
# The role's own address is not the mailbox's: only the account's `role` leads to it.
pr config set 'role envoy' address envoy@elsewhere.example
pr config set 'role clerk' address clerk@elsewhere.example
for pair in host=127.0.0.1 port="$SUBMISSIONS_PORT" ca-file="$MAIL/ca.pem" user=agent@test.example password-file=secret; do
    pr config set 'account work' "smtp-${pair%%=*}" "${pair#*=}"
done
pr config set 'role clerk' name 'The Clerk'
pr config set 'person alice' address alice@test.example
start_serve
ok "the first visit" wait_for visited

# mail SUBJECT HEADERS...: by LMTP, so that the server says where it was delivered
mail()
{
    local subject=$1 to=$2
    shift 2
    python3 - "$LMTP_PORT" "$to" "$(printf '%s\n' "$@" "Subject: $subject" "Message-ID: <${subject// /.}@test.example>" \
        "From: <${FROM:-you@postrider.local}>" "Date: $(date -uR)" '' "Please do $subject." '')" <<'END'
import smtplib, sys
lmtp = smtplib.LMTP("127.0.0.1", int(sys.argv[1]))
lmtp.sendmail("you@postrider.local", sys.argv[2].split(","), sys.argv[3].replace("\n", "\r\n").encode())
END
}
role_of() { pr --json mail list --limit 100 | python3 -c '
import json, sys
print(" ".join(sorted(m["role"] + ":" + m["state"] for m in json.load(sys.stdin) if m["subject"] == sys.argv[1])))' "$1"; }
becomes() { [ "$(role_of "$1")" = "$2" ]; }

mail 'bare' agent@test.example 'To: agent@test.example'
ok "mail to the bare address is work of the account's role" wait_for becomes bare envoy:handled
mail 'hidden' agent@test.example 'To: bob@example.com'
ok "so is mail that has us in Bcc" wait_for becomes hidden envoy:handled
mail 'no to' agent@test.example 'To: undisclosed-recipients:;'
ok "so is mail to nobody that it names" wait_for becomes 'no to' envoy:handled
mail 'tagged' agent+clerk@test.example 'To: agent+clerk@test.example'
ok "a tag goes before that" wait_for becomes tagged clerk:handled
mail 'by name' agent@test.example 'To: Clerk <clerk@elsewhere.example>'
ok "so does a role's own address" wait_for becomes 'by name' clerk:handled
mail 'hidden tag' agent+clerk@test.example 'To: bob@example.com'
ok "a tag that only the server knows of" wait_for becomes 'hidden tag' clerk:handled
mail 'two tags' agent@test.example 'To: agent+clerk@test.example, agent+envoy@test.example'
ok "mail to two roles is work of both" wait_for becomes 'two tags' 'clerk:handled envoy:handled'
mail 'copy' agent@test.example 'To: bob@example.com' 'Cc: agent@test.example'
ok "in Cc a role is told, not asked" wait_for becomes copy envoy:ignored
mail 'a list' agent@test.example 'To: all@lists.example' 'List-Id: <all.lists.example>'
ok "list mail is not answered, whoever it was for" wait_for becomes 'a list' envoy:ignored
mail 'bulk' agent@test.example 'To: all@example.com' 'Precedence: bulk'
ok "nor is bulk mail" wait_for becomes bulk envoy:ignored
ok "all that was work is moved there" wait_for nothing_owed
is "$(box subjects INBOX | sort | tr '\n' ' ')" 'a list bulk copy ' "what was no work stays where it is"

# What a person sees there
flags() { box list "$1" | grep -c -- "$2"; }
all_flagged() { [ "$(flags postrider/Done 'Answered.*Seen\|Seen.*Answered')" = 7 ]; }
ok "mail that was answered says so" wait_for all_flagged
is "$(flags INBOX 'Seen\|Answered')" 0 "mail that was no work has no flag of ours"
ok "the file here has the same flags" wait_for ls "$HOME_DIR"/mail/envoy/.Done/cur/*:2,RS

# Who it is from, and where an answer goes
if [ -n "$SMTP_PORT" ]; then
    alice() { IMAPBOX_USER=alice box "$@"; }
    FROM=alice@test.example mail 'by post' agent+clerk@test.example 'To: agent+clerk@test.example'
    has_mails() { [ "$(alice subjects INBOX | grep -c 'Re: by post')" = "$1" ]; }
    ok "a person outside is answered" wait_for has_mails 1
    is "$(alice header INBOX 'Re: by post' From)" 'The Clerk <agent@test.example>' "From is the account, with the role's name"
    reply=$(alice header INBOX 'Re: by post' Reply-To)
    like "$reply" '^The Clerk <agent\+clerk\.[0-9]+\.[a-z2-7]{16}@test.example>$' "Reply-To has role and job"
    address=${reply#*<} address=${address%>}
    before=$(jobs)
    FROM=alice@test.example mail 'other words' "$address" "To: $address"
    ok "a mail to that address, of another subject and thread" wait_for becomes 'other words' clerk:handled
    is "$(jobs)" "$before" "is of the same job"
fi
ok "and all is moved and flagged" wait_for nothing_owed
stop_serve
is "$SERVE_STATUS" 0 "serve ends in order"

# Killed when the flags are there, and the row says that they are owed
mail 'at the end' agent@test.example 'To: agent@test.example'
for part in 'account work --once' 'account main --once' run; do pr $part 2>/dev/null; done
exits 137 "killed on the way" env POSTRIDER_DIE_AT=remote-flagged "$PR_BIN" --home "$HOME_DIR" account work --once
before=$(box list postrider/Done)
exits 0 "set once more" pr account work --once
is "$(box list postrider/Done)" "$before" "they are the same"
like "$before" 'Answered.*Seen|Seen.*Answered' "and there"
sql() { python3 -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])' "$HOME_DIR/state/postrider.db" "$1"; }
is "$(sql 'select count(*) from remote where marks is not null or wants is not null')" 0 "nothing is owed"
done_testing
