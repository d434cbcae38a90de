#!/usr/bin/env bash
# A master with nothing to do sleeps, and so does its spare run.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"

[ -x "$POSTRIDER_PLAIN_BIN" ] || skip_all 'no build without sanitizers'
PR_BIN=$POSTRIDER_PLAIN_BIN

spare() { local p; for p in $(at_work); do grep -qz -- --spare "/proc/$p/cmdline" && echo "$p"; done 2>/dev/null; }
field() { sed -n "s/^$1:[[:space:]]*\([0-9]*\).*/\1/p" "/proc/$SERVE_PID/status"; }
pss() { sed -n 's/^Pss:[[:space:]]*\([0-9]*\).*/\1/p' "/proc/$1/smaps_rollup"; }
wakes() { sed -n 's/^\(non\)*voluntary_ctxt_switches:[[:space:]]*//p' "/proc/$1/status" | paste -sd ' '; }
cpu() { cut -d ' ' -f 14-15 "/proc/$SERVE_PID/stat"; }
has_answer() { [ -n "$(find "$HOME_DIR/mail/you/new" -type f 2>/dev/null)" ]; }
switches() { echo $(($(field voluntary_ctxt_switches) + $(field nonvoluntary_ctxt_switches))); }
# Twice the same within a second: what was started at the beginning is over.
quiet() { local a; a=$(switches); read -r -t 1 -u "$TAP_NEVER"; [ "$(switches)" = "$a" ]; }

ok 'init' pr init
ok 'serve' start_serve || done_testing
ok 'a mail' pr ask --no-wait hello
ok 'is answered' wait_for has_answer
three_there() { [ "$(at_work | wc -l)" = 3 ] && [ -n "$(spare)" ]; }
alone() { three_there && quiet && three_there; } # master, account, spare run: any other would wake it when it ends
# still: five seconds in which nothing happens; leaves what was counted BEFORE and AFTER, and the time that it USED
still()
{
    wait_for alone || return
    local used waits=$(spare)
    SPARE_BEFORE=$(wakes "$waits")
    BEFORE=$(switches) used=$(cpu)
    read -r -t 5 -u "$TAP_NEVER" # what does not happen has no event to wait for
    AFTER=$(switches) USED="$used -> $(cpu)" SPARE_AFTER=$(wakes "$waits")
    [ "$AFTER" = "$BEFORE" ] && [ "$SPARE_AFTER" = "$SPARE_BEFORE" ] && [ "${USED% -> *}" = "${USED#* -> }" ]
}
BEFORE=none AFTER=unknown USED='a -> b'
still || still # once a minute it looks round, which may fall into one of two
is "$AFTER" "$BEFORE" 'no wake-up in 5 seconds'
is "${USED#* -> }" "${USED% -> *}" 'no processor time'
ok "less than 10 MB ($(field VmRSS) KB)" test "$(field VmRSS)" -lt 10240
is "$(field Threads)" 1 'one thread'
isnt "$SPARE_BEFORE" '' 'a spare run waits'
is "$SPARE_AFTER" "$SPARE_BEFORE" 'and wakes as seldom'
ok "for less than 10 MB ($(pss "$(spare)") KB)" test "$(pss "$(spare)")" -lt 10240
old=$(spare)
printf '[brain web]\nkind = anthropic\nmodel = m\nkey-file = secrets/model\n' >>"$HOME_DIR/postrider.conf"
kill -HUP "$SERVE_PID"
net() { [ "$(spare)" != "$old" ] && tr '\0' ' ' <"/proc/$(spare)/cmdline" | grep -q postrider-net && alone; }
ok 'where a brain is asked by HTTP it is the program for that' wait_for net
ok "for less than 10 MB ($(pss "$(spare)") KB)" test "$(pss "$(spare)")" -lt 10240
stop_serve
is "$SERVE_STATUS" 0 'clean stop'

done_testing
