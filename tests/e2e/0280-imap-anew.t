#!/usr/bin/env bash
# A server that numbers its mail anew: what is known is not work again, what came in between is, and what lay
# there before the first visit never is.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/imap.sh"

imap_start
imap_home
number_anew() { doveadm -c "$MAIL/dovecot/dovecot.conf" mailbox update -u agent@test.example --uid-validity "$1" INBOX || diag "doveadm failed"; }
mail() # SUBJECT DATE [FOLDER]: from the owner
{
    printf '%s\n' 'From: <you@postrider.local>' 'To: agent@test.example' "Subject: $1" "Message-ID: <${1// /.}@test.example>" \
        "Date: $2" '' "Please do $1." | box raw "${3:-INBOX}"
}
now() { date -uR; }
visit() { pr account work --once 2>>"$WORK/log" && pr account main --once 2>>"$WORK/log"; }

pr account main --once
mail 'from before' 'Sun, 01 Nov 2026 09:30:00 +0000'
mail 'from before, too' "$(now)"
second=$(date +%s)
a_second_later() { [ "$(date +%s)" -gt "$second" ]; }
wait_for a_second_later # INTERNALDATE has seconds
exits 0 "the first visit" visit
mail 'known' "$(now)"
visit
is "$(jobs)" 1 "mail that comes later is work"

number_anew 4711
mail 'in between' "$(now)"
mail 'an old one, of today for the server' 'Sun, 01 Nov 2026 09:30:00 +0000'
box list INBOX >"$WORK/before"
visit
like "$(cat "$WORK/log")" 'numbered its mail anew' "UIDVALIDITY changed"
is "$(jobs)" 2 "what came in between is work, and nothing else"
like "$(pr mail list)" 'in between' "that one"
ok "every mail is as it was" cmp "$WORK/before" <(box list INBOX)
visit
is "$(jobs)" 2 "looked at again, nothing is new"

# Killed on the way
number_anew 4712
mail 'in between again' "$(now)"
for point in remote-marked remote-filed remote-before-commit remote-committed; do
    POSTRIDER_DIE_AT=$point pr account work --once 2>>"$WORK/log"
done
visit
is "$(jobs)" 3 "killed at each step of that, it is work once"
number_anew 4711
visit
is "$(jobs)" 3 "a UIDVALIDITY that was there before brings nothing back"

# The same mail again
mail 'in between' "$(now)"
mail 'known' "$(now)" Elsewhere
visit
is "$(jobs)" 3 "delivered twice, and once more elsewhere: processed once"
mail 'and on' "$(now)"
visit
is "$(jobs)" 4 "mail that comes now is work"
exits 0 "--since asks for older mail here, too" pr account work --since 2026-11-01
pr account main --once 2>>"$WORK/log"
is "$(jobs)" 7 "and gets the three that lay there, or said so"
pr serve --once 2>>"$WORK/log"
ok "and all of it is done there, too" box_has postrider/Done 'in between' 2
ok "the known one as well" box_has postrider/Done 'known'
ok "and what was asked for" box_has postrider/Done 'from before' 2
done_testing
