#!/usr/bin/env bash
# A second job from an old step of a first one; the first is not touched.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/steps.sh"

db() { python3 - "$HOME_DIR/state/postrider.db" "$@" <<'P'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA wal_autocheckpoint = 0")
for row in db.execute(sys.argv[2]): print("|".join("" if v is None else str(v) for v in row))
P
}
job() { pr job list --all --json | python3 -c 'import sys, json
print([j for j in json.load(sys.stdin) if j["id"] == int(sys.argv[1])][0][sys.argv[2]])' "$1" "$2"; }
# All that there is of a job, its mail included.
dump() { db "SELECT * FROM job WHERE id = $1"; db "SELECT * FROM step WHERE job = $1"
    db "SELECT id, state, folder, step FROM message WHERE job = $1"; db "SELECT * FROM timer WHERE job = $1"
    db "SELECT o.id, d.state FROM outbox o JOIN delivery d ON d.outbox = o.id WHERE o.job = $1"; }
# Message-ID of the n-th mail that a job wrote.
wrote() { db "SELECT msgid FROM outbox WHERE job = $1 ORDER BY id LIMIT 1 OFFSET $(($2 - 1))"; }
reply() { pr send --to envoy --subject 'Re: Task' --in-reply-to "<$1>" <<<"$2" >/dev/null; }
job_of() { db "SELECT job FROM message WHERE class <> 'checkpoint' ORDER BY id DESC LIMIT 1"; }

ok 'a home whose agent works in steps' steps_home
pr config set 'role envoy' max-iterations 2
answers <<'END'
{"status":"continue","current_phase":"gathering","working_note":"first","write_notes":[{"key":"projects/a","content":"one\n","mode":"replace"}]}
{"status":"continue","current_phase":"composing","working_note":"second","write_notes":[{"key":"projects/a","content":"two\n","mode":"replace"}]}
{"status":"continue","current_phase":"working","working_note":"fork","write_notes":[{"key":"projects/a","content":"other\n","mode":"replace"}]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"done B"}]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"done A"}]}
END
mail_in 'Task' <<<'Please do.'
is "$(job 1 state)" parked 'a job that has parked after two steps'
is "$(mails)" 0 'and said nothing yet'

# --- the fork ---

before=$(dump 1)
exits 66 'no such job' pr job fork 9
exits 66 'no such step' pr job fork 1@3
like "$ERR" 'job 1 has no step 3; its newest is step 2' 'and what there is'
exits 64 'no step at all' pr fork 1@x
exits 64 'nothing to fork' pr fork
exits 64 'an option that there is not' pr fork 1@1 --dry try it
like "$ERR" 'fork: unknown option --dry' 'is no instruction'
ok 'fork JOB@STEP' pr job fork 1@1 try it another way
like "$OUT" '^Job 2 \(Task\) has been queued' 'says what became of it'
is "$(dump 1)" "$before" 'the first job is untouched, its epoch too'
is "$(job 2 total_iterations)" 1 'the steps of the round are counted up to there'
is "$(job 2 phase)" gathering 'the phase is that of the step'
is "$(job 2 cost_usd)" 0.0 'money begins anew'
is "$(job 2 original_message_id)" "$(job 1 original_message_id)" 'the request is the same'
is "$(db 'SELECT forked_job, forked_step, epoch, seq FROM job WHERE id = 2')" '1|1|1|0' 'whose fork it is, and an epoch of its own'
ok 'one run' pr run 2
like "$(seen 3)" 'This is job 2, round 1, step 2 of this round; the phase is gathering' 'it goes on behind that step'
like "$(seen 3)" $'YOUR WORKING NOTE[^\n]*\nfirst\n' 'with what it remembered'
like "$(seen 3)" $'INSTRUCTION[^\n]*\ntry it another way' 'and what it is told'
like "$(seen 3)" 'ORIGINAL MAIL, SENDER IS your operator' 'and the mail that began it'
like "$(results 3)" 'note projects/a: saved as version 1' 'and the results of that step'
like "$(results 4)" 'projects/a.*conflict' 'a note that the first has changed since is not overwritten'
is "$(pr note get projects/a)" two 'it is as the first left it'
is "$(job 2 state)" done 'the fork is done'
pr deliver
is "$(mails)" 2 'it wrote two mails'
like "$(cat "$(got | head -n 1)")" 'This is job 2, forked from job 1 at step 1' 'the first says whose fork it is'
like "$(grep -h '^Subject:' $(got))" $'Subject: Re: Task\nSubject: Re: Task' 'the subject is the same'
is "$(job 1 epoch)" 1 'the first has its epoch'
ok 'resume' pr resume 1 --run
is "$(job 1 state)" done 'and ends by itself'
like "$(newest)" 'done A' 'with its own answer'
is "$(pr note get projects/a)" two 'on its own notes'

# --- who gets what ---

answers <<'END'
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"to you"}]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"to you"}]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"to you"}]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"to you"}]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"again"}]}
END
reply "$(wrote 2 1)" 'More, please.'; pr serve --once
is "$(job_of)" 2 'a reply to the first mail of the fork reaches it'
reply "$(wrote 2 2)" 'And more.'; pr serve --once
is "$(job_of)" 2 'so does one to its answer'
reply "$(db 'SELECT msgid FROM outbox WHERE job = 1 AND step = 3')" 'Thank you.'; pr serve --once
is "$(job_of)" 1 'one to an answer of the first reaches the first'
reply "$(db 'SELECT original_msgid FROM job WHERE id = 1' | head -n 1)" 'By the way.'; pr serve --once
is "$(job_of)" 1 'and so does one to the mail that began both'
is "$(job 2 round)" 3 'the fork has had its two replies'

