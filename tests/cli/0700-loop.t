#!/usr/bin/env bash
# Work in steps: limits per run and per round, checkpoint mails, and going on.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"

done_step='{"status":"complete","current_phase":"complete","send_emails":[{"body":"All done."}]}'
busy='{"working_note":"note NNN","write_notes":[{"key":"scratch/nNNN","content":"text NNN"}]}'

# --- the limit of a run ---
loop_home
many 9 "$busy"
id=$(pr inject --subject 'a long task' --run </dev/null)
is "$(job total_iterations)" 8 'a run ends after 8 steps'
is "$(job state)" parked 'it parks, and the pass does not go on with it'
ok 'inject --subject works without a body' test -n "$id"
ok 'the checkpoint is in INBOX' test -n "$(checkpoint INBOX)"
ok 'and in Sent' test -n "$(checkpoint Sent)"

loop_home
many 9 "$busy"
pr inject --subject s --run --max-iterations 2 </dev/null >/dev/null
is "$(job total_iterations)" 2 'inject --max-iterations'
pr serve --once --max-iter 1
is "$(job total_iterations)" 3 'the next pass goes on, with --max-iter'
pr account --once main
pr run --max-iterations 1 1
is "$(job total_iterations)" 4 'run --max-iterations'
exits 64 'a limit that is none' pr serve --once --max-iterations 0
ok 'and its like: nothing is litter' test "$(in_folder INBOX | wc -l)" -le 1

# --- the mail ---
loop_home
steps '{"working_note":"The plan:\n1. look\n2. tell ä","bundle_key":"scratch/index","write_notes":[{"key":"scratch/index","content":"- scratch/index\\n- gone/away"},{"key":"scratch/listed","content":"by name"},{"key":"scratch/code","content":"print(1)"}]}' \
    '{"working_note":"second","write_notes":[{"key":"scratch/index","content":"- scratch/index\\n- scratch/listed\\n- gone/away"}],"bundle_key":"scratch/index","current_phase":"composing","add_notes":["scratch/code","no/such"]}' \
    '{"working_note":"third","bundle_key":"scratch/index","current_phase":"composing","add_notes":["no/such"],"search_notes":["zebra"]}' \
    '{"working_note":"fourth","bundle_key":"scratch/index","current_phase":"composing","add_notes":["no/such"]}' "$done_step"
id=$(pr inject --subject 'Prüfe das' --run --max-iter 3 </dev/null)
mail=$(checkpoint)
text=$(python3 - "$mail" <<'P'
import email, email.policy, sys
m = email.message_from_binary_file(open(sys.argv[1], 'rb'), policy=email.policy.default)
parts = list(m.iter_parts())
print(m.get_content_type(), parts[0].get_content_type(), parts[1].get_content_type(), parts[1].get_content_disposition(), parts[1].get_filename(), m['To'])
print(parts[0].get_content())
P
)
like "$text" '^multipart/mixed text/plain application/json attachment continuation.json' 'multipart/mixed, text, then continuation.json'
like "$text" 'continuation.json envoy@postrider.local' 'to the role itself'
like "$text" 'Subject: +Prüfe das' 'original subject'
like "$text" 'From: +you@postrider.local' 'sender'
like "$text" "Message-ID: +$id" 'Message-ID'
like "$text" '3 in this run, 3 of 24 in all' 'steps in this run and in total'
like "$text" 'third' 'the working note'
is "$(sed -n '/^Notes in context/,/^$/p' <<<"$text")" 'Notes in context:
  scratch/index (bundle)
  scratch/listed (by the bundle)
  scratch/code' 'notes by key, with those that the bundle loads, each once'
like "$text" "$id  Active  Prüfe das" 'mails with Message-ID, folder and subject'
is "$(doc type "$mail")" continuation 'type'
is "$(doc original_message_id "$mail")" "$id" 'original_message_id with brackets'
is "$(doc original_subject "$mail")" 'Prüfe das' 'original_subject'
is "$(doc original_from "$mail")" you@postrider.local 'original_from'
is "$(doc iteration "$mail") $(doc total_iterations "$mail")" '3 3' 'iteration and total_iterations'
is "$(doc current_phase "$mail")" composing 'current_phase'
is "$(doc working_note "$mail")" third 'working_note'
is "$(doc bundle_key "$mail")" scratch/index 'bundle_key'
like "$(doc gathered_note_keys "$mail")" 'scratch/code' 'gathered_note_keys'
is "$(doc failed_fetches "$mail" | tr -d ' ' | grep -o '"no/such":2')" '"no/such":2' 'failed_fetches'
like "$(doc attempted_searches "$mail")" zebra 'attempted_searches'
is "$(doc gathered_attachment_refs "$mail")" '[]' 'gathered_attachment_refs'
is "$(doc version "$mail") $(doc job "$mail") $(doc role "$mail") $(doc seq "$mail") $(doc epoch "$mail")" '1 1 envoy 1 1' 'ours are additions'

