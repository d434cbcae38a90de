#!/usr/bin/env bash
# The morning: init --briefing, a curator who sends the briefing as an act, memory.txt as a note and as a file, a briefing
# that does not come, the page, two roles.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/briefing.sh"
PR_DIR=${PR_BIN%/*}
pr init --briefing >/dev/null
is "$(pr role list --json | python3 -c 'import json, sys; print(*sorted(r["name"] for r in json.load(sys.stdin)))')" 'carlton curator envoy' 'init --briefing makes the roles'
like "$(pr every list)" 'weekday 07:00 +curator' 'and the morning'
like "$(pr note get carlton/reply)" "reply handler for the \{date\} briefing" 'and the template, as a note'
like "$(cat "$HOME_DIR/postrider.conf")" 'command = claude -p --model sonnet' 'both are Sonnet, by configuration'
cat >"$WORK/curator" <<A
#!/bin/sh
cat >"$WORK/asked"
mkdir -p reports/\$(date +%F)/research
printf '# Dentist\n' >reports/\$(date +%F)/research/dentist.md 2>/dev/null
printf '# Today\n\n* dentist 10:00\n' >b.md
echo "$PR_BIN" >"$WORK/which"
"$PR_BIN" briefing send today b.md >"$WORK/sent" 2>&1
echo "status \$?" >>"$WORK/sent"
"$PR_BIN" briefing send today b.md >"$WORK/again" 2>&1
A
chmod +x "$WORK/curator"
pr config set 'brain sonnet' command "$WORK/curator"
today=$(date +%F)
pr every now 1 >/dev/null
turn
like "$(cat "$WORK/sent")" 'status 0' 'the curator sends the briefing through its port'
like "$(cat "$WORK/again")" 'was sent already' 'once'
ok 'the thread begins' grep -q 'dentist 10:00' "$HOME_DIR/reports/$today/thread.md"
turn
is "$(grep -rlsE "^Message-ID: <carlton-$today@carlton.local>" "$HOME_DIR/mail/you/new" | wc -l)" 1 'the owner has it once, from carlton'
is "$(ls "$HOME_DIR/mail/you/new" | wc -l)" 1 'that is the answer: nothing else is said'
is "$(job_state=$(db "SELECT state FROM job WHERE role = 'curator'"); echo "$job_state")" 'done' 'the job is done'
# memory
cat >"$WORK/curator" <<A
#!/bin/sh
cat >"$WORK/asked"
cat reports/memory.txt >"$WORK/memory" 2>/dev/null
echo 'likes tea' >>reports/memory.txt
echo 'Noted.'
A
D=$today
R=$HOME_DIR/reports/$D
reply 'I like tea.' >/dev/null
turn
pr serve --once 2>/dev/null
is "$(pr note get reports/memory)" 'likes tea' 'what an agent writes to reports/memory.txt is the note reports/memory'
pr note append reports/memory <<<'and cake' >/dev/null
is "$(cat "$HOME_DIR/reports/memory.txt")" 'likes tea
and cake' 'and the other way round'
printf 'replaced\n' >"$WORK/new" && mv "$WORK/new" "$HOME_DIR/reports/memory.txt"
turn
is "$(pr note get reports/memory)" 'replaced' 'also when somebody put another file in its place'
like "$(pr note history reports/memory)" '3' 'every version is kept'
ok 'and the name leads to the note again' test -L "$HOME_DIR/reports/memory.txt"
# the template
pr note put carlton/reply <<<'Only {date} {unknown} {name}: {thread}' >/dev/null
run pr briefing prompt "$D"
like "$OUT" "^Only $D \{unknown\} Carlton:" 'the note is the template; an unknown place stays'
like "$OUT" 'dentist 10:00' 'with the thread'
# the page
run pr briefing export "$D"
like "$OUT" '<!DOCTYPE html>.*Reply 1.*I like tea.*Response to reply 1.*Noted\.' 'export: one HTML page'
unlike "$OUT" '<script|http:|https:' 'no script, nothing from elsewhere'
printf 'x' >"$WORK/<b>photo.jpg"
reply '<script>alert(1)</script> & "x"' --attach "$WORK/<b>photo.jpg" >/dev/null
turn
run pr briefing export "$D"
like "$OUT" '&lt;script&gt;alert\(1\)&lt;/script&gt; &amp;' 'everything escaped'
like "$OUT" '\[attached: &lt;b&gt;photo\.jpg \(image/jpeg, 1 B\)\]' 'what was attached is named'
like "$OUT" 'Response to reply 1, 20..-..-.. ..:.. GMT' 'and when it was answered'
# status on a terminal
exits 66 'status of a role that is none' pr briefing status --role nobody
exits 65 'of a date that is none' pr briefing status 2026-02-30
exits 66 'of a day without a briefing' pr briefing status 2026-01-01
run pr briefing status today
like "$OUT" "$D" 'today is a date'
run pr briefing status
like "$OUT" "$D +carlton +2 +2 +0" 'dates, replies, answered, waiting'
ok 'status fits 80 columns' test "$(awk '{ if (length($0) > m) m = length($0) } END { print m }' <<<"$OUT")" -le 80
# it does not come
export TZ=UTC POSTRIDER_CLOCK=@1790236800 # Thursday, 2026-09-24 08:00
pr config set report by 'weekday 09:00'
turn
export POSTRIDER_CLOCK=@1790240460
turn
turn
ok 'no briefing by its time: one line to the owner' grep -rqs 'The briefing of 2026-09-24 has not been sent' "$HOME_DIR/mail/you/new"
is "$(grep -rls 'has not been sent' "$HOME_DIR/mail/you/new" | wc -l)" 1 'once'
pr briefing skip 2026-09-25
export POSTRIDER_CLOCK=@1790326860
turn
turn
is "$(grep -rls 'has not been sent' "$HOME_DIR/mail/you/new" | wc -l)" 1 'a date that is skipped is not missed'
# two roles on one date
exits 0 'another role has a briefing of the same date' pr briefing send --role envoy 2026-09-24 "$WORK/asked"
ok 'its files lie apart' test -f "$HOME_DIR/reports/envoy/2026-09-24/thread.md"
like "$(pr briefing status --role envoy)" '2026-09-24 +envoy' 'and it is found by its role'
# files
turn
ok 'files of briefings are known' test "$(db 'SELECT count(*) FROM view')" -gt 0
is "$(db 'SELECT count(*) FROM view WHERE changed <> rendered')" 0 'and as written, so that nobody writes them again'
done_testing
