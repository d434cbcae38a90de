#!/usr/bin/env bash
# The log file that there is by default, and `postrider log`.
. "$(dirname "$0")/../lib/tap.sh"

log=$HOME_DIR/log/postrider.log
pr init >/dev/null
exits 0 'nothing was logged yet' pr log
is "$OUT$ERR" '' 'nothing is said'

# A job that fails, so that a line has its number.
cat >"$WORK/brain" <<'X'
#!/bin/sh
echo "out of order" >&2
exit 65
X
chmod +x "$WORK/brain"
pr config set 'brain default' kind command
pr config set 'brain default' command "$WORK/brain"
start_serve
run pr ask 'hello'
stop_serve
grep -q 'msg=serving' "$WORK/serve.log"
is "$?" 0 'stderr has its lines, as the journal wants them'
is "$(grep -c 'msg=serving' "$log")" 1 'and so has the file'
is "$(stat -c %a "$log")" 600 'for us alone'
ok 'the last lines' pr log
like "$OUT" '^20..-..-..T..:..:..Z  serve     serving' 'for people'
is "$(pr log -n 2 | wc -l)" 2 '-n says how many'
is "$(pr log -n 1)" "$(pr log | tail -n 1)" 'the newest of them'
is "$(pr --json log | python3 -c 'import json, sys; print({type(json.loads(l)["pid"]).__name__ for l in sys.stdin})')" "{'int'}" \
    '--json: one object per line'
is "$(pr --json log -n 1000000 | wc -l)" "$(wc -l <"$log")" 'and no line is left out'

# Written by hand from here on: what is filtered, and how.
mv "$log" "$log.1"
mkdir "$WORK/old" && mv "$log.1" "$WORK/old"
cat >"$log.2" <<'X'
t=2026-11-15T09:30:00.123Z level=info prog=run pid=7 msg=oldest job=1
X
cat >"$log.1" <<'X'
t=2026-11-15T09:30:01.123Z level=warn prog="account main" pid=7 msg="two \"words\" \\ \x1b" job=12 id=<a@b>
X
cat >"$log" <<'X'
t=2026-11-15T09:30:02.123Z level=debug prog=run pid=7 msg=newest job=2
t=2026-11-15T09:30:03.123Z level=info prog=run pid=7 msg="torn in the mi
X
is "$(pr log | head -n 3)" '2026-11-15T09:30:00Z  run       oldest  job=1
2026-11-15T09:30:01Z  account main  warn: two "words" \ \x1b  job=12  id=<a@b>
2026-11-15T09:30:02Z  run       debug: newest  job=2' 'files that were rotated away come first'
like "$(pr log -n 1)" '^t=2026-11-15T09:30:03.123Z .*torn in the mi$' 'a line that was torn is shown as it is'
is "$(pr --json log -n 1)" '{"text":"t=2026-11-15T09:30:03.123Z level=info prog=run pid=7 msg=\"torn in the mi"}' 'as JSON too'
is "$(pr --json log --job 12)" \
    '{"t":"2026-11-15T09:30:01.123Z","level":"warn","prog":"account main","pid":7,"msg":"two \"words\" \\ \\x1b","job":"12","id":"<a@b>"}' \
    'the lines of a job'
is "$(pr log --level info | wc -l)" 2 'from a level on'
is "$(pr log --level warn --job 1)" '' 'both'

# Following, over a rotation.
"$PR_BIN" --home "$HOME_DIR" log -n 1 -f >"$WORK/followed" 2>&1 &
FOLLOW=$!
wait_for grep -q torn "$WORK/followed"
printf 't=2026-11-15T09:30:04.123Z level=info prog=run pid=7 msg="in two' >>"$log"
printf ' writes"\n' >>"$log"
ok 'a line that comes' wait_for grep -q 'in two writes' "$WORK/followed"
echo 't=2026-11-15T09:30:05.123Z level=info prog=run pid=7 msg=last' >>"$log"
mv "$log.1" "$log.2" && mv "$log" "$log.1"
echo 't=2026-11-15T09:30:06.123Z level=info prog=run pid=7 msg=first' >"$log"
ok 'and from the next file' wait_for grep -q 'first$' "$WORK/followed"
is "$(wc -l <"$WORK/followed")" 4 'each line once'
kill "$FOLLOW" && wait "$FOLLOW" 2>/dev/null

# Full: rotated by whoever writes next; five files at most.
rm "$log".*
truncate -s 5M "$log"
start_serve && stop_serve
ok 'a file that is full is rotated away' test -e "$log.1"
ok 'and begun anew' test "$(stat -c %s "$log")" -lt 1000000

# `ask` alone is quiet, but leaves its lines.
rm "$log"*
run env -u POSTRIDER_LOG "$PR_BIN" --home "$HOME_DIR" ask 'hello again'
unlike "$ERR" 'level=' 'ask alone does not chatter'
like "$(pr log --job 2)" '  ask       warn: job failed  .*why=exit 65: out of order' 'but what went wrong is in the log'

# A log that can't be written.
rm -rf "$HOME_DIR/log" && : >"$HOME_DIR/log"
: >"$WORK/serve.log"
start_serve
run pr ask 'is it well?'
stop_serve
is "$SERVE_STATUS" 0 'without a log folder it works'
is "$(grep -c "the log can't be written, and goes to stderr alone" "$WORK/serve.log")" 1 'which one line tells'
like "$(grep "can't be written" "$WORK/serve.log")" "file=$HOME_DIR/log/postrider.log error=" 'with its name'
ok 'and the rest goes on in stderr' grep -q 'msg=stopped\|msg=serving' "$WORK/serve.log"
rm "$HOME_DIR/log"

pr config set postrider log-file ''
exits 66 'no log file at all' pr log
like "$ERR" "log-file is empty" 'says why'
pr config set postrider log-file log/postrider.log
for wrong in '-n 0' '-n x' '--job -1' '--level loud' 'more'; do
    exits 64 "log $wrong" pr log $wrong
    is "$(printf '%s\n' "$ERR" | grep -c '^postrider: ')" 1 'is one line'
done

done_testing
