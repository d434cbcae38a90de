#!/usr/bin/env bash
# No silent end, no silent wait: whoever asked hears one line, and ask exits with 0 for an answer alone.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"

count() { grep -rl -- "$1" "$HOME_DIR/mail/${2:-you}/new" "$HOME_DIR/mail/${2:-you}/cur" 2>/dev/null | wc -l; }
json() { python3 -c 'import json, sys; v = json.load(sys.stdin); print(v["status"], "-", v["why"], "-", len(v["answers"]))' <<<"$OUT"; }

# --- ask: held, cancelled, failed ---
loop_home
steps '{"status":"complete","current_phase":"complete","send_emails":[{"to":["bob@example.net"],"body":"Hello Bob."}]}'
exits 75 'ask: the mail that was its answer is held' pr ask 'write to Bob'
like "$ERR" 'job 1 waits: its answer is held: .*; see: postrider show 1' 'with one line why'
unlike "$OUT" 'Hello Bob' 'and what is held is not printed as an answer'
loop_home
steps '{"status":"complete","current_phase":"complete","send_emails":[{"to":["bob@example.net"],"body":"Hello Bob."}]}'
run pr ask --json 'write to Bob'
like "$STATUS $(json)" '^75 held - its answer is held: .* - 0$' 'as JSON'

# A program that waits at the door until its job is cancelled.
cancelled() # JOB ARG...
{
    local job=$1
    shift
    shut_door
    pr ask "$@" 'take your time' >"$WORK/said" 2>"$WORK/why" &
    wait_for job_is running "$job"
    pr cancel "$job" >/dev/null
    wait $!
    STATUS=$?
    OUT=$(cat "$WORK/said")
    open_door
}
loop_home
printf '#!/bin/sh\nread -r _ <"%s/door"\n' "$WORK" >"$WORK/brain"
chmod +x "$WORK/brain"
pr config set 'brain default' kind command
pr config set 'brain default' command "$WORK/brain"
cancelled 1
is "$STATUS" 1 'ask: a job that was cancelled is no answer'
like "$(cat "$WORK/why")" 'job 1 was cancelled: .*; see: postrider show 1' 'with one line why'
cancelled 2 --json
like "$STATUS $(json)" '^1 cancelled - .*cancel.* - 0$' 'as JSON'

loop_home
steps '{"status":"complete"}' '{"status":"complete"}'
exits 1 'ask: a job that failed' pr ask 'nothing'
like "$ERR" 'job 1 failed: the brain said twice that it was done, and had done nothing; see: postrider show 1' 'with one line why'

# --- complete without a word ---
loop_home
steps '{"status":"complete","current_phase":"complete","reasoning":"The list is in scratch/list.","write_notes":[{"key":"scratch/list","content":"a"}]}'
exits 0 'done without a mail: the runtime says so, which is an answer' pr ask 'make the list'
is "$OUT" 'This is done, and no answer was written: The list is in scratch/list.' 'in one line'
is "$(to_you)" 1 'and in one mail'
is "$(db 'SELECT state FROM message')" handled 'that settles what was asked'

loop_home
pr config set 'person ann' address ann@postrider.local
pr config set 'person ann' may 'ask steer'
steps '{"status":"complete","current_phase":"complete","send_emails":[{"to":["you@postrider.local"],"body":"For you."}]}'
printf 'From: ann@postrider.local\nTo: envoy@postrider.local\nSubject: tell you\n\nplease\n' | pr sendmail -t
pr serve --once
is "$(count 'no answer was written' ann) $(to_you)" '1 1' 'done with a mail to somebody else: who asked hears a line'
loop_home
pr config set 'person ann' address ann@postrider.local
pr config set 'person ann' may 'ask steer'
steps '{"status":"complete","current_phase":"complete","send_emails":[{"to":["bob@example.net"],"body":"Hello Bob."}]}'
printf 'From: ann@postrider.local\nTo: envoy@postrider.local\nSubject: tell Bob\n\nplease\n' | pr sendmail -t
pr serve --once
is "$(count 'must wait for the owner' ann) $(count 'no answer was written' ann)" '1 0' 'done with its mail held: that line, and no other'
loop_home
pr config set 'person ann' address ann@postrider.local
pr config set 'person ann' may 'ask steer'
steps '{"status":"escalate","current_phase":"escalate","reasoning":"Too hard for me."}'
printf 'From: ann@postrider.local\nTo: envoy@postrider.local\nSubject: hard\n\nplease\n' | pr sendmail -t
pr serve --once
is "$(count 'This is with the owner now: Too hard for me.' ann) $(count 'This needs you')" '1 1' 'an escalation is told to who asked, too'
loop_home
pr note put scratch/a <<<'theirs' >/dev/null
steps '{"send_emails":[{"body":"It will be in scratch/a."}]}' '{"status":"complete","current_phase":"complete","write_notes":[{"key":"scratch/a","content":"mine"}],"send_emails":[{"body":"It is kept."}]}' \
    '{"status":"complete","current_phase":"complete"}'
