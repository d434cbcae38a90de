#!/usr/bin/env bash
# What a job did, what it cost, and why: cost, show JOB, show JOB@N, job log.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/steps.sh"

db() { python3 - "$HOME_DIR/state/postrider.db" "$@" <<'P'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA wal_autocheckpoint = 0")
for sql in sys.argv[2:]:
    for row in db.execute(sql): print("|".join("" if v is None else str(v) for v in row))
P
}
seconds() { date -u -d "$1" +%s; }
json() { python3 -c 'import sys, json
v = json.load(sys.stdin)
print(eval(sys.argv[1]))' "$1"; }
all_words() { local word; for word in $long; do grep -qF -- "$word" <<<"$1" || return 1; done; }
widest() { python3 -c 'import sys; print(max(len(l.rstrip("\n")) for l in sys.stdin))'; }

ok 'a home whose agent works in steps' steps_home
ok 'nothing was spent yet' pr cost
like "$OUT" $'all  0      \$0.00\ntoday \(UTC\): \$0.00 of \$10.00; \$10.00 left' 'and says so'
pr config set 'role envoy' max-iterations 3
long='The task asks for a plan, so I look through the notes first and write down what is known so far.'
answers <<END
{"status":"continue","current_phase":"gathering","working_note":"first","reasoning":"$long","write_notes":[{"key":"projects/a","content":"one\n","mode":"replace"},{"key":"projects/b","content":"b\n","mode":"append"}]}
{"status":"continue","current_phase":"composing","working_note":"second","write_notes":[{"key":"projects/a","content":"two\n","mode":"replace"}],"delete_notes":["projects/b"]}
{"status":"continue","current_phase":"composing","working_note":"third","add_notes":["no/such"]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"done","subject":""}]}
END
export POSTRIDER_CLOCK=@$(seconds 2026-03-01T09:00:00Z)
printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: =?utf-8?q?Ta=1B=5B31msk?=\nMessage-ID: <one@x>\n\nPlease do.\n' >"$WORK/mail"
ok 'a mail with an escape in its subject' pr inject --role envoy --run "$WORK/mail"
export POSTRIDER_CLOCK=@$(seconds 2026-03-02T10:00:00Z)
ok 'parked, and goes on the day after' pr serve --once
is "$(pr job list --all --json | json 'v[0]["state"]')" done 'it is done'

# --- cost ---

db 'UPDATE step SET cost_micro = 31200 WHERE n = 1' 'UPDATE step SET cost_micro = 1250000 WHERE n = 2' \
    'UPDATE step SET cost_micro = 500000 WHERE n = 4' 'UPDATE job SET cost_micro = 1781200' \
    'INSERT INTO money (day, spent_micro, aside_micro) SELECT at_us / 86400000000, sum(cost_micro), 0 FROM step GROUP BY 1'
ok 'by day' pr cost
is "$OUT" $'DAY         STEPS  COST
2026-03-01  3      $1.28
2026-03-02  1      $0.50
all         4      $1.78
today (UTC): $0.50 of $10.00; $9.50 left' 'each day, all of them, and what is left today'
ok 'by role' pr cost --by role
like "$OUT" $'ROLE   STEPS  COST\nenvoy  4      \$1.78\n' 'one role'
ok 'by job' pr cost --by job
like "$OUT" 'SUBJECT' 'with its subject'
unlike "$OUT" $'\033' 'which is untrusted: no escape reaches the terminal'
is "$(pr cost --by job --json | json 'v["rows"][0]["job"], v["rows"][0]["cost_usd"], v["total_usd"]')" '(1, 1.7812, 1.7812)' 'as JSON'
is "$(pr cost --json | json 'v["by"], v["today_usd"], v["max_cost_per_day_usd"], v["left_today_usd"]')" "('day', 0.5, 10.0, 9.5)" 'with the limit'
is "$(pr cost --since 2026-03-02 --json | json 'v["total_usd"], v["steps"]')" '(0.5, 1)' 'since a date'
is "$(pr cost --since 12h --json | json 'v["total_usd"]')" 0.5 'since a span'
db 'UPDATE step SET cost_micro = 80 WHERE n = 3'
like "$(pr show 1@3)" $'\ncost      <\$0.0001\n' 'little is not nothing'
like "$(pr show 1@3 --json)" '"cost_usd": 8e-5,' 'nor a number with a tail'
db 'UPDATE step SET cost_micro = 0 WHERE n = 3'
exits 64 'by what there is not' pr cost --by week
like "$ERR" 'none of day, role, job' 'and what there is'
exits 64 'since what is no time' pr cost --since yesterday
exits 64 'an operand' pr cost 1
pr config set postrider max-cost-per-day 0.40
is "$(pr cost --json | json 'v["left_today_usd"]')" 0.0 'less than nothing is never left'

