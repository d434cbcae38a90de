#!/usr/bin/env bash
# Briefings in odd circumstances: two roles that claim one address, a clock set back a day, replies that come while one is answered,
# a watch over a date.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/briefing.sh"
briefing_home
printf '[role twin]\naddress = carlton@postrider.local\nbrain = program\n' >>"$HOME_DIR/postrider.conf"
exits 78 'two roles that claim one address are refused' pr config check
like "$OUT$ERR" '\[role twin\] has the address of \[role carlton\] in line' 'with both names'
sed -i 's/^address = carlton@/address = CARLTON@/' "$HOME_DIR/postrider.conf"
exits 78 'also where the address is written in another case' pr config check
exits 78 'and no briefing is sent meanwhile' send_briefing
briefing_home
export TZ=UTC POSTRIDER_CLOCK=@1790236800 # 2026-09-24 08:00
D=2026-09-24
R=$HOME_DIR/reports/$D
send_briefing >/dev/null
reply 'first' >/dev/null
turn
like "$(thread)" '## Response to Reply #1' 'a reply is answered'
# --- a day back ---
export POSTRIDER_CLOCK=@1790150400 # 2026-09-23 08:00
reply 'second' >/dev/null
turn
turn
is "$(cat "$R/responses/02-response.md")" 'Answer 2.' 'the clock is set back a day: the next reply is answered too'
is "$(grep '^## ' "$R/thread.md" | sed 's/ (.*//')" '## Briefing Sent
## Reply #1
## Response to Reply #1
## Reply #2
## Response to Reply #2' 'and the thread keeps the order of events'
ok 'its times are those of the clock' grep -q '^## Reply #2 (2026-09-23 08:00 ' "$R/thread.md"
exits 65 'the briefing of the day is sent once all the same' send_briefing
cp "$R/thread.md" "$WORK/kept.md"
exits 0 'rebuild' pr briefing rebuild "$D"
ok 'gives the same bytes' cmp "$WORK/kept.md" "$R/thread.md"
unset POSTRIDER_CLOCK
# --- a reply while another is answered ---
shut_door
start_serve
reply 'third' >/dev/null
started() { [ "$(starts)" = 3 ]; }
ok 'an agent works' wait_for started
reply 'fourth' >/dev/null
ok 'a reply comes meanwhile' wait_for grep -q '^## NEW Reply #4' "$R/thread.md"
open_door
all_answered() { [ -f "$R/responses/04-response.md" ] && ! grep -q '^## NEW' "$R/thread.md"; }
ok 'both are answered' wait_for all_answered
stop_serve
is "$(grep '^## ' "$R/thread.md" | sed 's/ (.*//' | tail -n 4)" '## Reply #3
## Reply #4
## Response to Reply #3
## Response to Reply #4' 'a response stands behind what had come by then'
like "$(thread)" '## Response to Reply #3
Answer 3\.

---

## Response to Reply #4
Answer 4\.' 'with a rule behind each'
cp "$R/thread.md" "$WORK/kept.md"
rm -rf "$HOME_DIR/state"
turn
exits 0 'the store is lost' pr briefing rebuild "$D"
ok 'and the order is the same' cmp "$WORK/kept.md" "$R/thread.md"
# --- a watch ---
exits 66 'no watch over a date that has no briefing' pr watch --date 2026-01-01
exits 65 'nor over a day that there is not' pr watch --date 2026-02-30
exits 64 'a job and a date' pr watch --date "$D" 1
exits 64 'a role without a date' pr watch --role carlton
exits 66 'a date of another role' pr watch --date "$D" --role envoy
shut_door
reply 'fifth' >/dev/null
pr serve --once 2>/dev/null &
serve=$!
at_work() { [ -e "$R/responses/.processing" ]; }
ok 'an agent works' wait_for at_work
pr watch --date "$D" >"$WORK/watched" 2>&1 &
watch=$!
open_door
wait $serve
wait $watch
is "$?" 0 'a watch over a date ends with its work'
like "$(cat "$WORK/watched")" "job $(db "SELECT job FROM report WHERE date = '$D'") .*step" 'and tells its steps'
done_testing
