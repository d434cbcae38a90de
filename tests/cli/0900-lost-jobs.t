#!/usr/bin/env bash
# state/ is deleted between two runs, with three jobs there: one is parked, one was answered, one has a mail that
# nobody looked at yet. The first goes on from its checkpoint mail, the second is not answered again, the third waits
# for the owner's word (promise 9).
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"
. "$(dirname "$0")/../lib/loop.sh"

mails_to_you() { grep -rhi '^Subject:' "$HOME_DIR/mail/you/new" "$HOME_DIR/mail/you/cur" 2>/dev/null | sort; }
answers_to() { mails_to_you | grep -c "^Subject: Re: $1\$"; }
in_words() { pr --json mail list --limit 100 | python3 -c 'import json, sys
for m in sorted(json.load(sys.stdin), key=lambda m: m["subject"]):
    if m["class"] != "checkpoint": print(m["subject"], m["state"], m["why"] or "-", sep=": ")'; }
lose() { rm -rf "$HOME_DIR/state"; }
pass_by() { pr serve --once >/dev/null 2>>"$WORK/log"; }
# Two steps that each write a line, then the answer.
jobs_home()
{
    loop_home
    pr config set 'role envoy' max-iterations 1
    steps '{"working_note":"looked","write_notes":[{"key":"scratch/log","content":"1\n","mode":"append"}]}' \
        '{"working_note":"wrote","write_notes":[{"key":"scratch/log","content":"2\n","mode":"append"}]}' \
        '{"status":"complete","current_phase":"complete","send_emails":[{"body":"Here it is.","attachments":[{"note_key":"scratch/log","filename":"log.txt"}]}]}'
}

jobs_home
echo 'please' | pr send --to envoy --subject 'answered' >/dev/null
for _ in 1 2 3; do pass_by; done
is "$(job state 1) $(answers_to answered)" 'done 1' 'one job is answered'
pr note delete scratch/log >/dev/null
echo 'please' | pr send --to envoy --subject 'parked' >/dev/null
pass_by
is "$(job state 2) $(job total_iterations 2)" 'parked 1' 'one is parked after its first step'
seq=$(doc seq "$(checkpoint)")
echo 'please' | pr send --to envoy --subject 'unanswered' >/dev/null
pr deliver >/dev/null 2>&1
ok 'one mail lies there, and nobody has looked' grep -q '^Subject: unanswered' -r "$HOME_DIR/mail/envoy/new"

lose
pass_by
is "$(job state 2) $(job total_iterations 2)" 'parked 2' 'the parked one goes on from its checkpoint mail, under its number'
ok 'and leaves the next one' test "$(doc seq "$(checkpoint)")" -gt "$seq"
is "$(in_words)" 'answered: handled: history: filed as done
parked: shown: its job came back from a checkpoint mail
unanswered: ignored: history' 'what became of each mail is said'
is "$(answers_to answered) $(to_you)" '1 1' 'what was answered is not answered again'
like "$(pr status)" '1 old mail was left alone' 'status tells of the one that waits'

lose
pass_by
is "$(job state 2) $(answers_to parked)" 'done 1' 'lost once more before its last step: it ends, and answers'
ok 'with the file of both lives attached' you_have 'filename="log.txt"'
is "$(pr note get scratch/log)" '1
2' 'each step was taken once'
lose
pass_by && pass_by
is "$(to_you)" 2 'lost after its end: nobody is answered a second time'
is "$(pr --json job list --all)" '[]' 'no job comes back'
ok 'the owner releases what was left alone' pr doctor --release all
for _ in 1 2 3; do pass_by; done
is "$(answers_to unanswered) $(to_you)" '1 3' 'then it is answered, once'
exits 0 'all is well' pr doctor

# --- the same under a master that is killed while they work ---

jobs_home
start_serve
for n in one two; do echo 'please' | pr send --to envoy --subject "$n" >/dev/null; done
has() { [ "$(to_you)" -ge "$1" ]; }
ok 'two jobs are answered' wait_for has 2
pr config set postrider continue-after 1h
kill -HUP "$SERVE_PID"
reloaded() { grep -q 'settings read again' "$WORK/serve.log"; }
ok 'jobs are to pause now' wait_for reloaded
for n in three four; do echo 'please' | pr send --to envoy --subject "$n" >/dev/null; done
two_parked() { job_is parked 3 && job_is parked 4 && [ "$(in_folder INBOX | wc -l)" = 2 ]; }
ok 'two are parked' wait_for two_parked
kill_all()
{
    local p
    kill_serve
    for p in $(at_work); do kill -KILL "$p"; done 2>/dev/null
}
nothing_left() { [ -z "$(at_work)" ]; }
kill_all
ok 'everything is killed' wait_for nothing_left
pr config set postrider continue-after 0
lose
POSTRIDER_CLOCK=+7200 start_serve
ok 'both go on to their answers' wait_for has 4
stop_serve
is "$(mails_to_you)" 'Subject: Re: four
Subject: Re: one
Subject: Re: three
Subject: Re: two' 'each of the four has one answer'
exits 0 'and all is well' pr doctor
done_testing
