#!/usr/bin/env bash
# A stop while a run is at work: it is let go in order, its job goes on with the next master.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"

none_at_work() { [ -z "$(at_work)" ]; }

ok 'init' pr init
slow_brain
ok 'a short drain' pr config set postrider drain 1s

ok 'serve' start_serve || done_testing
ok 'a mail' pr ask --no-wait hello
ok 'its brain begins' wait_for begun 1
stop_serve
is "$SERVE_STATUS" 0 'TERM ends it in order'
ok 'nobody is left' wait_for none_at_work
ok 'the job waits' job_is queued
is "$(answers)" 0 'and nothing was answered'

ok 'the next master' start_serve || done_testing
ok 'goes on with it' wait_for begun 2
open_gate
ok 'and it is answered' wait_for has_answers 1
stop_serve
is "$(answers)" 1 'once'

# The impatient: a second signal ends all at once, however long the drain is.
ok 'a long drain' pr config set postrider drain 10m
: >"$WORK/serve.log"
ok 'serve' start_serve || done_testing
ok 'a mail' pr ask --no-wait again
ok 'its brain begins' wait_for begun 3
kill -TERM "$SERVE_PID"
ok 'it drains' wait_for logged 'stopping: [12] at work'
kill -TERM "$SERVE_PID"
wait "$SERVE_PID"
is "$?" 0 'a second TERM ends it at once'
SERVE_PID=
: >"$WORK/serve.log"
ok 'serve' start_serve || done_testing
ok 'the job goes on' wait_for begun 4
open_gate
ok 'and is answered' wait_for has_answers 2
stop_serve
is "$(answers)" 2 'once'

# An account that takes the lock while the master drains, as one does that a killed master had just started.
lock_of_account() { cat "$HOME_DIR/state/account-main.lock"; }
: >"$WORK/serve.log"
ok 'serve' start_serve || done_testing
ok 'a mail' pr ask --no-wait late
ok 'its brain begins' wait_for begun 5
first=$(lock_of_account)
kill -TERM "$SERVE_PID"
gone() { ! kill -0 "$1" 2>/dev/null; }
ok 'the account ends while the run drains' wait_for gone "$first"
"$PR_BIN" --home "$HOME_DIR" account main >>"$WORK/late.log" 2>&1 </dev/null &
late=$!
has_lock() { [ "$(lock_of_account)" = "$1" ]; }
ok 'another has its lock' wait_for has_lock "$late"
open_gate
wait "$SERVE_PID"
is "$?" 0 'the master ends'
SERVE_PID=
is "$(at_work)" '' 'and leaves nobody behind'
kill -KILL "$late" 2>/dev/null
wait "$late" 2>/dev/null
is "$(db 'SELECT state FROM job ORDER BY id DESC LIMIT 1')" done 'the run came to its end'
ok 'a pass' pr serve --once
is "$(answers)" 3 'brings its answer'

# In steps: the step under way is let come to its end, and no other begins.
mkfifo "$WORK/gate-of-steps"
cat >"$HOME_DIR/scripts/stepper" <<END
#!/bin/sh
cat >/dev/null
echo asked >>'$WORK/asked'
read -r x <'$WORK/gate-of-steps'
echo '{"status":"continue","current_phase":"working","write_notes":[{"key":"scratch/d","content":"x","mode":"append"}]}'
END
chmod +x "$HOME_DIR/scripts/stepper"
pr config set 'brain default' command "$HOME_DIR/scripts/stepper"
pr config set 'role envoy' mode steps
asked() { [ -e "$WORK/asked" ]; }
ended() { ! kill -0 "$SERVE_PID" 2>/dev/null; }
: >"$WORK/serve.log"
ok 'serve' start_serve || done_testing
ok 'a mail' pr ask --no-wait 'in steps'
ok 'its first step begins' wait_for asked
kill -TERM "$SERVE_PID"
ok 'it drains' wait_for logged 'stopping: [12] at work'
echo go >"$WORK/gate-of-steps"
ok 'it ends after that step' wait_for ended
is "$(wc -l <"$WORK/asked")" 1 'no other was begun'
is "$(db 'SELECT state, total_iterations, attempts FROM job ORDER BY id DESC LIMIT 1')" 'queued|1|0' 'the job waits, and no attempt is counted'

end_brains
done_testing
