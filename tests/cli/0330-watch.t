#!/usr/bin/env bash
# watch: lines as things happen, for all or for one job.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"

seen() { grep -q "$1" "$WORK/watch"; }
begin_watch() { "$PR_BIN" --home "$HOME_DIR" "$@" >"$WORK/watch" 2>"$WORK/watch.err" & WATCH=$!; }
# It watches once it holds an inotify descriptor.
watching() { ls -l "/proc/$WATCH/fd" 2>/dev/null | grep -q inotify; }
asleep() { [ "$(cut -d' ' -f3 "/proc/$WATCH/stat")" = S ]; }

pr init >/dev/null
pr ask first >/dev/null
begin_watch watch
wait_for watching
pr ask second >/dev/null
ok 'a mail that comes' wait_for seen 'mail in .*task for envoy from you@postrider.local.*: second'
ok 'a step' wait_for seen 'job 2 .*step .*1: answered'
ok 'a job that ends' wait_for seen 'job 2 .*done: second'
ok 'a mail that leaves' wait_for seen 'mail out .*to you@postrider.local, sent.*: Re: second'
not_ok 'nothing from before' seen 'first'
not_ok 'no line is cut' grep -qv '^20..-..-..T..:..:..Z ' "$WORK/watch"
kill "$WATCH"; wait "$WATCH" 2>/dev/null

# Idle: no wake-ups.
begin_watch watch
wait_for watching
sleeps() { awk '/^voluntary/ {print $2}' "/proc/$WATCH/status"; }
quiet() { local a; a=$(sleeps); read -r -t 1.5 -u "$TAP_NEVER"; [ "$(sleeps)" = "$a" ]; }
ok 'it sleeps when nothing happens' wait_for quiet
kill "$WATCH"; wait "$WATCH" 2>/dev/null

exits 0 'a job that is done' pr watch 2
like "$OUT" 'step .*1: answered' 'shows its steps'
like "$OUT" 'done: second' 'and how it ended'
run pr --json watch 2
is "$(printf '%s\n' "$OUT" | python3 -c 'import json,sys; print([json.loads(l)["event"] for l in sys.stdin])')" "['step', 'job']" \
    'as JSON, one object a line'

slow_brain
start_serve
pr ask --no-wait third >/dev/null
wait_for begun 1
begin_watch watch 3
ok 'a job that runs' wait_for seen 'working: third'
open_gate
wait "$WATCH"
is $? 0 'ends with it'
ok 'and says so' seen 'done: third'
pr ask --no-wait fourth >/dev/null
wait_for begun 2
begin_watch watch 4
wait_for seen 'working: fourth'
pr stop 4 >/dev/null
wait "$WATCH"
is $? 75 'a job that is stopped waits for somebody'
pr cancel 4 >/dev/null
exits 1 'one that is cancelled has failed' pr watch 4
end_brains
stop_serve

# A reader that leaves.
pr watch 2 | head -n 1 >"$WORK/one"
is "$(wc -l <"$WORK/one")" 1 'a reader that leaves'
mkfifo "$WORK/pipe"
"$PR_BIN" --home "$HOME_DIR" watch >"$WORK/pipe" 2>"$WORK/watch.err" &
WATCH=$!
exec 7<"$WORK/pipe"
wait_for watching
exec 7<&-
gone() { ! kill -0 "$WATCH" 2>/dev/null; }
ok 'ends the watch, also when idle' wait_for gone
is "$(cat "$WORK/watch.err")" '' 'without a word'
pr watch 2 >/dev/full 2>"$WORK/err"
is $? 74 'a full stdout is an error'
like "$(cat "$WORK/err")" "can't write" 'that is said'

exits 66 'a job that is not there' pr watch 99
exits 64 'a job that is no number' pr watch one
exits 64 'two jobs' pr watch 1 2
exits 64 'an empty job' pr watch ''
exits 64 'an option that it has not' pr watch --follow

done_testing
