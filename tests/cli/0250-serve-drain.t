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

end_brains
done_testing