# --- going on ---
before=$(for f in bundle_key current_phase failed_fetches gathered_note_keys; do doc $f "$mail"; done)
pr serve --once --max-iter 1
after=$(for f in bundle_key current_phase failed_fetches gathered_note_keys; do doc $f "$(checkpoint)"; done)
is "$after" "$before" 'as before after a resume'
is "$(doc iteration "$(checkpoint)") $(doc total_iterations "$(checkpoint)")" '1 4' 'iteration starts anew, the total goes on'
ok 'the used checkpoint is in Done' test -n "$(checkpoint Done)"
is "$(in_folder INBOX | wc -l)" 1 'and only the new one in INBOX'
pr serve --once
is "$(job state)" done 'it comes to its end'
ok 'the answer came' you_have 'All done.'
is "$(in_folder INBOX | wc -l)$(in_folder Active | wc -l)" 00 'nothing is left in INBOX and Active'
ok 'a further pass does nothing' pr serve --once
is "$(to_you)" 1 'one answer'
exits 66 'resume of a used checkpoint' pr resume 1
like "$ERR" 'used already' 'says why'

# --- waiting ---
loop_home
steps '{"status":"waiting","current_phase":"waiting","working_note":"asked","send_emails":[{"body":"Which one?"}]}' "$done_step"
id=$(pr inject --subject 'choose' --run </dev/null)
is "$(job state)" parked 'waiting parks'
ok 'with a checkpoint' test -n "$(checkpoint)"
is "$(doc resume_after "$(checkpoint)")" '' 'waiting for a reply goes on never by time'
pr serve --once
is "$(job total_iterations)" 1 'seen is not due: its own mail does not wake it'
q=$(grep -rh '^Message-ID' "$HOME_DIR/mail/you/new" | sed 's/.*: //')
printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: Re: choose\nIn-Reply-To: %s\n\nthe red one\n' "$q" | pr sendmail -t
pr serve --once
is "$(job state)" done 'a reply wakes it'
is "$(checkpoint INBOX)" '' 'its checkpoint is filed'

# --- ask of a job that asks back ---
loop_home
steps '{"status":"waiting","current_phase":"waiting","working_note":"asked","send_emails":[{"body":"Which one?"}]}' "$done_step"
exits 75 'ask: an answer that is a question' pr ask 'choose'
is "$OUT" 'Which one?' 'is printed'
is "$ERR" 'postrider: job 1 waits for a reply; see: postrider show 1' 'with what it waits for'
is "$(pr show 1 | sed -n '/^MAIL/,$p' | awk '{print $1, $5}' | tr '\n' ' ')" 'MAIL SUBJECT in choose out Re: out [checkpoint in [checkpoint ' 'show has its mail in the order of time'
loop_home
steps '{"status":"waiting","current_phase":"waiting","working_note":"asked","send_emails":[{"body":"Which one?"}]}' "$done_step"
run pr ask --json 'choose'
is "$STATUS $(python3 -c 'import json, sys; v = json.load(sys.stdin); print(v["status"], "-", v["why"], "-", v["answers"][0]["text"])' <<<"$OUT")" '75 waiting - a reply - Which one?' 'as JSON'

# --- continue-after ---
loop_home
pr config set postrider continue-after 1h
many 3 "$busy"
pr inject --subject s --run --max-iter 1 </dev/null >/dev/null
pr serve --once
is "$(job total_iterations)" 1 'the pause of continue-after is kept'
like "$(pr show 1)" 'has been waiting for .*, at its limit of steps in one run\. It goes on in (1 h|[56][0-9] min), or when somebody writes' 'show says what it waits for'
export POSTRIDER_CLOCK=+3650
like "$(pr show 1)" 'It goes on by itself with the next pass' 'and when its time has come'
like "$(pr job log 1)" 'now         waiting, until the next pass$' 'the log too'
unset POSTRIDER_CLOCK
POSTRIDER_CLOCK=+3700 pr serve --once --max-iter 1
is "$(job total_iterations)" 2 'and ends'

# --- resume ---
ok 'resume takes the newest checkpoint' pr resume 1
pr serve --once --max-iter 1
is "$(job total_iterations)" 3 'and goes on at once'
rm -f "$(checkpoint)"
ok 'from Sent, when INBOX has none' pr resume
ok 'it lies in INBOX' test -n "$(checkpoint)"
exits 66 'a job that there is not' pr resume 77
like "$ERR" 'there is no job 77' 'is said to be none'

# --- stop and go on ---
pr stop 1 >/dev/null
is "$(job state)" stopped 'stop'
pr serve --once
is "$(checkpoint INBOX)" '' 'a stopped job has no checkpoint in INBOX'
isnt "$(db "SELECT count(*) FROM trace WHERE what = 'checkpoint'")" 0 'and the trace of the one that came again says what became of it'
exits 66 'its checkpoint is dead' pr resume 1

# --- the limit of a round ---
loop_home
pr config set 'role envoy' total-iterations 5
many 12 "$busy"
id=$(pr inject --subject 'for ever' --run --max-iter 4 </dev/null)
pr serve --once
is "$(job total_iterations)" 5 'the limit of a round'
is "$(job state)" stopped 'stops the job'
is "$(checkpoint INBOX)" '' 'its checkpoint goes to Done'
ok 'whoever asked hears what was reached' you_have 'note 5'
ok 'and how to go on' you_have 'CONTINUE 12'
pr serve --once
is "$(job total_iterations) $(to_you)" '5 1' 'nothing more happens'
q=$(grep -rh '^Message-ID' "$HOME_DIR/mail/you/new" | sed 's/.*: //')
printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: Re: for ever\nIn-Reply-To: %s\n\nCONTINUE 2\n' "$q" | pr sendmail -t
pr serve --once
is "$(job total_iterations)" 7 'CONTINUE 2 raises it by two'

done_testing