# --- show JOB ---

ok 'show' pr show 1
like "$OUT" $'STEP  AT                    TOOK[ ]+COST[ ]+DID[ ]+BECAUSE\n1     2026-03-01T09:00:00Z  ' 'at, took, cost, did, because'
like "$OUT" "1 .* \\\$0.0312  wrote note projects/a; [^
]*  $long" 'a pipe gets whole lines'
like "$OUT" 'It has cost \$1.78' 'and the sum'
unlike "$OUT" $'\033' 'without the escapes of a subject'
for width in 40 60 80 120; do
    run env COLUMNS=$width "$PR_BIN" --home "$HOME_DIR" show 1
    table=$(sed -n '/^STEP/,/^$/p' <<<"$OUT")
    ok "at $width columns no line of the table is longer" test "$(widest <<<"$table")" -le $width
    ok "at $width columns no word of the reason is lost" all_words "$table"
done
like "$(COLUMNS=80 pr show 1)" $'\n {40}because The task asks for a plan, so I' 'at 80 the reason stands below'
like "$(COLUMNS=120 pr show 1)" $'\n1     03-01 09:00:00 .*wrote note projects/a; .*The task asks for a plan' 'at 120 beside'
like "$(COLUMNS=120 pr show 1)" $'answered [0-9a-z]{8,12}\n' 'ids are cut to what tells them apart'
is "$(pr show 1 --json | json 'len(v["steps"]), v["steps"][1]["cost_usd"], v["cost_usd"], v["forks"], v["forked_from"]')" \
    '(4, 1.25, 1.7812, [], None)' 'as JSON'

# --- show JOB@N ---

ok 'one step' pr show 1@2
like "$OUT" 'Step 2 of job 1' 'says which'
like "$OUT" $'\ncost      \$1.25\n' 'what it cost'
like "$OUT" $'\nresults   note projects/a: saved as version 2\n' 'what came of it'
like "$OUT" $'\nnotes     projects/a, version 2\n' 'notes with their versions'
like "$OUT" $'\n          projects/b, deleted in version 2\n' 'deleted ones too'
like "$OUT" $'\n  "working_note": "second",\n' 'what the brain said, as a person reads it'
ok 'the last one' pr show 1@4
like "$OUT" $'\nmail in   handled, from you@postrider.local: ' 'the mail that it settled'
like "$OUT" $'\nmail out  sent, to you@postrider.local: Re: ' 'and the mail that it wrote'
is "$(pr show 1@2 --json | json 'v["job"], v["n"], [n["key"] for n in v["notes"]][0], v["answer"]["status"]')" "(1, 2, 'projects/a', 'continue')" 'as JSON'
exits 66 'a step that is not there' pr show 1@5
like "$ERR" 'job 1 has no step 5; its newest is step 4' 'and what there is'
exits 64 'no step' pr show 1@x

# --- job log ---

