#!/usr/bin/env bash
# The budget of a day, where several workers spend it at the same time (DESIGN section 6, "Money and limits of others").
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"
. "$(dirname "$0")/../lib/model.sh"

done_step='{"status":"complete","current_phase":"complete","send_emails":[{"body":"All done."}]}'
busy='{"working_note":"note NNN","write_notes":[{"key":"scratch/nNNN","content":"text NNN"}]}'
T0=1800000000
at() { local s=$1; shift; POSTRIDER_CLOCK=@$((T0 + s)) pr "$@"; }
calls() { cat "$WORK/fake.log" 2>/dev/null | wc -l; }
called() { [ "$(calls)" -ge "$1" ]; }
spent() { at 0 --json cost | python3 -c 'import json, sys; print("%.2f" % json.load(sys.stdin)["today_usd"])'; }
count() { grep -rl -- "$1" "$HOME_DIR/mail/you/new" "$HOME_DIR/mail/you/cur" 2>/dev/null | wc -l; }
told() { [ "$(count 'the budget of the day of $3.00 is spent')" -ge "$1" ]; }
states() { db "SELECT group_concat(state, ' ') FROM (SELECT state FROM job ORDER BY id)"; }
all_are() { [ "$(states)" = "$1 $1 $1 $1" ]; }
waiting() { db "SELECT count(*) FROM job WHERE state = 'queued' AND why LIKE 'the calls that are under way%'"; }
one_waits() { [ "$(waiting)" = 1 ]; }
RUNS=()
end_runs() { [ ${#RUNS[@]} -eq 0 ] || { kill -KILL "${RUNS[@]}"; wait "${RUNS[@]}"; } 2>/dev/null; RUNS=(); }
trap 'end_runs; fake_end; tap_end' EXIT
# TOKENS [DOOR]: a home with four jobs, whose model answers by what `steps` or `many` wrote. 50,000 tokens are a dollar, and
# more the model can not write. The first DOOR answers wait at the door.
model_home()
{
    fake_end
    python3 - "$1" "${2:-0}" "$HOME_DIR/scripts/steps.jsonl" "$WORK/door" >"$WORK/model.jsonl" <<'P'
import json, sys
for k, line in enumerate(open(sys.argv[3])):
    plan = {"fake": "slow", "delay": 0, "answer": json.loads(line), "usage": {"output_tokens": int(sys.argv[1])}}
    if k < int(sys.argv[2]):
        plan["door"] = sys.argv[4]
    print(json.dumps(plan))
P
    fake fake <"$WORK/model.jsonl"
    umask 077
    echo sk-test-6f1c >"$HOME_DIR/secrets/model"
    {
        printf '[postrider]\nowner = you@postrider.local\ndomain = postrider.local\nworkers = 4\nmax-cost-per-day = 3.00\n'
        printf '[account main]\nkind = maildir\n[role envoy]\nmax-cost = 100.00\n'
        printf '[brain default]\nkind = anthropic\nmodel = claude-opus-5-5\nmax-tokens = 50000\nurl = %s\nkey-file = secrets/model\n' "$URL"
    } >"$HOME_DIR/postrider.conf"
    for i in 1 2 3 4; do at 0 inject --subject "job $i" </dev/null >/dev/null; done
    at 0 account --once main
}
work_on() { local i; for i; do POSTRIDER_CLOCK=@$T0 "$PR_BIN" --home "$HOME_DIR" run "$i" 2>>"$WORK/runs.log" </dev/null & RUNS+=($!); done; }

# --- steps of a dollar: four ask, three dollars ---
loop_home
many 20 "$busy"
shut_door
model_home 50000 4
POSTRIDER_CLOCK=@$T0 start_serve
ok 'three of four workers ask' wait_for called 3
ok 'the fourth waits: what the three may cost is all there is' wait_for one_waits
is "$(calls) $(db 'SELECT sum(attempts) FROM job WHERE state = "queued"')" '3 0' 'and no attempt of its job counts'
like "$(at 1 show 4)$(at 1 show 3)$(at 1 show 2)$(at 1 show 1)" "the calls that are under way may spend the rest of the budget. It is tried again in" 'show says what it waits for'
open_door
ok 'when they have paid, all stop' wait_for all_are stopped
ok 'whoever asked hears of each job' wait_for told 4
stop_serve
is "$(calls) $(spent)" '3 3.00' 'three dollars were spent of three'
ok 'once' eval '[ "$(count "budget of the day")" = 4 ]'
is "$(db 'SELECT count(*) FROM asking') $(db 'SELECT sum(aside_micro) FROM money')" '0 0' 'nothing is left written down'

# --- calls that cost less than they might: whoever waits goes on when one has paid; the clock stands still ---
loop_home
many 4 "$done_step"
shut_door
model_home 5000 3
POSTRIDER_CLOCK=@$T0 start_serve
ok 'again one waits' wait_for one_waits
open_door
ok 'and goes on as soon as others have paid' wait_for all_are done
stop_serve
is "$(calls) $(spent)" '4 0.40' 'nothing of the budget was lost by it'

# --- a call that fails pays nothing, and makes room ---
loop_home
many 4 "$done_step"
shut_door
model_home 5000 3
sed -i '1,3s/.*/{"fake":"400","door":"'"${WORK//\//\\/}"'\/door"}/' "$WORK/model.jsonl"
fake_end
fake fake <"$WORK/model.jsonl" # on another port
pr config set 'brain default' url "$URL"
POSTRIDER_CLOCK=@$T0 start_serve
ok 'one waits for calls that will fail' wait_for one_waits
open_door
ok 'and is asked' wait_for eval '[ "$(db "SELECT count(*) FROM job WHERE state = '\''done'\''")" = 1 ]'
stop_serve

# --- workers that die ---
loop_home
many 9 "$done_step"
shut_door
model_home 5000 3
work_on 1 2 3
ok 'three workers ask' wait_for called 3
at 0 run 4 2>/dev/null
is "$(calls) $(waiting)" '3 1' 'a fourth does not'
end_runs
is "$(states)" 'running running running queued' 'they are killed, and nobody has noticed yet'
at 31 run 4 2>/dev/null
is "$(calls) $(job state 4)" '4 done' 'what the dead might have spent keeps nobody from asking'
open_door
at 40 serve --once
is "$(job state 1) $(job state 2) $(job state 3)" 'done done done' 'and their jobs go on too'

# --- one alone ---
loop_home
many 20 "$busy"
model_home 40000
at 0 run 1 2>/dev/null && at 0 deliver
is "$(job state 1) $(calls) $(spent)" 'stopped 4 3.20' 'one worker asks while anything is left'

done_testing
