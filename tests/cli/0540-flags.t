#!/usr/bin/env bash
# What whoever opens an agent's Maildir with a mail client sees of mail that was work: S when it is handled, R when it
# is answered; set by the very rename that moves it to Done.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/steps.sh"

ok 'a home whose agent works in steps' steps_home
pr config set 'role envoy' max-iterations 8
pr config set trust require-auth none
add_person bob@postrider.local ask
# flags SUBJECT: folder and flags of each file in the agent's mailbox that has it
flags() { grep -rl "^Subject: $1\$" "$HOME_DIR/mail/envoy" --exclude-dir=.Sent | sed -E 's#.*/envoy/##; s#/[^/:]*:2,([A-Z]*)$#/\1#'; }
owed() { db 'SELECT count(*) FROM effect'; }
go_on='{"status":"continue","current_phase":"working","send_emails":[{"to":[],"body":"First."}]}'
silent='{"status":"complete","current_phase":"complete","send_emails":[]}'
elsewhere='{"status":"complete","current_phase":"complete","send_emails":[{"to":["you@postrider.local"],"subject":"Look","body":"Look."}]}'
link='{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"See https://evil.example/?q=SECRET"}]}'

echo "$done_now" | answers
mail_in answered <<<x
is "$(flags answered)" '.Done/cur/RS' 'answered and done: R and S'
is "$(owed)" 0 'nothing is owed'
echo "$elsewhere" | answers
mail_in handled --from bob@postrider.local <<<x
is "$(flags handled)" '.Done/cur/RS' 'handled by mail to others: whoever asked is told, so R and S'
printf '%s\n%s\n' "$go_on" "$silent" | answers
mail_in early <<<x
is "$(flags early)" '.Done/cur/RS' 'answered in one step, done in a later one: R and S'

# A mail client is at work on the same file.
printf '%s\n%s\n' "$go_on" "$silent" | answers
cat >"$WORK/before.sh" <<END
#!/bin/sh
[ "\$1" = 2 ] || exit 0
for f in "$HOME_DIR"/mail/envoy/.Active/new/*; do mv "\$f" "$HOME_DIR/mail/envoy/.Active/cur/\${f##*/}:2,F"; done
END
chmod +x "$WORK/before.sh" && mv "$WORK/before.sh" "$WORK/before"
mail_in marked <<<x
is "$(flags marked)" '.Done/cur/FRS' 'a flag that a person set meanwhile stays'
rm -f "$WORK/before"

# Killed when it is renamed, and the store does not know.
echo "$done_now" | answers
POSTRIDER_DIE_AT=effect-acted pr inject --subject killed --run <<<x >/dev/null 2>&1
is "$(owed)" "$(db "SELECT count(*) FROM effect WHERE subject LIKE 'envoy/%'")" 'killed behind a rename'
isnt "$(owed)" 0 'it is owed'
pass_once
pass_once
is "$(flags killed) $(owed)" '.Done/cur/RS 0' 'the next pass comes to the same end'
is "$(db "SELECT folder FROM message WHERE subject = 'killed'")" Done 'and the store knows'

# An answer that is held is none; its yes makes it one, whenever it comes and whichever way.
ask_bob() { echo "$link" | answers; mail_in "$1" --from bob@postrider.local <<<x; }
held() { db "SELECT max(outbox) FROM delivery WHERE state = 'held'"; }
asked() { db "SELECT '<' || msgid || '>' FROM question ORDER BY id DESC LIMIT 1"; }
decide() { printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: Re: x\nIn-Reply-To: %s\n\n%s\n' "$(asked)" "$1" | pr sendmail -t; answers </dev/null; pr deliver; pass_once; }
ask_bob typed
is "$(flags typed)" '.Done/cur/S' 'an answer that is held: S alone'
exits 0 'approve' pr approve "$(held)"
is "$(flags typed)" '.Done/cur/RS' 'approved on the command line: R too'
ask_bob mailed
is "$(flags mailed)" '.Done/cur/S' 'another one'
decide APPROVE
is "$(flags mailed)" '.Done/cur/RS' 'approved by mail: R too'
ask_bob refused
decide REJECT
is "$(flags refused)" '.Done/cur/S' 'rejected: it was never answered'
is "$(owed)" 0 'nothing is owed'
exits 0 'doctor finds nothing' pr doctor
done_testing
