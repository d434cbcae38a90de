#!/usr/bin/env bash
# tools/try-model: twelve tasks against a model that knows how to answer only from the page. A line that is missing from
# the page makes the task fail that needs it.
. "$(dirname "$0")/../lib/tap.sh"

MODEL_PID=
trap 'model_end; tap_end' EXIT
model_end() { [ -z "$MODEL_PID" ] || { kill "$MODEL_PID" 2>/dev/null; wait "$MODEL_PID" 2>/dev/null; }; MODEL_PID=; }
model() # [--forget REGEX]: URL
{
    local port
    model_end
    rm -f "$WORK/port"
    mkfifo "$WORK/port"
    "$POSTRIDER_SRC/tests/peers/page-model" "$@" <&"$TAP_NEVER" >"$WORK/port" &
    MODEL_PID=$!
    read -r port <"$WORK/port"
    URL=http://127.0.0.1:$port/v1
}
# Some 80 processes of ours: without sanitizers, which the other tests have.
try() { POSTRIDER_BIN=$POSTRIDER_PLAIN_BIN TMPDIR=$WORK run "$POSTRIDER_SRC/tools/try-model" "$@"; }

model
try "$URL" scripted
is "$STATUS" 0 'a model that reads the page'
like "$OUT" 'score: 12 of 12' 'does all twelve'
is "$(grep -c ' yes ' <<<"$OUT")" 12 'and the table says so'
[ "$STATUS" = 0 ] || diag "$OUT" "$ERR"
is "$(find "$WORK" -name 'try-model-*' | wc -l)" 0 'nothing is left behind'

while IFS='|' read -r task line; do
    model --forget "$line"
    try --only "$task" "$URL" scripted
    is "$STATUS $(tail -n 1 <<<"$OUT")" '1 score: 0 of 1' "without the line '$line' the task $task is not done"
done <<'END'
answer|^Now answer with
answer|^- status: 
answer|^- The person sees only
csv|read_attachments \[
csv|^available attachment
save|^- write_notes 
attach|^- send_emails 
load|^- add_notes 
append|^- write_notes 
rename|^- rename_notes
ask|^- To ask somebody
ask|^Why this step
wait|^It is .*in UTC
wait|^- wait 
third|^=== RESULTS
stranger|^- Each mail says
stranger|^- search_notes
long-note|to read on
END

model_end
try --only answer "$URL" scripted
is "$STATUS" 2 'a server that is not there'
like "$ERR" "try-model: 'scripted' at $URL can't be asked: " 'is no fault of a task'
exits 2 'an unknown task' "$POSTRIDER_SRC/tools/try-model" --only none "$URL" scripted
POSTRIDER_BIN=$WORK/none exits 2 'no program' "$POSTRIDER_SRC/tools/try-model" "$URL" scripted
like "$ERR" "no program '$WORK/none'" 'is said'
done_testing