ok 'job log' pr job log 1
kinds=$(awk '{print $2 == "mail" ? $2 " " $3 : $2}' <<<"$OUT" | tr '\n' ' ')
like "$kinds" "^mail in step step step parked checkpoint step (mail out )+now $" "everything in the order of time"
like "$OUT" "step        1 \(.*, \\\$0.0312\): wrote note projects/a.*, because The task" 'a step with its time, cost and reason'
like "$OUT" 'mail in     from you@postrider.local, handled by step 4: ' 'mail in with its state'
like "$OUT" 'mail out    to you@postrider.local, sent: Re: ' 'mail out with its state'
like "$OUT" 'parked      left itself a checkpoint mail, sent' 'that it parked'
like "$OUT" $'now         done$' 'and how it is now'
unlike "$OUT" $'\033' 'without escapes'
ok 'at 80 columns no line is longer' test "$(COLUMNS=80 pr job log 1 | widest)" -le 80
is "$(pr job log 1 --json | python3 -c 'import sys, json
e = [json.loads(l) for l in sys.stdin]; print(e[0]["event"], e[-1]["event"], e[1]["step"])')" 'mail in now 1' 'as JSON, one object a line'
exits 64 'which job?' pr job log
exits 66 'no such job' pr job log 9
pr send --to envoy --subject 'Re: Task' --in-reply-to "<$(db 'SELECT msgid FROM outbox WHERE step = 4 AND job = 1')>" <<<'STATUS' >/dev/null
pr serve --once
like "$(pr job log 1)" 'order       the order STATUS from you@postrider.local: Re: Task' 'orders are in it'
pr config set 'role envoy' max-iterations 1
answers <<'END'
{"status":"waiting","current_phase":"waiting","working_note":"asked","send_emails":[{"to":[],"body":"Which one?"}],"wait":{"for":"reply","until":"","then":"continue"}}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"That one."}]}
END
pr config set postrider max-cost-per-day 10.00
mail_in 'Ask me' <<<'Please.'
pr send --to envoy --subject 'Re: Ask me' --in-reply-to "<$(db 'SELECT msgid FROM outbox WHERE job = 2 AND step = 1 ORDER BY id LIMIT 1')>" <<<'The second.' >/dev/null
pr serve --once
like "$(pr job log 2)" 'woke        by mail: its job was waiting' 'and what woke it'
pr fork 1@1 >/dev/null
like "$(pr job log 1)" 'fork        job 3 was forked from it at step 1' 'and forks'
like "$(pr job log 3)" 'began       as a fork of job 1 at step 1' 'from both sides'
pr stop 3 >/dev/null
pr continue 3 --steps 2 --money 1 'look again' >/dev/null
exits 75 'an order that finds nothing to do' pr continue 3
pr send --to envoy --subject 'STOP ALL' </dev/null >/dev/null
pr serve --once
pr continue 3 >/dev/null
is "$(pr job log 3 | sed -n 's/^[^ ]*  order  *//p')" "the order STOP from the operator
the order CONTINUE from the operator, 2 more steps, \$1.00 more: look again
the order STOP ALL from you@postrider.local
the order CONTINUE from the operator" 'and orders that no mail of the job brought, once each'
ok '-f of a job that rests ends at once' timeout "$WAIT" "$PR_BIN" --home "$HOME_DIR" job log -f 1

# --- as it happens ---

unset POSTRIDER_CLOCK
answers <<'END'
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"of the fork"}]}
END
"$PR_BIN" --home "$HOME_DIR" job log -f 3 >"$WORK/log" 2>&1 &
tail=$!
ok 'what is there already comes at once' wait_for grep -q 'now  .*queued' "$WORK/log"
pr run 3
wait $tail
is "$?" 0 'it ends when the job rests'
like "$(cat "$WORK/log")" $'step        2 .*\n.*mail out    to you.*\n.*now         done' 'and has told what happened meanwhile'
is "$(grep -c 'as a fork of' "$WORK/log")" 1 'each thing once'

done_testing
