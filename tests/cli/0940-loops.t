#!/usr/bin/env bash
# Nobody starts a mail war: two homes that write to each other, and a responder that does not say so,
# fall silent after two mails.
. "$(dirname "$0")/../lib/tap.sh"

mkdir "$WORK/bin"
export PATH=$WORK/bin:$PATH

# make_home NAME PRINCIPAL: a home of its own domain, whose mail leaves by the script below.
make_home()
{
    "$PR_BIN" --home "$WORK/$1" init >/dev/null
    cat >"$WORK/$1/postrider.conf" <<END
[postrider]
domain = $1.example
owner = you@$1.example
[account main]
kind = maildir
role = envoy
smtp = sendmail
[trust]
principals = $2
require-auth = none
[brain default]
kind = command
command = scripts/hello
[role envoy]
address = envoy@$1.example
END
}

# The world: takes mail for both homes, and answers for somebody on vacation.
cat >"$WORK/bin/sendmail" <<END
#!/bin/bash
to=\${@: -1}
cat >'$WORK/mail'
echo "\$to" >>'$WORK/wire'
case \$to in
envoy*@a.example) '$PR_BIN' --home '$WORK/a' receive --role envoy <'$WORK/mail' ;;
envoy*@b.example) '$PR_BIN' --home '$WORK/b' receive --role envoy <'$WORK/mail' ;;
*)
    id=\$(sed -n 's/^Message-ID: //p' '$WORK/mail')
    n=\$(wc -l <'$WORK/wire')
    printf '%s\n' "Message-ID: <v\$n@c.example>" 'From: vera@c.example' 'To: envoy@a.example' \\
        "In-Reply-To: \$id" "References: \$id" 'Subject: Automatic reply: hello' \\
        'Date: Sun, 15 Nov 2026 10:00:00 +0000' '' 'I am away.' |
        '$PR_BIN' --home '$WORK/a' receive --role envoy ;;
esac
END
chmod +x "$WORK/bin/sendmail"
wire() { wc -l <"$WORK/wire"; }
first() { printf '%s\n' "Message-ID: <$1>" "From: $2" 'To: envoy@a.example' 'Subject: hello' 'Date: Sun, 15 Nov 2026 09:00:00 +0000' '' "$3" |
    "$PR_BIN" --home "$WORK/a" receive --role envoy; }
passes()
{
    local i
    : >"$WORK/wire"
    for i in 1 2 3 4; do
        "$PR_BIN" --home "$WORK/a" serve --once >/dev/null 2>&1
        [ ! -d "$WORK/b" ] || "$PR_BIN" --home "$WORK/b" serve --once >/dev/null 2>&1
    done
}

make_home a 'envoy@b.example vera@c.example'
make_home b envoy@a.example
first one@b.example envoy@b.example 'a mail without any word that it is automatic'
passes
is "$(wire)" 1 'two agents are silent after one mail each'
run "$PR_BIN" --home "$WORK/b" --json mail list --state ignored
like "$OUT" 'automatic: Auto-Submitted' 'since each says that it is a program'

first two@c.example vera@c.example 'a question of a person'
passes
is "$(wire)" 2 'a responder that does not say so gets two mails'
run "$PR_BIN" --home "$WORK/a" --json mail list --state held
like "$OUT" 'loop: the same text came before' 'and then its text is known'

# Limits of a role that talks too much.
HOME_DIR=$WORK/a
pr config set postrider max-mails-per-hour 3 >/dev/null
first three@c.example vera@c.example 'something else'
first four@c.example vera@c.example 'something else again'
passes
is "$(wire)" 1 'max-mails-per-hour: the third mail leaves, the fourth is held'
run pr --json outbox list --state held
like "$OUT" 'limit: 3 mails in an hour to vera@c.example' 'and says why'
run pr status
like "$OUT" 'may mail [0-9]+ to vera@c.example leave' 'a person is asked'
pr config set postrider max-mails-per-hour 1 >/dev/null
first five@c.example vera@c.example 'and once more'
passes
is "$(wire)" 0 'max-mails-per-hour = 1 is a limit too'
done_testing
