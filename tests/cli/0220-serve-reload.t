#!/usr/bin/env bash
# SIGHUP: new settings are taken, bad ones refused.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"

conf=$HOME_DIR/postrider.conf
account_is_not() { local pid; pid=$(cat "$HOME_DIR/state/account-main.lock") && [ -n "$pid" ] && [ "$pid" != "$1" ]; }
account_lives() { [ -s "$HOME_DIR/state/account-$1.lock" ] && kill -0 "$(cat "$HOME_DIR/state/account-$1.lock")"; }
account_gone() { ! account_lives "$1"; }

ok 'init' pr init
ok 'serve' start_serve || done_testing
ok 'its account' wait_for account_lives main
account=$(cat "$HOME_DIR/state/account-main.lock")

cp "$conf" "$WORK/good.conf"
echo '[rol envoy]' >>"$conf"
kill -HUP "$SERVE_PID"
ok 'bad settings are refused' wait_for logged 'the new settings are refused'
like "$(grep refused "$WORK/serve.log")" 'postrider.conf:[0-9]+: .*rol' 'with the line and the reason'
ok 'the master goes on' kill -0 "$SERVE_PID"
is "$(cat "$HOME_DIR/state/account-main.lock")" "$account" 'and so does the account'

cp "$WORK/good.conf" "$conf"
kill -HUP "$SERVE_PID"
ok 'good settings are read' wait_for logged 'settings read again'
ok 'the account is started anew' wait_for account_is_not "$account"
unlike "$(cat "$WORK/serve.log")" 'should not have' 'which is no failure'

printf '[account other]\nkind = maildir\n' >>"$conf"
kill -HUP "$SERVE_PID"
ok 'a new account is started' wait_for account_lives other
cp "$WORK/good.conf" "$conf"
kill -HUP "$SERVE_PID"
ok 'and ended when it is gone from the settings' wait_for account_gone other
ok 'the first one is there' wait_for account_lives main
ok 'mail is answered' timeout "$WAIT" "$PR_BIN" --home "$HOME_DIR" ask hello
stop_serve
is "$SERVE_STATUS" 0 'clean stop'

done_testing
