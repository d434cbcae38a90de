#!/usr/bin/env bash
# The master: one per home, starts and stops cleanly, serves a mail.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"

ok 'init' pr init
ok 'serve starts' start_serve || done_testing
wait_for logged msg=serving
like "$(head -n 1 "$WORK/serve.log")" "msg=serving home=$HOME_DIR roles=envoy" 'its first line says what it serves'
unlike "$(cat "$WORK/serve.log")" 'recovered=' 'and there was nothing to recover'
is "$(stat -c %a "$HOME_DIR/state/wake.sock")" 600 'the wake socket is private'

exits 75 'a second master is refused' pr serve
like "$ERR" "another master serves.*process $SERVE_PID" 'and is told who serves'
one_line "$ERR" 'in one line'
ok 'the first one goes on' kill -0 "$SERVE_PID"

ok 'a mail' pr ask --no-wait 'hello'
ok 'is answered' wait_for has_answers 1

stop_serve
is "$SERVE_STATUS" 0 'TERM stops it in order'
not_ok 'the wake socket is gone' test -e "$HOME_DIR/state/wake.sock"
like "$(tail -n 1 "$WORK/serve.log")" 'msg=stopped' 'its last line says so'

ok 'it starts again' start_serve || done_testing
serves_again() { [ "$(grep -c msg=serving "$WORK/serve.log")" = 2 ]; }
ok 'and says so again' wait_for serves_again
unlike "$(cat "$WORK/serve.log")" 'recovered=' 'again there is nothing to recover'
serve_end INT
is "$SERVE_STATUS" 0 'INT stops it too'

# A hint can't be sent to a master that is not there; the mail waits for the next one.
ok 'a mail while nobody serves' pr ask --no-wait 'hello again'
ok 'serve' start_serve || done_testing
ok 'is answered by the next master' wait_for has_answers 2
stop_serve
is "$(answers)" 2 'each mail was answered once'

done_testing
