#!/usr/bin/env bash
# A role that a person pauses does nothing until it is resumed; its jobs and its mail are kept.
. "$(dirname "$0")/../lib/tap.sh"

pr init >/dev/null
pr config set 'brain default' command 'printf done'
passes() { for _ in 1 2 3; do pr serve --once 2>/dev/null; done; }
exits 0 'a person pauses a role' pr role pause --why 'On holiday' envoy
exits 0 'twice is once' pr role pause envoy
is "$OUT" "'envoy' was paused already" 'and says so'
like "$(pr status)" "the role 'envoy' has been paused for .*: On holiday; to let it go on: postrider role resume envoy" 'status says why, and what to do'
echo hello | pr send --to envoy --subject hello >/dev/null
passes
is "$(db 'SELECT state, attempts FROM job')" 'queued|0' 'its job waits, and no attempt counts'
exits 75 'nor does a run by hand take it' pr run 1
exits 0 'it goes on' pr role resume envoy
passes
is "$(db 'SELECT state FROM job')" done 'with its work'
exits 0 'who is not paused goes on anyway' pr role resume envoy
is "$OUT" "'envoy' was not paused" 'and says so'
exits 66 'nobody else is paused' pr role pause nobody
exits 77 'an agent pauses nobody' env POSTRIDER_PORT=/x "$PR_BIN" --home "$HOME_DIR" role pause envoy
exits 0 'doctor finds nothing' pr doctor
done_testing
