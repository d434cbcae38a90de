#!/usr/bin/env bash
# README's tour: its commands, as they stand there, from `init` to a model's answer.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/model.sh"

# The indented blocks under the heading, without comments behind the commands.
tour() { awk -v title="### $1" '$0 == title { on = 1; next } /^##/ { on = 0 } on && /^    / { sub(/^    /, ""); print }' \
    "$POSTRIDER_SRC/README.md"; }
step() { printf '{"reasoning": "", "status": "complete", "current_phase": "complete", "send_emails": [{"to": [], "cc": [], "subject": "", "body": "%s", "in_reply_to": "", "attachments": []}], "working_note": "", "bundle_key": "", "add_notes": [], "add_emails": [], "search_emails": [], "search_notes": [], "read_attachments": [], "drop": [], "write_notes": [], "rename_notes": [], "delete_notes": [], "move_emails": [], "wait": {"for": "reply", "until": "", "then": "remind"}}\n' "$1"; }

fake tour < <(echo '"fine"'; step 'I am a model now.'; step 'I am a model now.')
mkdir "$WORK/bin" "$WORK/me"
ln -s "$PR_BIN" "$WORK/bin/postrider"
# What is installed is the program of this build.
printf '#!/bin/sh\necho "$0 $*" >>"%s"\n' "$WORK/built" | tee "$WORK/bin/make" >"$WORK/bin/sudo"
chmod +x "$WORK/bin/make" "$WORK/bin/sudo"
begun=$SECONDS
{
    echo 'set -e'
    tour 'Make a home and ask'
    tour 'Give it a model' | grep '^postrider ' | sed "s|http://127.0.0.1:8080|$URL|"
} >"$WORK/tour.sh"
like "$(cat "$WORK/tour.sh")" $'postrider init\npostrider serve &\npostrider ask .*\npostrider setup brain .*\npostrider ask ' \
    'README has a tour from init to a model'
env -i PATH="$WORK/bin:$PATH" HOME="$WORK/me" sh -c 'echo $$ >"$1"; exec timeout 110 setsid --wait sh "$2"' - "$WORK/pid" "$WORK/tour.sh" \
    >"$WORK/tour.out" 2>"$WORK/tour.err" </dev/null
is "$?" 0 'each command of it succeeds' || diag "$(cat "$WORK/tour.out" "$WORK/tour.err")"
took=$((SECONDS - begun))
HOME_DIR=$WORK/me/.postrider
SERVE_PID=$(head -n 1 "$HOME_DIR/state/master.lock")
like "$(cat "$WORK/built")" 'make.*sudo make install' 'it is built and installed first'
like "$(cat "$WORK/tour.out")" 'postrider setup brain.*I am a model now' 'the script names the way to a model, and the model answers'
like "$(cat "$WORK/tour.out")" "served by process $SERVE_PID" 'status tells that all is well'
unlike "$(cat "$WORK/tour.out")" 'problems:' 'and of no problem'
ok "within two minutes (it took $took s)" [ "$took" -lt 120 ]
kill "$SERVE_PID"
ok 'the master ends' wait_for sh -c "! kill -0 $SERVE_PID 2>/dev/null"
SERVE_PID=
done_testing
