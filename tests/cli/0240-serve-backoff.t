#!/usr/bin/env bash
# A part that fails is started again, later and later.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"

account_lives() { kill -0 "$(cat "$HOME_DIR/state/account-main.lock")"; }

ok 'init' pr init
mkdir "$HOME_DIR/state/account-main.lock"
ok 'serve' start_serve || done_testing
ok 'an account that fails at once waits 1 s' wait_for logged "account 'main'.*starting again in 1 s"
ok 'then 2 s' wait_for logged 'starting again in 2 s'
ok 'then 4 s' wait_for logged 'starting again in 4 s'
is "$(sed '/starting again in 4 s/q' "$WORK/serve.log" | grep -c 'should not have')" 3 'one line each'
exits 75 'meanwhile the master serves' pr serve

rmdir "$HOME_DIR/state/account-main.lock"
kill -HUP "$SERVE_PID"
ok 'a reload starts it at once' wait_for account_lives
ok 'mail is answered' timeout "$WAIT" "$PR_BIN" --home "$HOME_DIR" ask hello
stop_serve
is "$SERVE_STATUS" 0 'clean stop'

done_testing
