#!/usr/bin/env bash
# config set: a master that runs takes the change at once, and whoever made it hears so.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"

conf=$HOME_DIR/postrider.conf
was_read() { [ "$(grep -c 'settings read again' "$WORK/serve.log")" -ge "$1" ]; }
account_lives() { [ -s "$HOME_DIR/state/account-$1.lock" ] && kill -0 "$(cat "$HOME_DIR/state/account-$1.lock")"; }

ok 'init' pr init
exits 0 'set where nobody serves' pr config set postrider workers 2
is "$OUT" '' 'nobody is told, and nothing is said'

ok 'serve' start_serve || done_testing
exits 0 'set while it serves' pr config set 'account other' kind maildir
is "$OUT" "process $SERVE_PID, which serves this home, was told to read it again" 'it is told, in one line'
ok 'the master works by it: the new account is there' wait_for account_lives other
ok 'having read it' was_read 1

# Refused: nothing is written, so there is nothing to read.
cp "$conf" "$WORK/before"
run pr config set postrider workers many
is "$STATUS" 78 'a wrong value is refused'
unlike "$OUT$ERR" 'was told' 'nobody is told of it'
ok 'the file is as it was' cmp "$conf" "$WORK/before"
run pr config set 'role envoy' brain nobody
isnt "$STATUS" 0 'and so is one that does not fit the rest'
ok 'the file is as it was' cmp "$conf" "$WORK/before"
exits 0 'another one' pr config set postrider workers 3
ok 'is read' wait_for was_read 2
unlike "$(cat "$WORK/serve.log")" 'the new settings are refused' 'the master never saw a bad one'
stop_serve
is "$SERVE_STATUS" 0 'clean stop'
done_testing
