#!/usr/bin/env bash
# A person reviews with a real mutt: the review-request is read there, and a reply that says APPROVE is the same decision as
# `notify approval` by the shell.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
. "$(dirname "$0")/../lib/mutt.sh"
command -v mutt >/dev/null || skip_all 'no mutt'
command -v tmux >/dev/null || skip_all 'no tmux'
need_terminal
export HOME=$WORK EDITOR=$WORK/editor
unset VISUAL
trap 'term kill-server 2>/dev/null; tap_end' EXIT
printf '#!/bin/sh\n{ echo APPROVE; echo; cat "$1"; } >"$1.new"\nmv "$1.new" "$1"\n' >"$EDITOR"
chmod 700 "$EDITOR"

workflow_home
cd "$ROOT" || exit 1
sed -i '/^\[role spec-writer\]/,/^person/c [role spec-writer]\nbrain = page\n[brain page]\ncommand = printf Noted.' "$HOME_DIR/postrider.conf"
sed -i 's/postrider\.local/workflow.local/g' "$HOME_DIR/muttrc"
printf 'By the shell.\n' >specs/proposed/shell.md
request=$(notify spec-writer review-request "$SPEC" you CONTEXT='Please look.')
pr serve --once 2>/dev/null

term new-session -d -s mutt -x 120 -y 40 mutt -F "$HOME_DIR/muttrc"
sees 'mutt lists the review-request' 'REVIEW REQUEST. user-auth ready for review'
keys Enter
sees 'and shows what to do' 'Next steps:'
has_left() { [ -n "$(find "$HOME_DIR"/mail/spec-writer/new "$HOME_DIR"/mail/spec-writer/cur -type f 2>/dev/null)" ] || [ "$(db "SELECT count(*) FROM outbox WHERE from_spec = 'you@workflow.local'")" -gt 0 ]; }
pressed() { has_left && return 0; if [ "$SECONDS" -ge "$AGAIN" ] && on_screen 'y:Send'; then keys y; AGAIN=$((SECONDS + 3)); fi; return 1; }
keys r
wait_for on_screen '^To: ' && keys Enter
wait_for on_screen '^Subject: ' && keys Enter
wait_for on_screen '^Include message' && keys y
wait_for on_screen 'y:Send' && keys y
AGAIN=$((SECONDS + 3))
ok 'a reply that says APPROVE leaves' wait_for pressed
for _ in 1 2 3; do pr serve --once 2>/dev/null; done
is "$(record)" 'todo|specs/todo/user-auth.md|you' 'and approves: record and place'
ok 'the file has moved' test -f specs/todo/user-auth.md -a ! -e "$SPEC"

# The same by the shell.
notify spec-writer review-request specs/proposed/shell.md you >/dev/null
notify you approval specs/proposed/shell.md spec-writer >/dev/null
pr serve --once 2>/dev/null
is "$(record 'specs/*/shell.md')" 'todo|specs/todo/shell.md|you' 'as notify does'
is "$(db "SELECT type, state, sender, recipients FROM event WHERE type = 'approval'" | sort -u)" 'approval|todo|you|spec-writer' 'both are the same event'
is "$(db "SELECT outcome, decided_by FROM cycle" | sort -u)" 'approved|you' 'and the same decision'
exits 0 'artifact check finds nothing' pr artifact check
done_testing
