#!/usr/bin/env bash
# How much one job may ask, what counts as an answer to a question, and whose mail goes on with whose job.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/steps.sh"

ok 'a home whose agent works in steps' steps_home
pr config set trust require-auth none
pr config set postrider max-questions 2
add_person bob@postrider.local ask
add_person kim@postrider.local ask steer
add_program_role clerk
open_of() { db "SELECT count(*) FROM question WHERE job = $1 AND state = 'open'"; }
state_of() { db "SELECT state FROM job WHERE id = $1"; }
mail_from() { # FROM IN_REPLY_TO BODY [HEADER...]
    local from=$1 parent=$2 body=$3
    shift 3
    { printf 'From: %s@postrider.local\nTo: envoy@postrider.local\nSubject: Re: x\nIn-Reply-To: %s\n' "$from" "$parent"
      [ $# -eq 0 ] || printf '%s\n' "$@"
      printf '\n%s\n' "$body"; } | pr sendmail -t && pr deliver && pass_once
}
writes_to() { echo '{"status":"continue","current_phase":"working","working_note":"'"$1"'","send_emails":[{"to":["'"$1"'@example.net"],"subject":"To '"$1"'","body":"x"}]}'; }
asks='{"status":"waiting","current_phase":"waiting","working_note":"w","wait":{"for":"reply","until":"","then":"continue"},"send_emails":[{"to":[],"body":"And now?"}]}'

# --- how many questions one job may have open ---

{ writes_to one; writes_to two; writes_to three; echo "$asks"; writes_to four; echo "$done_now"; } | answers
mail_in 'Many' <<<'Write to all of them.'
job=$(last_job)
is "$(open_of "$job")" 2 'a job has as many questions open as it may'
is "$(db "SELECT count(*) FROM outbox WHERE subject = 'To three'")" 0 'the mail that would need one more is not kept'
like "$(results 4)" 'mail to three@example.net was not sent: it needs a person.s yes, and too many questions of this job wait' 'and the next context says so'
question=$(db "SELECT msgid FROM question WHERE job = $job ORDER BY id LIMIT 1")
mail_from you "<$question>" REJECT
is "$(open_of "$job")" 1 'an answer makes room'
mail_from you "<$(db "SELECT original_msgid FROM job WHERE id = $job")>" 'Go on.'
is "$(open_of "$job") $(db "SELECT state FROM delivery WHERE address = 'four@example.net'")" '2 held' 'and the job can ask again'
{ writes_to five; echo "$done_now"; } | answers
mail_in 'Another' <<<'Write to five.'
is "$(open_of "$(last_job)")" 1 'another job has its own'

cat >"$HOME_DIR/scripts/clerk" <<END
#!/bin/sh
for name in one two three; do
    echo x | '$PR_BIN' send --to \$name@example.org --subject x >'$WORK/clerk.'\$name 2>&1
    echo "status \$?" >>'$WORK/clerk.'\$name
done
echo Done.
END
chmod +x "$HOME_DIR/scripts/clerk"
echo 'please' | pr send --to clerk --subject 'By a program' >/dev/null
pass_once
is "$(open_of "$(last_job)")" 2 'a program may ask as much'
like "$(cat "$WORK/clerk.three")" 'too many questions of this job.*status 75' 'and hears of the limit at once'

# --- a yes to two mails at once ---

{ writes_to left; echo "$done_now"; } | answers
mail_in 'Left' <<<'Write.'
left=$(db "SELECT msgid FROM question WHERE job = $(last_job)")
{ writes_to right; echo "$done_now"; } | answers
mail_in 'Right' <<<'Write.'
right=$(db "SELECT msgid FROM question WHERE job = $(last_job)")
states() { db "SELECT group_concat(state) FROM (SELECT state FROM question WHERE msgid IN ('$left', '$right') ORDER BY id)"; }
mail_from you "<$left> <$right>" APPROVE
is "$(states)" 'open,open' 'APPROVE below two questions counts for neither'
like "$(newest)" 'answers several mails at once, so nothing changed' 'and is told'
mail_from you "<$left> <something@example.net>" APPROVE
is "$(states)" 'open,open' 'nor below a question and another mail'
mail_from you "<$left> <$left>" REJECT
is "$(states)" 'rejected,open' 'the same question named twice is one'
mail_from you "<$right>" REJECT
is "$(states)" 'rejected,rejected' 'and a plain answer counts'

# --- mail into the thread of somebody else ---

printf '%s\n%s\n%s\n' "$asks" "$done_now" "$done_now" | answers
mail_in 'Of bob' --from bob@postrider.local <<<'please'
his=$OUT job=$(last_job)
mail_from kim "$his" 'Do something else instead.'
is "$(state_of "$job") $(db "SELECT count(*) FROM message WHERE job = $job AND from_spec LIKE 'kim@%'")" 'parked 0' "who may ask does not wake or steer somebody else's job by writing into its thread"
own=$(last_job)
isnt "$own" "$job" 'it is work of its own'
is "$(db "SELECT asker, round FROM job WHERE id = $own")" 'kim@postrider.local|1' 'of whoever wrote'
unlike "$(seen 2)" 'And now' 'which is shown nothing of the other conversation'
mail_from kim "<$(db "SELECT original_msgid FROM job WHERE id = $own")>" 'And that.'
is "$(db "SELECT count(*) FROM message WHERE job = $own AND from_spec LIKE 'kim@%'")" 2 'and what they write to that goes there'
answers <<<"$asks"
mail_from you "$his" 'The owner adds something.'
is "$(db "SELECT count(*) FROM message WHERE job = $job AND from_spec LIKE 'you@%'")" 1 'the owner may write into every thread'
answers <<<"$asks"
mail_from bob "$his" 'Kim knows more.' 'Cc: kim@postrider.local'
answers <<<"$asks"
mail_from kim "$his" 'I do.'
is "$(db "SELECT count(*) FROM message WHERE job = $job AND from_spec LIKE 'kim@%'")" 1 'who is named by those whose thread it is takes part'

done_testing
