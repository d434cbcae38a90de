#!/usr/bin/env bash
# A job that stops at a limit leaves a checkpoint in Sent: CONTINUE works after a lost store, and nothing else wakes it.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"

busy='{"working_note":"note NNN","write_notes":[{"key":"scratch/nNNN","content":"text NNN"}]}'
at_limit()
{
    loop_home
    pr config set 'role envoy' total-iterations 3
    many 12 "$busy"
    id=$(pr inject --subject 'for ever' --run </dev/null)
    q=$(grep -rh '^Message-ID' "$HOME_DIR/mail/you/new" | sed 's/.*: //')
}
reply() { printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: Re: for ever\nIn-Reply-To: %s\nReferences: %s %s\n\n%s\n' "$q" "$id" "$q" "$1" | pr sendmail -t; }

at_limit
is "$(job state) $(checkpoint INBOX)" 'stopped ' 'at the limit of a round it is stopped, and INBOX has no checkpoint'
c=$(checkpoint Sent)
is "$(doc stopped "$c") - $(doc total_iterations "$c")" 'the limit of 3 steps is reached - 3' 'Sent has one that says so'
like "$(cat "$c")" 'It was stopped: the limit of 3 steps is reached' 'for people, too'
is "$(in_folder INBOX)" '' 'what was asked has left INBOX'

rm -rf "$HOME_DIR/state"
pr serve --once 2>/dev/null
is "$(job state) - $(job why) - $(job total_iterations)" 'stopped - the limit of 3 steps is reached - 3' 'with a lost store it comes back as it was'
pr serve --once 2>/dev/null
is "$(job total_iterations) $(to_you)" '3 1' 'and does nothing by itself'
reply 'CONTINUE 2'
pr serve --once 2>/dev/null
is "$(job total_iterations) $(cat "$HOME_DIR/notes/scratch/n5.md")" '5 text 5' 'CONTINUE 2 by mail lets it go on from there'
is "$(in_folder INBOX)" '' 'the order has left INBOX'

rm -rf "$HOME_DIR/state"
pr serve --once 2>/dev/null
is "$(job state) $(job total_iterations)" 'stopped 5' 'lost again at its new limit, it stands there'
pr cancel 1 >/dev/null
pr serve --once 2>/dev/null
rm -rf "$HOME_DIR/state"
pr serve --once 2>/dev/null
isnt "$(job state)" stopped 'cancelled before the store was lost, it is no more'

at_limit
steps "${busy//NNN/1}" "${busy//NNN/2}" "${busy//NNN/3}" '{"status":"complete","current_phase":"complete","send_emails":[{"body":"All done."}]}'
reply CONTINUE
pr serve --once 2>/dev/null
is "$(job state)" done 'one that went on and answered'
rm -rf "$HOME_DIR/state"
pr serve --once 2>/dev/null
is "$(pr --json job list --all)" '[]' 'does not come back from its limit'

# --- a document that is at its limit when it comes ---
loop_home
pr config set 'role envoy' total-iterations 3
many 12 "$busy"
echo '{"type":"continuation","original_message_id":"<o@x>","original_subject":"s","original_from":"you@postrider.local","iteration":3,"total_iterations":3,"current_phase":"composing","working_note":"w","bundle_key":"","gathered_note_keys":[],"gathered_email_refs":[],"failed_fetches":{}}' >"$WORK/seed.json"
pr resume "$WORK/seed.json" >/dev/null
pr serve --once 2>/dev/null
is "$(job state) $(job total_iterations) $(to_you)" 'stopped 3 1' 'a document at its limit becomes a job that is stopped, and who asked hears of it'
is "$(in_folder INBOX) $(in_folder Done | wc -l)" ' 1' 'the document has left INBOX'
done_testing