# --- an older round, a fork of a fork ---

ok 'a step of a round that is over' pr fork 2@2
is "$(db "SELECT round, total_iterations FROM job WHERE id = 3")" '1|2' 'its round'
is "$(job 3 original_message_id)" "<$(db "SELECT msgid FROM message WHERE job = 1 ORDER BY id LIMIT 1")>" 'its request'
ok 'one pass' pr serve --once
like "$(seen 5)" 'This is job 3, round 1, step 3 of this round' 'it goes on there'
like "$(seen 5)" "$(wrote 2 1)" 'it knows what the job wrote that it comes from'
unlike "$(seen 5)" "$(wrote 2 2)" 'and not what that wrote later'
unlike "$(seen 5)" "$(db "SELECT msgid FROM message WHERE job = 2 ORDER BY id LIMIT 1")" 'nor what came later'
run pr show 2
like "$OUT" 'Forked from job 1 at step 1' 'show says whose fork it is'
like "$OUT" 'Job 3 was forked from it at step 2' 'and which it has'

# --- limits ---

pr config set 'role envoy' total-iterations 2
ok 'a step at the limit of its round' pr fork 1@2
is "$(db 'SELECT step_limit FROM job WHERE id = 4')" 4 'gives the fork as many steps again'
is "$(db "SELECT group_concat(key, ' ') FROM note_shown WHERE job = 4 AND key LIKE 'envoy/states/%' ORDER BY key")" 'envoy/states/gathering envoy/states/triage' \
    'what later steps were shown it has not read'
run pr stop 4
like "$OUT" '^Job 4 \(Task\) was stopped by the operator .* ago. Reply CONTINUE' 'it is stopped, which is said once'
is "$(job 1 state)" done 'stopping a fork stops nothing else'

# --- what can't be forked ---

db 'UPDATE step SET state = NULL WHERE job = 1 AND n = 1' >/dev/null
exits 65 'a step whose state is gone' pr fork 1@1
like "$ERR" 'state of step 1 of job 1 is no longer kept; fork a newer step' 'is refused, with a way out'
pr config set 'role envoy' mode program
pr config set 'brain default' command /bin/cat
pr ask --no-wait 'as a program' >/dev/null && pr serve --once 2>/dev/null
n=$(db 'SELECT max(id) FROM job')
is "$(job "$n" state)" done 'a job of a program'
exits 65 'can not be forked' pr fork "$n"
like "$ERR" "^postrider: step 1 of job $n is the work of a program, which keeps its state to itself" 'and why'
exits 65 'nor a job in steps whose role is a program now' pr fork 1@2
like "$ERR" "job 1 worked in steps, but role 'envoy' is a program now.*'mode = steps' in \[role envoy\]" 'and what would help'
pr config set 'role envoy' mode steps
exits 65 'nor a job of a program whose role works in steps now' pr fork "$n"
like "$ERR" 'is the work of a program.*only jobs in steps' 'which is told as before'
pr config set 'brain default' command /bin/true
pr ask --no-wait 'says nothing' >/dev/null && pr serve --once 2>/dev/null
exits 65 'nor one that failed in its first step' pr fork "$(db 'SELECT max(id) FROM job')"
like "$ERR" 'step 1 of job [0-9]* came to nothing; there is nothing to go on from' 'which is no program'
ok 'doctor finds nothing' pr doctor

# --- crashes and a lost store ---

HOME_DIR=$WORK/two
steps_home
pr config set 'role envoy' max-iterations 1
answers <<'END'
{"status":"continue","current_phase":"gathering","working_note":"first"}
{"status":"continue","current_phase":"working","working_note":"of the fork"}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"ended"}]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"ended"}]}
END
mail_in 'Task' <<<'Please do.'
POSTRIDER_DIE_AT=txn-before-commit pr fork 1 >/dev/null 2>&1
is "$?" 137 'killed before the commit'
is "$(db 'SELECT count(*) FROM job')" 1 'there is no fork'
POSTRIDER_DIE_AT=txn-after-commit pr fork 1 >/dev/null 2>&1
is "$?" 137 'killed behind it'
is "$(db 'SELECT count(*) FROM job')" 2 'there is one'
ok 'it works' pr run 2
is "$(job 1 state) $(job 2 state)" 'parked parked' 'and parks beside the first'
like "$(seen 2)" 'This is job 2' 'after one step of its own'
pr deliver
rm -r "$HOME_DIR/state"
ok 'the store is lost' pr serve --once
is "$(job 1 state) $(job 2 state)" 'done done' 'both come back from their checkpoints and end'
like "$(cat "$WORK/seen.3" "$WORK/seen.4")" $'YOUR WORKING NOTE[^\n]*\nfirst.*YOUR WORKING NOTE[^\n]*\nof the fork|of the fork.*\nfirst' 'each with its own state'
like "$(seen 3)" 'Please do' 'with the mail that began them'
like "$(seen 4)" 'Please do' 'both of them'
is "$(got | xargs grep -l '^ended' | wc -l)" 2 'and answer once each'

done_testing