pr ask 'keep it' >"$WORK/said" 2>/dev/null
like "$(cat "$WORK/said")" '^It will be in scratch/a..This is done\..*One thing failed: it could not change note scratch/a \(conflict' 'done on a note that was not saved: who asked hears of it'

loop_home
steps '{"status":"complete","current_phase":"complete","send_emails":[{"to":["no address"],"body":"Hello."}]}' '{"status":"complete","current_phase":"complete","send_emails":[{"body":"That was no address."}]}'
pr ask 'keep it' >"$WORK/said" 2>/dev/null
is "$(cat "$WORK/said")" 'That was no address.' 'where the end was none, nothing is said of one'
loop_home
pr note put scratch/a <<<'theirs' >/dev/null
steps '{"send_emails":[{"body":"I keep it."}]}' '{"status":"complete","current_phase":"complete","write_notes":[{"key":"scratch/a","content":"mine"}]}' \
    '{"status":"complete","current_phase":"complete","send_emails":[{"body":"It was there already."}]}'
pr ask 'keep it' >"$WORK/said" 2>/dev/null
is "$(job total_iterations) $(tail -n 1 "$WORK/said")" '3 It was there already.' 'nor is the step an end whose note was not saved'

# --- waiting for nobody ---
loop_home
wait='{"status":"waiting","current_phase":"waiting","working_note":"I need the colour.","wait":{"for":"reply","until":"","then":"continue"}}'
steps "$wait" "$wait"
exits 75 'a wait for a reply, with nobody asked' pr ask 'paint it'
is "$(job total_iterations)" 2 'is refused once'
like "$(pr job log 1)" 'nobody asked: refused' 'and the log says so'
like "$(pr show --context 1@2)" 'waiting was refused: nobody was asked in this round' 'the brain hears what to do'
like "$OUT" 'I wait for a reply, and have asked nobody.*I need the colour' 'then who asked hears what it waits for'
is "$(job state) $(to_you)" 'parked 1' 'in one mail'
loop_home
steps '{"status":"waiting","current_phase":"waiting","wait":{"for":"time","until":"2099-01-01T00:00:00Z","then":"continue"}}'
pr inject --subject later --run </dev/null >/dev/null
is "$(job state) $(job total_iterations)" 'parked 1' 'a wait for a time needs nobody'

# --- empty mail, the same again ---
loop_home
steps '{"status":"complete","current_phase":"complete","send_emails":[{"body":" \n "}]}' '{"status":"complete","current_phase":"complete","send_emails":[{"body":"Here it is."}]}'
exits 0 'an empty mail' pr ask 'say something'
is "$OUT $(job total_iterations)" 'Here it is. 2' 'is refused, and is no end'
like "$(pr show --context 1@2)" 'mail to you@postrider.local was not sent: its body is empty' 'the brain hears why'
same() # TEXT JSON: four times the same
{
    loop_home
    pr config set 'role envoy' max-iterations 8
    steps "$2" "$2" "$2" "$2" "$2"
    pr inject --subject same --run </dev/null >/dev/null 2>&1
    like "$(job state) $(job why) $(job total_iterations)" '^stopped no progress in three steps 4$' "$1"
}
same 'the same body to the same person is no progress' '{"send_emails":[{"body":"Still at it."}]}'
same 'nor are the same bytes in the same note' '{"write_notes":[{"key":"scratch/a","content":"x"}]}'
loop_home
pr config set 'role envoy' max-iterations 8
many 5 '{"write_notes":[{"key":"scratch/a","content":"NNN"}],"send_emails":[{"body":"Still at NNN."}]}'
pr inject --subject other --run --max-iter 5 </dev/null >/dev/null
is "$(job state) $(job total_iterations)" 'parked 5' 'other words are'

done_testing
