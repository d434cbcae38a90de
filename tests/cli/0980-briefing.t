#!/usr/bin/env bash
# Briefings, by the test plan of their design: each line of it is a test of that name here. What the table of
# tests/README.md says is in the unit tests is there. Files, a lost store and bad input: 0986.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/briefing.sh"
headers()
{
    python3 - "$1" "$HOME_DIR"/mail/you/new/* <<'P'
import email, sys
for f in sys.argv[2:]:
    value = email.message_from_file(open(f))[sys.argv[1]]
    if value:
        print(' '.join(value.split()))
P
}
rm_lock() { rm -f "$R/responses/.processing"; }

# --- e2e 1, 2: briefing, double send ---
briefing_home
is "$(send_briefing)" "<carlton-$D@carlton.local>" 'sendBriefing() sets the Message-ID header <carlton-{date}@carlton.local>'
ok 'create report + send briefing: thread.md holds the briefing' grep -q '^\* 09:00 budget' "$R/thread.md"
is "$(head -3 "$R/thread.md")" "# Carlton Thread — $D

## Briefing Sent ($(date -u +%Y-%m-%d) $(sed -n 's/.*Sent (.* \(..:..\) GMT)/\1/p' "$R/thread.md") GMT)" 'with title and heading'
ok '.briefing-sent contains valid JSON with resendId and messageId' \
    python3 -c "import json; d = json.load(open('$R/.briefing-sent')); assert d['resendId'] and d['messageId'] == '<carlton-$D@carlton.local>'"
ok 'briefing.md is the same bytes' cmp "$WORK/briefing.md" "$R/briefing.md"
ok 'there are folders for research and responses' test -d "$R/research" -a -d "$R/responses"
exits 65 'double-send guard: the second send is blocked' send_briefing
like "$ERR" 'was sent already' 'and says why'
turn
ok 'the owner has it' grep -rqs "^Message-ID: <carlton-$D@carlton.local>" "$HOME_DIR/mail/you/new"
is "$(grep -rls "^Message-ID: <carlton-$D" "$HOME_DIR/mail/you/new" | wc -l)" 1 'once'
is "$(grep -rhs '^Subject:' "$HOME_DIR/mail/you/new" | python3 -c 'import sys, email.header as h; print(h.make_header(h.decode_header(sys.stdin.read()[9:].strip())))')" \
    "Good morning — $D" 'its subject is the first heading and the date'
ok 'text with an HTML part' grep -rqs 'multipart/alternative' "$HOME_DIR/mail/you/new"
is "$(open_replies)" 0 'hasUnprocessedReplies(): no files: false'
run pr briefing run "$D"
is "$STATUS $(starts)" '0 0' 'triggerProcessing() with no unprocessed replies returns: no lock, no spawn'
not_ok 'no lock' test -e "$R/responses/.processing"

# --- e2e 3, 4, 5: one reply ---
id=$(reply 'What about the budget?')
turn
is "$(starts)" 1 'reply arrives, nothing runs: an agent is started'
is "$(headers In-Reply-To)" "$id" 'sendReply() answers the newest reply'
like "$(headers References)" "^<carlton-$D@carlton.local> $id" 'cmdReplyTo() passes the messageId on: References begin with the briefing'
ok '01-response.md appears' test -f "$R/responses/01-response.md"
is "$(cat "$R/responses/01-response.md")" 'Answer 1.' 'with the response'
is "$(sed 1,/^$/d "$R/responses/01-reply.md")" 'What about the budget?' 'NN-reply.md holds the body'
is "$(sed -n 1,4p "$R/responses/01-reply.md" | cut -d: -f1 | tr '\n' ' ')" 'From Date Message-ID Subject ' 'below sender, date, Message-ID and subject'
like "$(thread)" "## Reply #1 \(.* from you@postrider.local\)
What about the budget\?

## Response to Reply #1
Answer 1\.

---" 'response appended, NEW marker removed'
not_ok 'the lock is gone' test -e "$R/responses/.processing"
is "$(open_replies)" 0 'all replied: false'

# --- the prompt ---
like "$(cat "$WORK/prompt")" "^You are Carlton's reply handler for the $D briefing." 'the template opens as it should'
like "$(cat "$WORK/prompt")" '## Thread.*NEW Reply #1.*What about the budget\?.*## Available Context.*Read what you need. You may not need any of it..*## Respond.*Respond to all replies marked NEW above' \
    'buildReplyPrompt() includes thread.md content and response instructions'
like "$(cat "$WORK/prompt")" "postrider respond $D" 'and the one command'
like "$(cat "$WORK/prompt")" 'only say thanks or the like, one short line does, and nothing has to be read for it' \
    'a short answer to trivial mail: the template that we ship asks for it'
printf '# Budget meeting\nnumbers\n' >"$R/research/budget.md"
run pr briefing prompt "$D"
like "$OUT" 'budget.md — Budget meeting' 'buildReplyPrompt() lists research files with their headings'
mv "$R/thread.md" "$WORK/kept.md"
exits 66 'buildReplyPrompt() with missing thread.md throws' pr briefing prompt "$D"
like "$ERR" "briefing rebuild $D" 'and names rebuild'
exits 0 'rebuild' pr briefing rebuild "$D"
ok 'gives the same bytes' cmp "$WORK/kept.md" "$R/thread.md"

# --- e2e 6, 7: two replies while idle ---
reply 'two' >/dev/null
reply 'three' >/dev/null
turn
is "$(starts)" 2 'replies #2 and #3 while not processing: only one agent starts'
like "$(cat "$WORK/prompt")" 'NEW Reply #2.*NEW Reply #3' 'two NEW entries'
ok 'numbered by the highest reply: 03-response.md' test -f "$R/responses/03-response.md"
not_ok 'and no other' test -e "$R/responses/02-response.md"
like "$(thread)" '## Response to Reply #2, #3' 'its heading names both'
unlike "$(thread)" '## NEW' 'both NEW markers removed'
is "$(grep -c '^two$\|^three$' "$R/thread.md")" 2 'content preserved'

# --- e2e 8, 9: locks by hand ---
date -u +%FT%T.000Z >"$R/responses/.processing"
reply 'four' >/dev/null
turn
is "$(starts)" 2 'triggerProcessing() with lock present: no spawn'
like "$(thread)" '## NEW Reply #4' 'the reply is recorded all the same'
ok 'the lock stays as it is' test -f "$R/responses/.processing"
run pr briefing run "$D"
is "$STATUS $(starts)" '0 2' 'a trigger by hand likewise'
rm_lock
exits 0 'remove lock, call again' pr briefing run --wait "$D"
is "$(starts)" 3 'spawn'
ok 'answered' test -f "$R/responses/04-response.md"
date -u +%FT%T.000Z >"$R/responses/.processing"
touch -d '15 minutes ago' "$R/responses/.processing"
reply 'five' >/dev/null
turn
is "$(starts)" 4 'stale lock (mtime 15 minutes ago): deleted, agent started'
not_ok 'nothing of it is left' test -e "$R/responses/.processing"
is "$(ls "$R/responses" | grep -c edited)" 0 'not even a copy'

# --- the lock while an agent works; trigger twice ---
shut_door
reply 'six' >/dev/null
pr serve --once 2>/dev/null &
serve=$!
wait_for test -e "$R/responses/.processing"
wait_for test "$(starts)" = 5
like "$(cat "$R/responses/.processing")" '^20..-..-..T..:..:..\....Z
pid [0-9]+ start [0-9]+
job 1$' 'while it works .processing says since when, who, and which job'
run pr briefing run "$D"
like "$OUT" 'an agent is at work' 'trigger twice in rapid succession: the second returns'
rm_lock
run pr briefing run "$D"
is "$STATUS" 0 'also when somebody removed the lock'
open_door
wait $serve
is "$(starts)" 5 'lock made once, spawn called once'
ok 'removing it broke nothing' test -f "$R/responses/06-response.md"

# --- by hand ---
reply 'seven' >/dev/null
printf 'By hand.\n' >"$WORK/answer"
shut_door
pr serve --once 2>/dev/null &
serve=$!
wait_for test -e "$R/responses/.processing"
exits 0 'respond by hand beside a live run' pr respond "$D" "$WORK/answer"
is "$(cat "$R/responses/07-response.md")" 'By hand.' 'settles its replies'
open_door
wait $serve
turn
is "$(cat "$R/responses/07-response.md")" 'By hand.' "and the run's own answer then ends quietly"
is "$(grep -rlsE '^(Answer|By hand)' "$HOME_DIR/mail/you/new" | wc -l)" 6 'each reply has one answer'
reply 'eight' >/dev/null
touch "$R/responses/.processing"
turn
rm_lock
exits 0 'reply-to <subject> <file> <date>' pr reply-to 'About eight' "$WORK/answer" "$D"
turn
ok 'with that subject' grep -rqs '^Subject: About eight' "$HOME_DIR/mail/you/new"
unlike "$(thread)" '## NEW' 'cmdReplyTo() also appends to thread.md and removes NEW markers'
exits 65 'a response when nothing is open is refused' pr respond "$D" "$WORK/answer"
done_testing
