#!/usr/bin/env bash
# kill -9 of any process at random under load, the master too. The server is the witness: no mail is lost,
# none is answered twice, none is filed twice. KILLS=300 by hand.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/imap.sh"
KILLS=${KILLS:-30} MAILS=${MAILS:-30}
RANDOM=${SEED:=$((BASHPID % 30000))}
diag "SEED=$SEED"
WAIT=120 # whoever died often is started again late

imap_start
imap_home
pr config set 'role envoy' max-attempts 1000
start_serve
wait_for visited
box send $((MAILS / 2)) you@postrider.local agent@test.example early
for ((i = 1; i <= KILLS; i++)); do
    [ "$i" != $((KILLS / 2)) ] || box send $((MAILS / 2)) you@postrider.local agent@test.example late
    read -r -t "0.$((RANDOM % 25 + 5))" -u "$TAP_NEVER" # any moment: that is the attack
    mapfile -t pids < <(at_work)
    [ "${#pids[@]}" = 0 ] || kill -KILL "${pids[RANDOM % ${#pids[@]}]}" 2>/dev/null
    if ! kill -0 "$SERVE_PID" 2>/dev/null || [ $((i % 5)) = 0 ]; then # begin anew: its patience grows with each death
        kill_serve
        start_serve
    fi
done 2>/dev/null
kill_serve 2>/dev/null
start_serve
all_done() { [ "$(box subjects postrider/Done | wc -l)" = "$MAILS" ] && [ "$(box subjects Sent | wc -l)" -ge "$MAILS" ]; }
ok "$KILLS kills later every mail is done" wait_for all_done

ok "nothing is owed" wait_for nothing_owed
is "$(box subjects INBOX)" "" "INBOX is empty"
is "$(box subjects postrider/Done | sort | uniq -d)" "" "nothing is in Done twice"
is "$(box subjects Sent | sort | uniq -c | awk '$1 != 1')" "" "no answer is in Sent twice"
is "$(box subjects Sent | wc -l)" "$MAILS" "each has one"
is "$(jobs)" "$MAILS" "one job each"
is "$(answers)" "$MAILS" "one answer each"
stop_serve
is "$(python3 - "$HOME_DIR/state/postrider.db" <<'P'
import sqlite3, sys
store = sqlite3.connect('file:%s?mode=ro' % sys.argv[1], uri=True)
print(*store.execute("select count(*), sum(account = 'work') from message").fetchone(),
      *store.execute("select count(*) from remote where wants is not null").fetchone())
P
)" "$MAILS $MAILS 0" "the store knows where each is, and owes nothing"
done_testing
