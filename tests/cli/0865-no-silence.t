#!/usr/bin/env bash
# No silent end, no silent wait: whoever asked hears one line, and ask exits with 0 for an answer alone.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"

count() { grep -rl -- "$1" "$HOME_DIR/mail/${2:-you}/new" "$HOME_DIR/mail/${2:-you}/cur" 2>/dev/null | wc -l; }
json() { python3 -c 'import json, sys; v = json.load(sys.stdin); print(v["status"], "-", v["why"], "-", len(v["answers"]))' <<<"$OUT"; }

# --- ask: held, cancelled, failed ---
loop_home
steps '{"status":"complete","current_phase":"complete","send_emails":[{"to":["bob@example.net"],"body":"Hello Bob."}]}'
exits 75 'ask: the mail that was its answer is held' pr ask 'write to Bob'
like "$ERR" 'job 1 waits: its answer is held: .*; see: postrider show 1' 'with one line why'
unlike "$OUT" 'Hello Bob' 'and what is held is not printed as an answer'
loop_home
steps '{"status":"complete","current_phase":"complete","send_emails":[{"to":["bob@example.net"],"body":"Hello Bob."}]}'
run pr ask --json 'write to Bob'
like "$STATUS $(json)" '^75 held - its answer is held: .* - 0$' 'as JSON'

# A program that waits at the door until its job is cancelled.
cancelled() # JOB ARG...
{
    local job=$1
    shift
    shut_door
    pr ask "$@" 'take your time' >"$WORK/said" 2>"$WORK/why" &
    wait_for job_is running "$job"
    pr cancel "$job" >/dev/null
    wait $!
    STATUS=$?
    OUT=$(cat "$WORK/said")
    open_door
}
loop_home
printf '#!/bin/sh\nread -r _ <"%s/door"\n' "$WORK" >"$WORK/brain"
chmod +x "$WORK/brain"
pr config set 'brain default' kind command
pr config set 'brain default' command "$WORK/brain"
cancelled 1
is "$STATUS" 1 'ask: a job that was cancelled is no answer'
like "$(cat "$WORK/why")" 'job 1 was cancelled: .*; see: postrider show 1' 'with one line why'
cancelled 2 --json
like "$STATUS $(json)" '^1 cancelled - .*cancel.* - 0$' 'as JSON'

loop_home
steps '{"status":"complete"}' '{"status":"complete"}'
exits 1 'ask: a job that failed' pr ask 'nothing'
like "$ERR" 'job 1 failed: the brain said twice that it was done, and had done nothing; see: postrider show 1' 'with one line why'

done_testing
