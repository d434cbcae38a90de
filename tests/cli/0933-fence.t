#!/usr/bin/env bash
# A run that stood still while another took its job over is too late with what it has to say.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"

ok 'init' pr init
slow_brain
RUN=
trap '[ -z "$RUN" ] || kill -KILL "$RUN" 2>/dev/null; end_brains; tap_end' EXIT
stands_still() { [ "$(awk '{print $3}' "/proc/$1/stat")" = T ]; }

pr ask --no-wait 'hello' >/dev/null
pr deliver && pr account --once main >/dev/null 2>&1
"$PR_BIN" --home "$HOME_DIR" run >"$WORK/first" 2>&1 </dev/null &
RUN=$!
ok 'a run begins' wait_for begun 1
first=$(tail -n 1 "$WORK/begun")
kill -STOP "$RUN"
ok 'and stands still' wait_for stands_still "$RUN"
fence=$(db 'SELECT fence FROM job WHERE id = 1')
ok 'its job is stopped' pr stop 1
ok 'and goes on, elsewhere' pr continue 1
"$PR_BIN" --home "$HOME_DIR" run >"$WORK/second" 2>&1 </dev/null &
second=$!
ok 'a second run begins' wait_for begun 2
ok 'with a fence of its own' test "$(db 'SELECT fence FROM job WHERE id = 1')" -gt "$fence"
kill -CONT "$RUN"
[ ! -p "$WORK/gate.$first" ] || echo go 1<>"$WORK/gate.$first"
wait "$RUN" 2>/dev/null
RUN=
is "$(answers) $(db 'SELECT state FROM job WHERE id = 1')" '0 running' 'what the first one says is refused'
like "$(cat "$WORK/first")" 'fenced|stopped|taken' 'and it says why'
open_gate
wait "$second"
pr deliver
is "$(answers)" 1 'one reply only, of the second'
is "$(db 'SELECT state FROM job WHERE id = 1')" 'done' 'and the job is done'
exits 0 'all is well' pr doctor
done_testing
