#!/usr/bin/env bash
# A second home on a mailbox stays down, and says why, until a person has changed something; and a server that
# is away for long does not fill the log.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/imap.sh"

imap_start
imap_home "$WORK/first"
"$PR_BIN" --home "$WORK/first" account main --once
"$PR_BIN" --home "$WORK/first" account work --once 2>/dev/null
imap_home
refused() { pr status | grep -q "account 'work' does not work: .*another home"; }
down() { logged 'stays down'; }
ends() { grep -c 'ended, and should not have' "$WORK/serve.log"; }

start_serve
ok "the second home's account ends" wait_for down
ok "status says why" refused
read -r -t 3 -u "$TAP_NEVER" # a part that fails would be there again after one second, and after two
is "$(ends)" 1 "it is not started again"
is "$(grep -c 'the account does not work' "$WORK/serve.log")" 1 "and was told once"
kill -HUP "$SERVE_PID"
again() { [ "$(ends)" = 2 ]; }
ok "SIGHUP lets it try once more" wait_for again
read -r -t 2 -u "$TAP_NEVER" # likewise
is "$(ends)" 2 "and stay down again"
exits 0 "a person takes the mailbox over" pr account work --take-over
like "$ERR" 'the account works again' "and hears so"
works() { logged 'first visit' && ! refused; }
ok "then it starts by itself" wait_for works
box send 1 you@postrider.local agent@test.example 'at last'
ok "and works" wait_for box_has postrider/Done 'at last'
stop_serve

# Away: each try fails in other words
silent_port
pr config set 'account work' port "$PORT"
: >"$WORK/serve.log"
start_serve
told() { grep -c 'the account does not work' "$WORK/serve.log"; }
is_told() { [ "$(told)" -ge 1 ]; }
ok "nobody listens: one line" wait_for is_told
python3 - "$PORT" <<'END' &
import socket, sys
s = socket.create_server(("127.0.0.1", int(sys.argv[1])))
for words in (b"* BYE busy\r\n", b"hello\r\n"):
    c, _ = s.accept()
    c.sendall(words)
    c.close()
END
strange=$!
wait "$strange"
is "$(told)" 1 "a server that fails in two ways more is the same trouble"
"$POSTRIDER_SRC/tests/lib/forward" "$PORT" "$IMAPS_PORT" "$WORK/wire" &
forward=$!
back() { logged 'the account works again'; }
ok "one line when it is back" wait_for back
is "$(grep -c 'the account works again' "$WORK/serve.log")" 1 "one"
kill "$forward"
wait "$forward" 2>/dev/null
stop_serve
done_testing
