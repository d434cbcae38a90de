#!/usr/bin/env bash
# A person takes part with a real mutt: a review-request is read there, and a reply that says APPROVE is the same decision as
# `notify approval` by the shell, to an agent and to a person; a reply in plain words answers a question. What docs/mutt.md says.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
. "$(dirname "$0")/../lib/mutt.sh"
command -v mutt >/dev/null || skip_all 'no mutt'
command -v tmux >/dev/null || skip_all 'no tmux'
need_terminal
export HOME=$WORK EDITOR=$WORK/editor
unset VISUAL
trap 'term kill-server 2>/dev/null; tap_end' EXIT
printf '#!/bin/sh\n{ cat %s/words; echo; cat "$1"; } >"$1.new"\nmv "$1.new" "$1"\n' "$WORK" >"$EDITOR"
echo APPROVE >"$WORK/words"
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
written() { db "SELECT count(*) FROM outbox WHERE bytes LIKE '%User-Agent: Mutt%' OR msgid NOT LIKE '%.%.%'"; }
pressed() { [ "$(written)" -gt "$BEFORE" ] && return 0; if [ "$SECONDS" -ge "$AGAIN" ] && on_screen 'y:Send'; then keys y; AGAIN=$((SECONDS + 3)); fi; return 1; }
reply() # it has left
{
    BEFORE=$(written)
    keys r
    wait_for on_screen '^To: ' && keys Enter || return 1
    wait_for on_screen '^Subject: ' && keys Enter || return 1
    wait_for on_screen '^Include message' && keys y || return 1
    wait_for on_screen 'y:Send' && keys y || return 1
    AGAIN=$((SECONDS + 3))
    wait_for pressed
}
ok 'a reply that says APPROVE leaves' reply
did
is "$(record)" 'todo|specs/todo/user-auth.md|you' 'and approves: record and place'
ok 'the file has moved' test -f specs/todo/user-auth.md -a ! -e "$SPEC"

# The same by the shell.
notify spec-writer review-request specs/proposed/shell.md you >/dev/null
notify you approval specs/proposed/shell.md spec-writer >/dev/null
pr serve --once 2>/dev/null
is "$(record 'specs/*/shell.md')" 'todo|specs/todo/shell.md|you' 'as notify does'
is "$(db "SELECT type, state, sender, recipients FROM event WHERE type = 'approval'" | sort -u)" 'approval|todo|you|spec-writer' 'both are the same event'
is "$(db "SELECT outcome, decided_by FROM cycle" | sort -u)" 'approved|you' 'and the same decision'

# A question of the agent, a blocker-report with it, and what asks alone on the screen.
keys i
echo 'Open.' >specs/proposed/open.md
for event in question blocker-report; do
    id=$(notify spec-writer $event specs/proposed/open.md you QUESTION='Which approach?' BLOCKING_DETAILS='No approach.')
    pr deliver 2>/dev/null
    keys l
    wait_for on_screen '^Limit to messages' && keys C-u "~h \"X-Event-Type: $event\"" Enter
    sees "a limit shows the $event alone" 'Msgs:1/'
    keys Enter
    sees "mutt shows the $event" 'approach'
    echo 'Try approach Y.' >"$WORK/words"
    ok 'a reply in plain words leaves' reply
    did
    is "$(db "SELECT a.type || ' ' || a.sender || '>' || a.recipients FROM event q JOIN event a ON a.msgid = q.answer WHERE '<' || q.msgid || '>' = '$id'")" 'answer you>spec-writer' 'and is the answer'
    keys i
done
unlike "$(pr status)" 'has no answer' 'nothing waits for one'
keys q
gone() { ! term has-session -t mutt; }
wait_for gone

# A role that a person plays, and the review of another person.
echo 'By a person.' >specs/proposed/person.md
request=$(notify vision-writer review-request specs/proposed/person.md spec-reviewer)
pr deliver 2>/dev/null
term new-session -d -s mutt -x 120 -y 40 mutt -F "$HOME_DIR/muttrc" -e "set folder=$HOME_DIR/mail/spec-reviewer spoolfile=+ record=+.Sent postponed=+.Drafts from=spec-reviewer@workflow.local"
sees 'mutt lists what a role is asked' 'person ready for review'
keys Enter
sees 'and shows it' 'Next steps:'
echo 'REVISE: the limit' >"$WORK/words"
ok 'a reply that says REVISE leaves' reply
is "$(db "SELECT outcome || ' ' || decided_by FROM cycle WHERE '<' || msgid || '>' = '$request'")" 'rejected spec-reviewer' 'and decides, from one person to another'
pr deliver 2>/dev/null
keys i
sees 'one mail says so' 'Re: .REVIEW REQUEST. person'
exits 0 'artifact check finds nothing' pr artifact check
done_testing
