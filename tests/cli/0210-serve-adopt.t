#!/usr/bin/env bash
# Runs and accounts outlive the master; the next one adopts them.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"

# A lock is let go a moment after its holder has lost its command line.
kill_all()
{
    local pids
    pids=$(at_work)
    [ -z "$pids" ] && flock -n "$HOME_DIR/state/account-main.lock" true && return
    kill -KILL $pids
    return 1
}

ok 'init' pr init
slow_brain

ok 'serve' start_serve || done_testing
ok 'a mail' pr ask --no-wait 'hello'
ok 'its brain begins' wait_for begun 1
account=$(cat "$HOME_DIR/state/account-main.lock")
kill_serve
ok 'the account lives on without a master' kill -0 "$account"
ok 'the job runs on' job_is running

: >"$WORK/serve.log"
ok 'a new master' start_serve || done_testing
wait_for logged msg=serving
like "$(head -n 1 "$WORK/serve.log")" 'recovered="adopted 1 living run, adopted 1 living account"' \
    'says first what it took over'
is "$(cat "$HOME_DIR/state/account-main.lock")" "$account" 'the account is still the same process'
open_gate
ok 'the adopted run answers' wait_for has_answers 1
ok 'its job is done' wait_for job_is done
is "$(wc -l <"$WORK/begun")" 1 'the brain ran once'

ok 'a second mail, to the adopted account' pr ask --no-wait 'hello again'
ok 'begins' wait_for begun 2
open_gate
ok 'and is answered' wait_for has_answers 2

kill -KILL "$account"
ok 'an account that dies is noticed' wait_for logged "should not have.*account 'main'"
ok 'a mail' pr ask --no-wait 'third'
ok 'begins' wait_for begun 3

# Everything dies, the run too: the job is given back.
kill_serve
ok 'all are killed' wait_for kill_all
: >"$WORK/serve.log"
ok 'a new master' start_serve || done_testing
wait_for logged msg=serving
like "$(head -n 1 "$WORK/serve.log")" 'recovered="gave back 1 job"' 'says what it found'
ok 'the job begins again' wait_for begun 4
open_gate
ok 'and is answered' wait_for has_answers 3
stop_serve
is "$SERVE_STATUS" 0 'clean stop'
is "$(answers)" 3 'each mail was answered once'

end_brains
done_testing
