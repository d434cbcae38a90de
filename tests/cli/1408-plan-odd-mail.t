#!/usr/bin/env bash
# Replies about a plan that come twice, from strangers, by forward or late; a restored backup and a copied home beside a plan: no agent
# is started that nobody with the right to it has asked for, and what the file says is not undone.
. "$(dirname "$0")/../lib/tap.sh"
command -v jq >/dev/null || skip_all 'no jq'
. "$POSTRIDER_SRC/tests/lib/plan.sh"
. "$POSTRIDER_SRC/tests/lib/steps.sh"
plan_home
add_person kim@postrider.local ask
pr config set trust require-auth none
n=0
# FROM ID BODY: a mail from outside that answers this one
from()
{
    { printf '%s\n' "From: $1" 'To: envoy@postrider.local' 'Subject: Re: Plan: PLAN.md' "Message-ID: <odd.$((n += 1))@example.net>" \
        "In-Reply-To: <$2>" "References: <$2>" 'Date: Wed, 18 Nov 2026 10:00:00 +0000' ''; printf '%s\n' "$3"; } >"$HOME_DIR/mail/envoy/new/$n.odd"
    turn
}
paused() # NAME: a plan that is paused after three starts
{
    plan_project "$1" 'SC-1: a (check: test -f a)'
    agent '[ -e go ] && touch a; true'
    run pr plan run PLAN.md -- "$WORK/agent"
    turn
    mail=$(newest_mail)
    job=$(db 'SELECT max(id) FROM job')
}
is_left_alone() { is "$(starts) $(st .status) $(job_state $job)" '3 paused parked' "$1"; }

# Whose word it is.
paused whose
for word in CONTINUE STOP CANCEL DONE 'please go on'; do
    from 'Mallory <mallory@example.net>' "$mail" "$word"
    is_left_alone "'$word' of a stranger changes nothing"
done
for word in CONTINUE STOP CANCEL DONE; do
    from 'kim@postrider.local' "$mail" "$word"
    is_left_alone "'$word' of somebody who may only ask changes nothing"
done
from 'you@postrider.local' "$mail" '> CONTINUE

what is this about?' >/dev/null
isnt "$(st .status)" cancelled 'a quoted word is no order'

# The same reply twice.
paused twice
reply CONTINUE
turn
is "$(starts) $(st .status)" '6 paused' 'CONTINUE: three starts more'
file=$(grep -rl '^CONTINUE' "$HOME_DIR/mail/envoy" | tail -n 1)
for i in 1 2; do cp "$file" "$HOME_DIR/mail/envoy/new/copy.$i"; turn; done
is "$(starts) $(st .status)" '6 paused' 'two copies of that mail: none'
mv "$file" "$HOME_DIR/mail/envoy/new/moved.1" 2>/dev/null
turn
is "$(starts) $(st .status)" '6 paused' 'nor when somebody moves it back into INBOX'
reply CONTINUE
turn
is "$(starts)" 9 'a second mail of that text is a second word'
file=$(grep -rl 'Work on the plan' "$HOME_DIR/mail/envoy" | tail -n 1)
cp "$file" "$HOME_DIR/mail/envoy/new/begin.copy"
turn
is "$(starts) $(db 'SELECT count(*) FROM job')" "9 $job" 'nor does a copy of the mail that began it begin it again'
reply CANCEL
turn
reply CONTINUE
turn
is "$(starts) $(st .status)" '9 cancelled' 'CONTINUE after CANCEL starts nobody'

# A mail that looks like the one that begins a plan.
plan_project forged 'SC-1: a'
row=$(printf '{"project":"%s","plan_file":"PLAN.md","session_id":"x","argv":"[\\"touch\\",\\"%s/forged-ran\\"]","epoch":0,"revision":0,"iterations":0,"total":0,"until":9223372036854775807,"budget":0}' "$PWD" "$WORK")
for who in mallory@example.net kim@postrider.local you@postrider.local; do
    from "$who" none@x "Work on the plan.

plan-run: $row"
done
not_ok 'a command in a mail is run for nobody' test -e "$WORK/forged-ran"
is "$(db "SELECT count(*) FROM plan WHERE session_id = 'x'")" 0 'and it is no plan'

# A backup from before: what happened since is not done again.
paused backup
pr backup "$WORK/bak" >/dev/null
touch go
reply CONTINUE
turn
is "$(starts) $(st .status) $(job_state $job)" '4 complete done' 'after the backup it was finished'
rm -rf "$HOME_DIR/state"
cp -r "$WORK/bak/state" "$HOME_DIR/state"
is "$(job_state $job)" parked 'the old store knows nothing of it'
for i in 1 2 3; do turn; done
is "$(starts) $(st .status)" '4 complete' 'and nobody is started'
pr doctor --accept-backup >"$WORK/accept" 2>&1
for i in 1 2 3; do turn; done
is "$(starts) $(st .status)" '4 complete' 'nor when the backup is accepted' || diag "$(cat "$WORK/accept")"
isnt "$(job_state $job)" running 'the job comes to rest'

# A state file from before, put back by hand.
paused old
cp $state "$WORK/old-state"
touch go
reply CONTINUE
turn
is "$(starts) $(st .status)" '4 complete' 'it is finished'
cp "$WORK/old-state" $state
turn
is "$(starts)" 4 'an old state that is put back starts nobody by itself'

# A copied home.
paused copied
cp -a "$HOME_DIR" "$WORK/second"
touch go
printf 'CONTINUE\n' | "$PR_BIN" --home "$WORK/second" send --to envoy --in-reply-to "<$mail>" --subject 'Re: Plan: PLAN.md' >/dev/null 2>"$WORK/.err"
"$PR_BIN" --home "$WORK/second" serve --once >/dev/null 2>"$WORK/second.log"
second=$(starts)
reply CONTINUE
turn
is "$(st .status)" complete 'beside a copy of the home the plan is finished'
is "$(starts)" 4 'by one start' || diag "the copy: $second" "$(tail -n 3 "$WORK/second.log")"

done_testing
