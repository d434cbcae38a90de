#!/usr/bin/env bash
# setup service: a systemd unit that systemd itself accepts, and a master that keeps its side of it.
. "$(dirname "$0")/../lib/tap.sh"

unit=$WORK/units/postrider.service
has() { grep -qxF -- "$1" "$unit"; }
verify() # FILE [OPTION]: with the program at a place that systemd can see
{
    XDG_RUNTIME_DIR=$WORK SYSTEMD_LOG_LEVEL=warning systemd-analyze verify "${2:---system}" --man=no "$1"
}

pr init >/dev/null
exits 64 'both kinds at once' pr setup service --user --system
exits 64 'a credential without a path' pr setup service --credential mail --yes
exits 64 'without --yes it is only shown' pr setup service --system --dir "$WORK/units"
like "$OUT" '\+ Type=notify' 'the text of it'
not_ok 'nothing is written' test -e "$unit"
ok 'a unit for the machine' pr setup service --system --dir "$WORK/units" --yes
like "$OUT" 'systemctl daemon-reload && systemctl enable --now postrider' 'it says what comes next'
for line in Type=notify WatchdogSec=180s KillMode=mixed ProtectSystem=strict TimeoutStopSec=90s NoNewPrivileges=yes \
    'ExecReload=/bin/kill -HUP $MAINPID' "ReadWritePaths=\"$HOME_DIR\"" "User=$(id -un)" WantedBy=multi-user.target; do
    ok "has $line" has "$line"
done
ok 'again' pr setup service --system --dir "$WORK/units" --yes
like "$OUT" 'nothing is to change' 'changes nothing'

pr config set postrider drain 5m
pr config set 'role envoy' workdir "$WORK/a place/50%"
ok 'other settings' pr setup service --system --dir "$WORK/units" --credential mail:/etc/postrider/mail --yes
like "$OUT" $'- TimeoutStopSec=90s\n\\+ TimeoutStopSec=330s' 'the difference is shown'
ok 'the work folder is open, and quoted' has "ReadWritePaths=\"$WORK/a place/50%%\""
ok 'a credential' has 'LoadCredential="mail:/etc/postrider/mail"'
pr config set 'brain default' kind script
pr config set 'brain default' script scripts/demo.jsonl
run pr setup service --print --user
unlike "$OUT" "ReadWritePaths=\"${HOME:-/root}\"" 'without programs the home is all that can be written'
like "$OUT" 'WantedBy=default.target' "one's own"
printf '%s\n' "$OUT" >"$WORK/postrider-own.service"
pr config set 'account main' smtp sendmail
run pr setup service --print --system
unlike "$OUT" 'NoNewPrivileges=yes' "Postfix's sendmail gets the rights that it needs"
run pr setup service --print --any-user --program /usr/bin/postrider
like "$OUT" 'ExecStart="/usr/bin/postrider" --home %h/.postrider serve' "a package's is for every user"

if command -v systemd-analyze >/dev/null; then
    ok 'systemd-analyze verify: for the machine' verify "$unit"
    is "$OUT$ERR" '' 'without a word'
    ok "systemd-analyze verify: one's own" verify "$WORK/postrider-own.service" --user
else
    skip 'systemd-analyze verify' 'no systemd-analyze'
fi

# The master's side: ready, alive, stopping; and no child can say so in its place.
python3 - "$WORK/notify" "$WORK/said" <<'PY' &
import os, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
while True:
    text = s.recv(4096).decode()
    with open(sys.argv[2], "a") as out:
        out.write(text + "\n")
    if "STOPPING=1" in text:
        break
PY
listener=$!
wait_for test -S "$WORK/notify"
export NOTIFY_SOCKET=$WORK/notify WATCHDOG_USEC=180000000
ok 'serve as systemd starts it' start_serve
unset NOTIFY_SOCKET WATCHDOG_USEC
said() { grep -qxF "$1" "$WORK/said"; }
ok 'says READY=1' wait_for said READY=1
wait_for test -s "$HOME_DIR/state/account-main.lock"
if [ "$(id -u)" = 0 ]; then
    child=$(tr '\0' '\n' <"/proc/$(cat "$HOME_DIR/state/account-main.lock")/environ")
    like "$child" 'PATH=' 'its children have an environment'
    unlike "$child" 'NOTIFY_SOCKET|WATCHDOG' 'but not the socket'
else
    skip 'its children have the socket not in their environment' 'only root may look into it'
fi
kill -HUP "$SERVE_PID"
ok 'ExecReload: the settings are read again' wait_for grep -q 'settings read again' "$WORK/serve.log"
stop_serve
is "$SERVE_STATUS" 0 'SIGTERM drains'
ok 'says STOPPING=1' wait_for said STOPPING=1
wait "$listener"

done_testing
