#!/usr/bin/env bash
# The files of a briefing: those that people put there or change, a lost store, and bad input.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/briefing.sh"
rm_lock() { rm -f "$R/responses/.processing"; }
printf 'By hand.\n' >"$WORK/answer"
briefing_home
send_briefing >/dev/null
reply 'one' >/dev/null
turn
# --- files that people put there ---
printf 'Put here.\n' >"$R/responses/02-reply.md"
turn
like "$(thread)" 'Reply #2 \(.* from you@postrider.local\)
Put here\.' 'a reply file is a reply'
ok 'and is answered' test -f "$R/responses/02-response.md"
printf 'a reply\n' >"$R/responses/03-reply.md"
printf 'an answer\n' >"$R/responses/03-response.md"
turn
ok 'a response file without respond is taken as the answer and mailed' grep -rqs '^an answer' "$HOME_DIR/mail/you/new"
like "$(thread)" '## Response to Reply #3
an answer' 'and stands in the thread'
printf 'x\n' >"$R/responses/77-response.md"
turn
exits 1 'a response file without a reply is a finding' pr doctor
like "$OUT" '77-response.md' 'with its name'
rm "$R/responses/77-response.md"
printf 'mine\n' >"$R/thread.md"
reply 'four' >/dev/null
turn
is "$(cat "$R/thread.md.edited-1")" 'mine' 'what a person changed in a view is kept'
like "$(thread)" '## Response to Reply #4' 'and ours wins'
rm "$R/thread.md.edited-1"

# --- a batch ---
rm -f "$WORK/starts"
: >"$WORK/starts"
for i in 5 6 7; do printf 'file %s\n' $i >"$R/responses/0$i-reply.md"; done
turn
is "$(starts)" 1 'a batch: three reply files, one trigger, one agent'
ok 'its response has the highest number' test -f "$R/responses/07-response.md"
is "$(open_replies)" 0 'nothing is unprocessed'
printf 'file 8\n' >"$R/responses/08-reply.md"
turn
is "$(starts)" 2 'a new reply: two starts in all'

# --- a lost store ---
cp "$R/thread.md" "$WORK/kept.md"
reply 'five' >/dev/null
touch "$R/responses/.processing"
turn
like "$(thread)" '## NEW Reply #9' 'a reply is open'
cp "$R/thread.md" "$WORK/kept.md"
mails=$(ls "$HOME_DIR/mail/you/new" | wc -l)
rm -rf "$HOME_DIR/state"
rm_lock
turn
turn
is "$(ls "$HOME_DIR/mail/you/new" | wc -l)" "$mails" 'delete state/: nothing is answered twice'
is "$(pr briefing status --json "$D" | python3 -c 'import json, sys; r = json.load(sys.stdin)[0]; print(r["replies"], r["open"])')" \
    '9 1' 'what was open is open, numbers are as they were'
exits 0 'rebuild from files' pr briefing rebuild "$D"
ok 'gives the same bytes after a lost store' cmp "$WORK/kept.md" "$R/thread.md"
reply 'six' >/dev/null
turn
like "$(thread)" 'Reply #10' 'numbers go on where they were'
ok 'and it is answered' test -f "$R/responses/10-response.md"
like "$(thread)" '## Response to Reply #9, #10' 'with the reply that was open, which no mail brings any more'
is "$(open_replies)" 0 'so that no later answer deals with that one again'

# --- a client that names what it answers, and nothing that came before ---
before=$(db 'SELECT msgid FROM report_response WHERE n = 10')
printf 'From: you@postrider.local\nTo: carlton@postrider.local\nMessage-ID: <phone@x>\nSubject: Re: Good morning\nIn-Reply-To: <%s>\n\nseven\n' \
    "$before" | pr sendmail -t
turn
is "$(python3 - "$HOME_DIR"/mail/you/new/* <<'P'
import email, sys
for m in (email.message_from_file(open(f)) for f in sys.argv[1:]):
    if m["In-Reply-To"] == "<phone@x>":
        print(*m["References"].split())
P
)" "<carlton-$D@carlton.local> <$before> <phone@x>" 'the briefing stays in References of an answer to a reply without them'

# --- bad input ---
exits 65 'a date that is none' pr briefing send 2026-02-30 "$WORK/briefing.md"
exits 65 'a path is no date' pr briefing send ../x "$WORK/briefing.md"
exits 66 'a response to a date that has no briefing' pr respond 2026-03-01 "$WORK/answer"
exits 65 'a subject of 10,000 characters' pr briefing send 2026-03-01 "$WORK/briefing.md" --subject "$(printf 'x%.0s' {1..10000})"
exits 0 'a subject that a shell would read' pr briefing send 2026-03-01 "$WORK/briefing.md" --subject '$(x)'
is "$(pr briefing list --json | python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["subject"])')" '$(x)' 'is a subject'
exits 0 'an empty subject' pr briefing send 2026-03-02 "$WORK/briefing.md" --subject ''
: >"$WORK/empty"
exits 65 'an empty briefing' pr briefing send 2026-03-03 "$WORK/empty"
mkdir -p "$HOME_DIR/reports/2026-03-04"
echo other >"$HOME_DIR/reports/2026-03-04/briefing.md"
exits 65 'another briefing.md is there' pr briefing send 2026-03-04 "$WORK/briefing.md"
exits 0 'a date is skipped' pr briefing skip 2026-03-05
exits 65 'and then not sent' pr briefing send 2026-03-05 "$WORK/briefing.md"
rm "$R/thread.md"; mkdir "$R/thread.md"
exits 66 'thread.md is a folder' pr briefing prompt "$D"
rmdir "$R/thread.md"; ln -s /etc/passwd "$R/thread.md"
exits 66 'thread.md is a link' pr briefing prompt "$D"
rm "$R/thread.md"
exits 0 'rebuilt' pr briefing rebuild "$D"
exits 66 'a role that is none' pr briefing send --role nobody 2026-03-06 "$WORK/briefing.md"
done_testing
