#!/usr/bin/env bash
# A master with nothing to do sleeps.
. "$(dirname "$0")/../lib/tap.sh"

[ -x "$POSTRIDER_PLAIN_BIN" ] || skip_all 'no build without sanitizers'
PR_BIN=$POSTRIDER_PLAIN_BIN

field() { sed -n "s/^$1:[[:space:]]*\([0-9]*\).*/\1/p" "/proc/$SERVE_PID/status"; }
cpu() { cut -d ' ' -f 14-15 "/proc/$SERVE_PID/stat"; }
has_answer() { [ -n "$(find "$HOME_DIR/mail/you/new" -type f 2>/dev/null)" ]; }
switches() { echo $(($(field voluntary_ctxt_switches) + $(field nonvoluntary_ctxt_switches))); }
# Twice the same within a second: what was started at the beginning is over.
quiet() { local a; a=$(switches); read -r -t 1 -u "$TAP_NEVER"; [ "$(switches)" = "$a" ]; }

ok 'init' pr init
ok 'serve' start_serve || done_testing
ok 'a mail' pr ask --no-wait hello
ok 'is answered' wait_for has_answer
ok 'then it is quiet' wait_for quiet
before=$(switches) used=$(cpu)
read -r -t 5 -u "$TAP_NEVER"
is "$(switches)" "$before" 'no wake-up in 5 seconds'
is "$(cpu)" "$used" 'no processor time'
ok "less than 10 MB ($(field VmRSS) KB)" test "$(field VmRSS)" -lt 10240
is "$(field Threads)" 1 'one thread'
stop_serve
is "$SERVE_STATUS" 0 'clean stop'

done_testing
