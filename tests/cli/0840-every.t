#!/usr/bin/env bash
# Mail by the clock: what is due is mailed once, whatever happens meanwhile.
. "$(dirname "$0")/../lib/tap.sh"

export TZ=Europe/Berlin
at() { POSTRIDER_CLOCK=@$(date -u -d "$1" +%s) pr "${@:2}"; }
# Mail of that subject that the role has.
has() { pr mail list --role envoy --limit 500 | grep -c " $1\$"; }
has_some() { [ "$(has "$1")" -gt 0 ]; }
ids() { grep -rhi '^message-id:' "$HOME_DIR/mail/envoy" | sort; }
field() { at "$1" every list --json | python3 -c 'import sys, json
row = [r for r in json.load(sys.stdin) if r["id"] == int(sys.argv[1])][0]; print(row[sys.argv[2]])' "$2" "$3"; }

ok 'init' pr init
exits 64 'no time' pr every
exits 64 'a form that there is not' pr every lst
like "$ERR" "every: no 'lst'; did you mean 'list'\? usage: " 'gets the nearest one'
exits 64 'no role' pr every 30m --subject x
exits 64 'what is no time' pr every sometimes --to envoy --subject x
like "$ERR" "30m, 2h, 1d, 'day 07:00'" 'gets the forms that there are'
exits 64 'less than a minute' pr every 0m --to envoy --subject x text
like "$ERR" "'0m': from 1m" 'and why'
while IFS='|' read -r words want; do
    exits 64 "every $words" pr every $words --to envoy do this
    is "${ERR%%;*}" "postrider: $want" 'names what is wrong'
done <<'END'
weekday 25:00|'25:00' is no time of day
Day at 07:00|'at' is no time of day
mon 7|'7' is no time of day
month 32 08:00|'32' is no day of a month
30 minutes|'30 minutes' is no time
7:00|'7:00' is no time
hourly|'hourly' is no time
0 24 x x x|'24' is no hour
END
exits 64 'what never comes' pr every '0 0 30 2 *' --to envoy --subject x text
like "$ERR" 'never comes' 'is refused when it is set up'
exits 66 'an unknown role' pr every 30m --to envy --subject x text
like "$ERR" "did you mean 'envoy'" 'gets the nearest name'
exits 64 'nothing to say' pr every 30m --to envoy
exits 65 'a subject that no mail can have' pr every 30m --to envoy --subject $'a\nBcc: x@y.org' text
exits 66 'remove what is not there' pr every remove 7
exits 64 'what is no number' pr every now x
exits 77 'an agent may not mail as the owner' env POSTRIDER_PORT=/x "$PR_BIN" --home "$HOME_DIR" every list
ok 'nothing yet' pr every list
like "$OUT" 'nothing is mailed' 'is said so'

# --- setting up ---

ok 'every day in the gap of spring' at 2026-03-27T12:00:00Z every day 02:30 --to envoy --subject Daily 'What is new?'
is "$OUT" 'schedule 1: day 02:30, to envoy, for the first time Sat 2026-03-28 02:30 CET' 'says when it comes'
ok 'an interval' at 2026-03-27T12:00:00Z every 30m --to envoy --subject Half
ok 'cron' at 2026-03-27T12:00:00Z every '0 7 * * 1-5' --to envoy --subject Work 'Good morning'
is "$(field 2026-03-27T12:00:00Z 3 next)" 2026-03-30T05:00:00Z 'Monday at seven, summer time'
printf 'several\nlines\n' | at 2026-03-27T12:00:00Z every month 31 08:00 --to envoy >/dev/null
is "$(field 2026-03-27T12:00:00Z 4 body)" $'several\nlines' 'the text may come from standard input'
is "$(field 2026-03-27T12:00:00Z 4 subject)" several 'its first line is the subject'

# --- what is due ---

ok 'before the time' at 2026-03-27T12:29:00Z serve --once
is "$(has Half)" 0 'nothing comes'
ok 'at the time' at 2026-03-27T12:30:00Z serve --once
is "$(has Half)" 1 'it comes'
ok 'again' at 2026-03-27T12:30:59Z serve --once
is "$(has Half)" 1 'an occurrence comes once'
is "$(pr job list --all | grep -c 'you@postrider.local  Half')" 1 'the role works on it, as for the owner'
ok 'after two days of sleep' at 2026-03-29T12:10:00Z serve --once
is "$(has Half)" 2 'of 95 missed ones the latest is mailed'
is "$(field 2026-03-29T12:10:00Z 2 last)" 2026-03-29T12:00:00Z 'that of twelve'
is "$(field 2026-03-29T12:10:00Z 2 next)" 2026-03-29T12:30:00Z 'and the plan is as it was'
is "$(has Daily)" 1 'a day in the gap comes too'
is "$(field 2026-03-29T12:10:00Z 1 last)" 2026-03-29T01:00:00Z 'at the jump of the clock'
is "$(field 2026-03-29T12:10:00Z 1 next)" 2026-03-30T00:30:00Z 'and the next one by the new time'

# --- now ---

next=$(field 2026-03-29T12:11:00Z 3 next)
ok 'now' at 2026-03-29T12:11:00Z every now 3
like "$OUT" '^<[^>]+>$' 'prints the Message-ID'
at 2026-03-29T12:11:00Z serve --once
is "$(has Work)" 1 'it comes at once'
is "$(field 2026-03-29T12:11:00Z 3 next)" "$next" 'and the plan does not move'
is "$(field 2026-03-29T12:11:00Z 3 last)" None 'nor does what was last'

# --- crashes ---

for point in every-before-commit every-committed; do
    before=$(has Half)
    now=$([ $point = every-committed ] && echo 2026-03-29T13:30:00Z || echo 2026-03-29T13:00:00Z)
    POSTRIDER_DIE_AT=$point at $now serve --once >/dev/null 2>&1
    is "$?" 137 "killed at $point"
    ok 'the next pass' at $now serve --once
    is "$(has Half)" $((before + 1)) 'mails it, once'
    at $now serve --once
    is "$(has Half)" $((before + 1)) 'and not again'
done
is "$(ids | uniq -d)" '' 'no Message-ID comes twice'

# --- a role that is gone ---

printf '\n[role scribe]\naddress = scribe@postrider.local\nbrain = default\n' >>"$HOME_DIR/postrider.conf"
ok 'for a second role' at 2026-03-29T14:00:00Z every day 17:00 --to scribe --subject Evening
sed -i '/^\[role scribe\]/,$d' "$HOME_DIR/postrider.conf"
run at 2026-03-29T14:00:00Z status
like "$OUT" "schedule 5 \(day 17:00: Evening\) mails 'scribe', which is no role any more" 'status names it'
exits 1 'doctor' at 2026-03-29T14:00:00Z doctor
like "$OUT" "schedule 5 .*every remove 5" 'and doctor, with the way out'
ok 'at its time' at 2026-03-29T15:00:00Z serve --once
is "$(field 2026-03-29T15:00:00Z 5 next)" 2026-03-30T15:00:00Z 'it moves on'
is "$(field 2026-03-29T15:00:00Z 5 last)" None 'without a mail'
exits 65 'now' at 2026-03-29T15:00:00Z every now 5
ok 'remove' pr every remove 5
ok 'doctor has nothing to say any more' at 2026-03-29T15:00:00Z doctor

# --- the store is on hold ---

python3 - "$HOME_DIR/state/postrider.db" <<'P'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1]); db.execute("PRAGMA wal_autocheckpoint = 0")
db.execute("INSERT INTO meta VALUES ('hold-all', 'a test')"); db.commit()
P
before=$(has Half)
at 2026-03-29T16:00:00Z serve --once >/dev/null 2>&1
is "$(has Half)" "$before" 'while nothing may leave nothing is mailed'
is "$(field 2026-03-29T16:00:00Z 2 next)" 2026-03-29T15:30:00Z 'and the time stays due'
python3 - "$HOME_DIR/state/postrider.db" <<'P'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1]); db.execute("PRAGMA wal_autocheckpoint = 0")
db.execute("DELETE FROM meta WHERE key = 'hold-all'"); db.commit()
P

