#!/usr/bin/env bash
# Money, steps and limits of others, through the whole program (DESIGN section 6, "Money and limits of others").
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"
. "$(dirname "$0")/../lib/model.sh"

done_step='{"status":"complete","current_phase":"complete","send_emails":[{"body":"All done."}]}'
busy='{"working_note":"note NNN","write_notes":[{"key":"scratch/nNNN","content":"text NNN"}]}'
T0=1800000000 # midnight was eight hours ago
at() { local s=$1; shift; POSTRIDER_CLOCK=@$((T0 + s)) pr "$@"; }
json() { python3 -c 'import sys, json
v = json.load(sys.stdin)
print(eval(sys.argv[1]))' "$1"; }
calls() { cat "$WORK/fake.log" 2>/dev/null | wc -l; }
count() { grep -rl -- "$1" "$HOME_DIR/mail/you/new" "$HOME_DIR/mail/you/cur" 2>/dev/null | wc -l; }
reply() # SECONDS TEXT: to the newest mail with $3
{
    local id
    id=$(newest_file $(grep -rl -- "$3" "$HOME_DIR/mail/you/new") | xargs python3 -c '
import email, email.policy, sys
print(email.message_from_binary_file(open(sys.argv[1], "rb"), policy=email.policy.default)["Message-ID"].strip())')
    printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: Re: s\nIn-Reply-To: %s\n\n%s\n' "$id" "$2" | at "$1" sendmail -t
}
# A home whose brain is a model that answers by $HOME_DIR/scripts/model.jsonl.
model_home()
{
    fake_end
    loop_home
    umask 077
    echo sk-test-6f1c >"$HOME_DIR/secrets/model"
    pr config set 'brain default' kind anthropic
    pr config set 'brain default' model claude-opus-5-5
    pr config set 'brain default' key-file secrets/model
}
# TOKENS: what was written by `steps` or `many` is answered, each costing so many tokens; first the lines on stdin
answered_by_model()
{
    cat >"$HOME_DIR/scripts/model.jsonl"
    python3 - "$1" "$HOME_DIR/scripts" <<'P'
import json, sys
with open(sys.argv[2] + '/model.jsonl', 'a') as out:
    for line in open(sys.argv[2] + '/steps.jsonl'):
        print(json.dumps({"fake": "slow", "delay": 0, "answer": json.loads(line), "usage": {"output_tokens": int(sys.argv[1])}}), file=out)
P
    fake fake <"$HOME_DIR/scripts/model.jsonl"
    pr config set 'brain default' url "$URL"
}

# --- money of a round: 50,000 tokens are a dollar ---
model_home
many 9 "$busy"
answered_by_model 50000 </dev/null
at 0 inject --subject s --run </dev/null >/dev/null
is "$(job state) $(job total_iterations)" 'stopped 2' 'max-cost: at two dollars the round stops'
ok 'with a question' you_have 'the budget of $2.00 is spent'
ok 'that says how to go on' you_have 'Reply CONTINUE $1'
ok 'and what was reached' you_have 'note 2'
like "$(python3 -c 'import email, email.policy, sys; print(email.message_from_binary_file(open(sys.argv[1], "rb"), policy=email.policy.default).get_body(("plain",)).get_content())' "$HOME_DIR"/mail/you/new/*)" \
    'job 1 · step 3 of 24 · \$2.00 of \$2.00 · reply STOP, STATUS, WHY, or just write' 'below it stands where the job is'
like "$(at 0 show 1)" 'the budget of \$2.00 is spent. Reply CONTINUE \$1 to let it spend \$1 more' 'show says what to reply'
like "$(at 0 status)" 'waits for you:.*job 1 \(s\) is to go on or end: the budget of \$2.00 is spent.*spent today: \$2.00 of \$10.00' 'status says what waits for you, and why'
at 1 serve --once
is "$(calls)" 2 'nothing is asked meanwhile'
reply 2 'CONTINUE $1' 'budget of'
at 2 serve --once
is "$(job state) $(job total_iterations)" 'stopped 3' 'CONTINUE $1 by mail lets it spend one more'
at 3 continue --money 2 1 >/dev/null
at 3 serve --once
is "$(job state) $(job total_iterations)" 'stopped 5' 'continue --money 2 lets it spend two more'
is "$(db "SELECT count(limit_micro) FROM money")" 0 'the day, which has money left, is not raised by that'
for wrong in 0 -1 x 1001 ''; do exits 64 "--money '$wrong' is none" pr continue --money "$wrong" 1; done
at 4 continue 1 >/dev/null
at 4 serve --once
is "$(job total_iterations)" 5 'CONTINUE alone raises no budget'

# --- answers that are of no use ---
model_home
many 9 "$busy"
answered_by_model 50000 <<<'{"fake":"prose","usage":{"output_tokens":50000}}'
at 0 inject --subject s --run </dev/null >/dev/null
is "$(job state) $(job total_iterations) $(calls)" 'stopped 1 2' 'an answer that was no use costs money all the same'

model_home
pr config set 'role envoy' max-cost 1.00
many 9 "$busy"
answered_by_model 50000 <<<'{"fake":"prose","usage":{"output_tokens":50000}}'
at 0 inject --subject s --run </dev/null >/dev/null
is "$(job state) $(calls) $(count 'the budget of $1.00 is spent')" 'stopped 1 1' 'and is not asked for again when that was the last dollar of the round'

model_home
pr config set postrider max-cost-per-day 1.00
many 9 "$busy"
answered_by_model 50000 <<<'{"fake":"prose","usage":{"output_tokens":50000}}'
at 0 inject --subject s --run </dev/null >/dev/null
is "$(job state) $(calls) $(count 'the budget of the day of $1.00 is spent')" 'stopped 1 1' 'or of the day'

model_home
steps "$done_step"
answered_by_model 10 <<<'{"fake":"refusal"}'
at 0 inject --subject s --run </dev/null >/dev/null
is "$(job state) $(calls)" 'failed 1' 'a model that refuses is not asked the same again'
ok 'and whoever asked hears of it' you_have 'the model refuses'

model_home
steps "$done_step"
answered_by_model 10 <<<"{\"fake\":\"truncated\",\"answer\":${done_step/All done/Half}}"
at 0 inject --subject s --run </dev/null >/dev/null
is "$(job state) $(calls) $(count Half) $(count 'All done')" 'done 2 0 1' 'an answer that was cut is not used, even where it can be read'

# --- money of a day ---
model_home
pr config set postrider max-cost-per-day 3.00
many 9 "$busy"
answered_by_model 50000 </dev/null
pr config set 'role envoy' max-cost 100.00
at 0 inject --subject s --run </dev/null >/dev/null
is "$(job state) $(job total_iterations)" 'stopped 3' 'max-cost-per-day: at three dollars nothing more is asked'
ok 'with a question' you_have 'the budget of the day of $3.00 is spent'
reply 1 'CONTINUE $1' 'budget of the day'
at 1 serve --once
is "$(job state) $(job total_iterations)" 'stopped 4' 'CONTINUE $1 raises the day too'
at 86400 continue 1 >/dev/null
at 86400 serve --once
is "$(job total_iterations)" 7 'the next day has a budget of its own'

model_home
printf '\n[person kim]\naddress = kim@postrider.local\nmay = ask steer\n' >>"$HOME_DIR/postrider.conf"
pr config set postrider max-cost-per-day 1.00
many 9 "$busy"
answered_by_model 50000 </dev/null
at 0 inject --subject s --from kim@postrider.local --run </dev/null >/dev/null
is "$(job state) $(count 'budget of the day')" 'stopped 1' 'who asked and can not raise the day is not alone to hear of it'

model_home
pr config set 'role envoy' mode program
pr config set postrider max-cost-per-day 2.00
many 4 '{"working_note":"It is so."}'
answered_by_model 50000 </dev/null
for i in 1 2 3; do at 0 inject --subject "s$i" --run </dev/null >/dev/null; done
is "$(job state 1) $(job state 2) $(job state 3) $(calls)" 'done done stopped 2' 'a model that answers as a program does has the same budget'
is "$(count 'the budget of the day of $2.00 is spent')" 1 'and the same question'
reply 1 'CONTINUE $1' 'budget of the day'
at 1 serve --once
is "$(job state 3) $(calls)" 'done 3' 'a dollar more, one more answer'

# --- a day whose store was lost ---
model_home
pr config set postrider max-cost-per-day 4.00
pr config set 'role envoy' max-cost 100.00
pr config set 'role envoy' max-iterations 1
steps "$done_step" "${busy//NNN/1}" "${busy//NNN/2}" "${busy//NNN/3}" "${busy//NNN/4}"
answered_by_model 50000 </dev/null
spent() { at "$1" --json cost | json 'round(v["today_usd"], 2)'; }
lose() { at "$1" deliver && rm -r "$HOME_DIR/state" && at "$1" account --once main 2>/dev/null; }
at 0 inject --subject one --run </dev/null >/dev/null
at 1 inject --subject two --run </dev/null >/dev/null
is "$(job state 1) $(job state 2) $(spent 1)" 'done parked 2.0' 'two dollars: one job is done, one rests'
lose 2
is "$(spent 2)" 2.0 'the store is lost: the checkpoint mail says what the day has cost, by all jobs'
at 3 resume 2 --run >/dev/null
is "$(spent 3)" 3.0 'what it costs since comes on top'
lose 4
is "$(spent 4)" 3.0 'and is known when it is lost again'
at 5 resume 2 --run >/dev/null
at 6 resume 2 --run >/dev/null
is "$(job state 2) $(calls) $(spent 6)" 'stopped 4 4.0' 'so the budget of the day holds'
lose 86400
is "$(spent 86400)" 0.0 'another day has cost nothing'

# --- money that bought nothing ---
model_home
many 9 "$busy"
answered_by_model 50000 </dev/null
POSTRIDER_DIE_AT=run-after-brain at 0 inject --subject s --run </dev/null >/dev/null 2>&1
POSTRIDER_DIE_AT=run-after-brain at 1 serve --once 2>/dev/null
is "$(calls)" 2 'a run dies when it has its answer, and so does the next'
is "$(at 4 --json cost | json 'round(v["today_usd"], 2), round(v["total_usd"], 2), v["steps"]')" '(2.0, 2.0, 0)' 'both answers are paid for, though no step has come of them'
is "$(at 4 --json status | json 'round(v["cost_today"], 2)')" 2.0 'status counts them'
is "$(at 4 --json cost --by job | json '[(r["job"], round(r["cost_usd"], 2)) for r in v["rows"]]')" '[(1, 2.0)]' 'by job too'
at 3500 serve --once # two runs died of it: it has a wait behind it
at 3600 serve --once
is "$(job state) $(calls)" 'stopped 2' 'and so does the budget of the round'
at 3601 continue --money 1 1 >/dev/null
at 3601 serve --once
is "$(job state) $(job total_iterations) $(calls)" 'stopped 1 3' 'a dollar more buys one more answer'
is "$(at 3602 --json cost | json 'round(v["total_usd"], 2), v["steps"]')" '(3.0, 1)' 'what was paid in vain goes with the next step, and counts once'
is "$(at 3602 --json show 1 | json 'round(v["cost_usd"], 2), round(v["steps"][0]["cost_usd"], 2)')" '(3.0, 3.0)' 'in its row'

model_home
pr config set postrider max-cost-per-day 1.50
many 9 "$busy"
answered_by_model 50000 <<'END'
{"fake":"slow","delay":0,"answer":"what?","usage":{"output_tokens":50000}}
{"fake":"429-long"}
{"fake":"slow","delay":0,"answer":"what?","usage":{"output_tokens":50000}}
{"fake":"429-long"}
END
at 0 inject --subject s --run </dev/null >/dev/null
is "$(job state) $(calls)" 'queued 2' 'an answer that was no use, and a usage limit at the repair'
at 7201 serve --once
at 14402 serve --once
is "$(job state) $(calls)" 'stopped 3' 'what such answers cost counts: at its budget the day ends, and no repair is asked for'

# --- steps of a round, and the spellings ---
loop_home
pr config set 'role envoy' total-iterations 3
many 99 "$busy"
pr inject --subject s --run </dev/null >/dev/null
is "$(job state) $(job total_iterations)" 'stopped 3' 'the limit of steps'
ok 'whoever asked hears what was reached, and CONTINUE 12' you_have 'Reply CONTINUE 12'
pr continue --steps 2 1 >/dev/null
pr serve --once
is "$(job total_iterations)" 5 'continue --steps 2 lets it take two more'
loop_home
pr config set 'role envoy' total-iterations 3
many 99 "$busy"
pr inject --subject s --run --max-iter 3 </dev/null >/dev/null
is "$(job state) $(checkpoint)" 'stopped ' 'where both limits are reached at once it stops, without a checkpoint'
loop_home
many 99 "$busy"
pr inject --subject s --run --max-iter 1 </dev/null >/dev/null
is "$(job total_iterations)" 1 'inject --max-iter'
pr serve --once --max-iter 2
is "$(job total_iterations)" 3 'serve --once --max-iter'
pr resume 1 --run --max-iter 3 >/dev/null
is "$(job total_iterations)" 6 'resume --run --max-iter'
pr account --once main
pr run --max-iter 2 1
is "$(job total_iterations)" 8 'run --max-iter'
pr config set postrider continue-after 1h
start_serve --max-iter 3
parked_at() { [ "$(job state) $(job total_iterations)" = "parked $1" ]; }
wait_for parked_at 11
stop_serve
is "$(job total_iterations) $(job iteration)" '11 3' 'serve --max-iter holds for its runs'
exits 64 'a limit that is none' pr serve --max-iterations 0

# --- a provider's limit: all jobs of that brain wait, one call finds it out ---
model_home
steps "$done_step" "$done_step"
answered_by_model 10 <<<'{"fake":"429-long"}'
at 0 inject --subject one </dev/null >/dev/null
at 0 inject --subject two --run </dev/null >/dev/null
is "$(job state 1) $(job state 2) $(calls)" 'queued queued 1' 'a usage limit: two jobs wait after one call'
like "$(at 10 status)" "can't be asked for 119 min: .*used up; its jobs wait" 'status says so, and how long'
is "$(at 10 --json job list | grep -c 'used up')" 2 'each job says why it waits'
is "$(sqlite3 -readonly "$HOME_DIR/state/postrider.db" 'select sum(attempts) from job')" 0 'no attempt is counted'
at 7000 serve --once
is "$(calls) $(to_you)" '1 1' 'until it ends nobody is asked; whoever asked hears of it, once for both'
ok 'with the time' you_have "I can't go on with this before 2027-01-15T10:00:00Z"
at 7201 serve --once
is "$(job state 1) $(job state 2) $(calls) $(to_you)" 'done done 3 3' 'then both go on'
is "$(db "SELECT count(limited_why) + (SELECT count(*) FROM told) FROM brain")" 0 'and nothing is left of it'

model_home
printf '\n[person kim]\naddress = kim@postrider.local\nmay = ask steer\n' >>"$HOME_DIR/postrider.conf"
steps "$done_step" "$done_step" "$done_step"
answered_by_model 10 <<<'{"fake":"429-long"}'
at 0 inject --subject one --from kim@postrider.local --run </dev/null >/dev/null
at 60 inject --subject two --from kim@postrider.local --run </dev/null >/dev/null
at 120 deliver
to_kim() { find "$HOME_DIR/mail/kim/new" -type f | wc -l; }
is "$(to_kim) $(to_you)" '1 0' 'whoever asked hears of it, and nobody else'
at 3500 inject --subject three --run </dev/null >/dev/null
at 3700 inject --subject four --from kim@postrider.local --run </dev/null >/dev/null
at 3700 inject --subject five --run </dev/null >/dev/null
at 3700 deliver
is "$(to_kim) $(to_you)" '1 1' 'each on their own; less than an hour is no news'

model_home
steps "$done_step" "$done_step"
answered_by_model 10 <<<'{"fake":"429-long","headers":{"retry-after":"9999999"}}'
at 0 inject --subject one --run </dev/null >/dev/null
at 1 deliver
is "$(to_you) $(count 'wait until 2027-01-16T08:00:00Z')" '1 1' 'a limit of many days, in a header: the owner is asked, and it waits for a day'
ok 'with what the provider said' you_have '429'
at 80000 inject --subject two --run </dev/null >/dev/null
at 80000 deliver
is "$(job state 2) $(calls) $(to_you)" 'queued 1 2' 'who asks for something else later hears of it too'
like "$(at 80001 status)" "can't be asked for 106 min" 'status knows it'
at 80002 continue 1 >/dev/null
at 80002 serve --once
is "$(job state 1) $(job state 2)" 'done done' 'CONTINUE tries it at once'

# --- nobody there for a long time ---
model_home
steps "$done_step"
answered_by_model 10 </dev/null
there=$URL
pr config set 'brain default' url http://127.0.0.1:1
at 0 inject --subject one --run </dev/null >/dev/null 2>&1
for s in 61 200 421 599; do at $s serve --once 2>/dev/null; done
is "$(to_you)" 0 'a model that is away'
at 600 serve --once 2>/dev/null
is "$(to_you)" 1 'is news after ten minutes'
ok 'with the time since when' you_have "I can't go on with this since 2027-01-15T08:00:00Z"
at 14000 serve --once 2>/dev/null
is "$(to_you)" 1 'once'
pr config set 'brain default' url "$there"
at 14001 serve --once
is "$(job state) $(to_you)" 'done 2' 'then it goes on'

model_home
steps "$done_step" "$done_step"
answered_by_model 10 <<<'{"fake":"429-long"}'
at 0 inject --subject one </dev/null >/dev/null
at 0 inject --subject two --run </dev/null >/dev/null
at 100 continue 2 >/dev/null
at 100 serve --once
is "$(job state 1) $(job state 2)" 'done done' 'CONTINUE to one of them tries at once, and what works works for all'

# --- a program that is asked in steps ---
model_home
pr config set 'brain default' kind command
pr config set 'role envoy' mode steps
pr config set 'brain default' command "$HOME_DIR/scripts/agent"
cat >"$HOME_DIR/scripts/agent" <<END
#!/bin/sh
cat >/dev/null
pwd >>'$WORK/cwd'
[ -e '$WORK/free' ] || { echo "You've hit your limit · resets 9:30am (UTC)" >&2; exit 1; }
echo '$done_step'
END
chmod +x "$HOME_DIR/scripts/agent"
at 0 inject --subject one </dev/null >/dev/null
at 0 inject --subject two --run </dev/null >/dev/null 2>&1
is "$(job state 1) $(job state 2) $(wc -l <"$WORK/cwd")" 'queued queued 2' 'a program that says "resets 9:30am" has failed, for each job by itself'
touch "$WORK/free"
at 29 serve --once
is "$(wc -l <"$WORK/cwd")" 2 'it is not run again at once'
at 31 serve --once
is "$(job state 1) $(job state 2)" 'done done' 'but after half a minute'
is "$(sort -u "$WORK/cwd" | sed "s|$HOME_DIR/||" | tr '\n' ' ')" 'work/envoy/1 work/envoy/2 ' 'a program that is asked in steps sits in the folder of its job, not in the home'

# --- a brain that is broken: it pauses, not the job ---
for fault in 401 402 403; do
    model_home
    steps "$done_step" "$done_step"
    answered_by_model 10 <<<"{\"fake\":\"$fault\"}"
    at 0 inject --subject one </dev/null >/dev/null
    at 0 inject --subject two --run </dev/null >/dev/null
    is "$(job state 1) $(job state 2) $(calls) $(count 'does not work')" 'queued queued 1 1' "$fault: one call, both jobs stay, the owner is told once"
done
like "$(at 10 status)" "the brain 'default' does not work" 'status says it'
at 100 serve --once
is "$(calls)" 1 'it is not asked for five minutes'
at 301 serve --once
is "$(job state 1) $(job state 2) $(to_you)" 'done done 3' 'then it is, and both go on'
unlike "$(at 302 status)" 'does not work' 'and status is content'

model_home
steps "$done_step" "$done_step"
answered_by_model 10 </dev/null
chmod 644 "$HOME_DIR/secrets/model"
at 0 inject --subject one --run </dev/null >/dev/null
is "$(job state) $(calls) $(count 'does not work')" 'queued 0 1' 'a key that can not be used is a broken brain too'
chmod 600 "$HOME_DIR/secrets/model"
at 10 serve --once
is "$(job state)" queued 'it is not looked at again at once'
at 10 continue 1 >/dev/null
at 10 serve --once
is "$(job state)" done 'but CONTINUE does'

# --- other settings, another key: what was wrong before counts no more ---
model_home
steps "$done_step" "$done_step"
answered_by_model 10 </dev/null
mv "$HOME_DIR/secrets/model" "$WORK/model-key"
at 0 inject --subject one --run </dev/null >/dev/null 2>&1
is "$(job state) $(calls)" 'queued 0' 'a key that is not there'
at 5 serve --once
is "$(job state)" queued 'is not looked for at once'
mv "$WORK/model-key" "$HOME_DIR/secrets/model"
like "$(at 6 status)" "did not work, and was not asked since it was changed" 'it was put there: status knows that there is something new'
at 6 serve --once
is "$(job state)" done 'and the brain is asked'

model_home
steps "$done_step" "$done_step"
answered_by_model 10 </dev/null
there=$(pr config show --json | python3 -c 'import json, sys; print(*(k["value"] for k in json.load(sys.stdin) if (k["section"], k["key"]) == ("brain default", "url")))')
pr config set 'brain default' url http://127.0.0.1:1
at 0 inject --subject one --run </dev/null >/dev/null 2>&1
like "$(at 1 status)" "can't be asked for 59 s: can't reach" 'a url where nobody is'
pr config set 'brain default' url "$there"
unlike "$(at 2 status)" "can't be asked" 'another one: that is over'
at 2 serve --once
is "$(job state)" done 'and the brain is asked at once'

model_home
steps "$done_step" "$done_step"
answered_by_model 10 <<<$'{"fake":"401"}\n{"fake":"429-long"}'
at 0 inject --subject one --run </dev/null >/dev/null 2>&1
at 1 continue 1 >/dev/null
at 1 serve --once
run at 2 status
like "$OUT" "can't be asked for .* 429" 'another fault than before'
unlike "$OUT" 'work, |does not work' 'is the one that is told'

model_home
steps "$done_step" "$done_step"
answered_by_model 10 <<<'{"fake":"401"}'
at 0 inject --subject one --run </dev/null >/dev/null 2>&1
like "$(at 1 status)" "the brain 'default' does not work" 'a key that is refused'
ok 'setup brain asks it' at 1 setup brain
unlike "$(at 2 status)" 'work, ' 'it answered: status is content'
at 2 serve --once
is "$(job state) $(to_you)" 'done 2' 'and its job goes on'

loop_home
pr config set 'brain default' kind command
pr config set 'brain default' command /no/such/agent
at 0 inject --subject one --run </dev/null >/dev/null
is "$(job state) $(count 'does not work')" 'queued 1' 'a program that is missing likewise'
at 301 serve --once
at 602 serve --once
is "$(job state) $(count 'does not work')" 'queued 1' 'told once, however often it is tried'
pr config set 'brain default' command /bin/cat
at 610 serve --once
is "$(job state)" done 'mended settings go on at once'

loop_home
pr config set 'brain default' kind command
pr config set 'brain default' command /no/such/agent
pr inject --subject one --run </dev/null >/dev/null
start_serve
pr config set 'brain default' command /bin/cat
kill -HUP "$SERVE_PID"
ok 'also under the master, at SIGHUP' wait_for job_is done
stop_serve
fake_end

done_testing