# --- serve sleeps until then ---

for n in 1 2 3 4; do pr every remove $n >/dev/null; done
unset POSTRIDER_CLOCK
begin=$(date +%s)
ok 'every minute' pr every 1m --to envoy --subject Minute 'tick'
export POSTRIDER_CLOCK=+57
ok 'serve, three seconds before' start_serve
ok 'it wakes for it' wait_for has_some Minute
ok 'not before its time' test $(($(date +%s) - begin)) -ge 3
is "$(has Minute)" 1 'one mail'
unset POSTRIDER_CLOCK
ok 'one that is set up beside a running master' env TZ=UTC "$PR_BIN" --home "$HOME_DIR" every 1m --to envoy --subject Beside x
ok 'is known to it' wait_for has_some Beside
stop_serve
is "$SERVE_STATUS" 0 'clean stop'

# --- while all workers are busy ---

unset POSTRIDER_CLOCK
for n in $(pr every list --json | python3 -c 'import sys, json; print(*[r["id"] for r in json.load(sys.stdin)])'); do pr every remove "$n" >/dev/null; done
pr config set postrider workers 1
pr config set 'brain default' kind command
pr config set 'brain default' command "$HOME_DIR/scripts/slow"
mkfifo "$WORK/go"
printf '#!/bin/sh\n: >%s\ncat %s\n' "'$WORK/busy'" "'$WORK/go'" >"$HOME_DIR/scripts/slow"
chmod +x "$HOME_DIR/scripts/slow"
pr ask --no-wait 'take your time' >/dev/null
pr every 1m --to envoy --subject Meanwhile x >/dev/null
export POSTRIDER_CLOCK=+56
ok 'serve' start_serve
ok 'its only worker is at work' wait_for test -e "$WORK/busy"
ok 'a schedule is mailed all the same' wait_for has_some Meanwhile
is "$(pr job list --json | python3 -c 'import sys, json; print(sum(j["state"] == "running" for j in json.load(sys.stdin)))')" 1 'and no second job was begun'
exits 64 'run --timers takes no job' pr run --timers 1
for n in 1 2 3; do echo done >"$WORK/go" & done
stop_serve
kill $(jobs -p) 2>/dev/null

done_testing
