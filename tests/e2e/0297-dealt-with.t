#!/usr/bin/env bash
# What lies in Done on the server is dealt with: an order there was carried out, so no home that takes the mailbox over and no
# store that was lost carries it out again; a mail there was answered, and one whose answer waits for a yes is not there.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/loop.sh"
. "$POSTRIDER_SRC/tests/lib/imap.sh"

NOW=1800000000
export POSTRIDER_CLOCK=@$NOW
pass_by() { POSTRIDER_CLOCK=@$NOW "$PR_BIN" --home "${1:-$HOME_DIR}" serve --once "${@:2}" >/dev/null 2>>"$WORK/log"; }
later() { NOW=$((NOW + 100000)); pass_by "$@"; pass_by "$@"; pass_by "$@"; }
second() { "$PR_BIN" --home "$WORK/second" "$@"; }
got() { grep -l -- "$1" "$HOME_DIR"/mail/you/new/* "$WORK"/second/mail/you/new/* 2>/dev/null | wc -l; } # mails: the words of one stand in it twice, as HTML too
state() { "$PR_BIN" --home "$1" --json job list --all | python3 -c 'import json, sys; print(*(j["state"] for j in json.load(sys.stdin)))'; }
found='{"status":"continue","working_note":"half","send_emails":[{"body":"So far I found this."}]}'
answer='{"status":"complete","current_phase":"complete","send_emails":[{"body":"Here it is."}]}'
order() # of the person, in reply to the interim words
{
    id=$(cat "$HOME_DIR"/mail/you/new/* | grep -m1 -i '^Message-ID:' | sed 's/.*<\(.*\)>.*/\1/')
    printf 'From: you@postrider.local\nTo: agent@test.example\nSubject: Re: task\nMessage-ID: <%s@x.example>\nIn-Reply-To: <%s>\nReferences: <%s>\n\n%s\n' \
        "$1$RANDOM" "$id" "$id" "$1" | box raw INBOX
}
begin()
{
    rm -rf "$HOME_DIR" "$WORK/second"
    "$mailserver" stop "$MAIL" >/dev/null 2>&1
    imap_start
    imap_home
    NOW=1800000000
    pr config set postrider continue-after 0
    pr config set 'brain default' kind script
    pr config set 'brain default' script scripts/steps.jsonl
    pr config set 'role envoy' max-iterations 1
    steps "$found" "$answer"
    pass_by
    box send 1 you@postrider.local agent@test.example task
    pass_by
}
# What a home did and could not file any more: the mark of its last start is there, its answer in Sent is not.
forget_answer() { box delete Sent task >/dev/null; }

begin
is "$(state "$HOME_DIR") $(got 'So far')" 'parked 1' 'a job has said something, and waits'
cp -a "$HOME_DIR" "$WORK/second"
order CONTINUE
later
is "$(state "$HOME_DIR") $(got 'Here it is')" 'done 1' 'CONTINUE lets it answer'
ok 'the order lies in Done on the server' box_has postrider/Done 'Re: task'
ok 'and not in INBOX' box_has INBOX 'Re: task' 0
is "$(in_folder Done | xargs grep -l '^Subject: Re: task$' | sed 's/.*:2,//')" S 'and here, read, as nobody answered it'
forget_answer
pass_by "$WORK/second" --take-over
second doctor --accept-backup >/dev/null 2>&1
later "$WORK/second"
is "$(got 'Here it is')" 1 'a copy of the home that takes over does not obey it again'
is "$(state "$WORK/second")" stopped 'its job stops, for a person'

begin
cp -a "$HOME_DIR" "$WORK/second"
order CONTINUE
pass_by "$WORK/second" --take-over
later "$WORK/second"
is "$(state "$WORK/second") $(got 'Here it is')" 'done 1' 'an order that nobody has seen is obeyed by whoever has the mailbox'

begin
order CONTINUE
later
rm -rf "$HOME_DIR/state"
later
is "$(got 'Here it is')" 1 'a store that was lost does not obey it again'
is "$(pr --json mail list --state ignored | grep -c 'Re: task')" 0 'nor is it listed as mail that waits'

# --- an answer that waits for a yes ---

begin
printf '[person bob]\naddress = bob@postrider.local\nmay = ask\n' >>"$HOME_DIR/postrider.conf"
later
cp -a "$HOME_DIR" "$WORK/second"
held_answer=$(sed 's/"body"/"to":[],"body"/; s/Here it is/See https:..evil.example.?q=SECRET/; s|https:..evil.example.|https://evil.example/|' <<<"$answer")
steps "$held_answer"
box send 1 bob@postrider.local agent@test.example held
later
is "$(pr --json outbox list --state held | grep -c '"Re: held')" 1 'an answer is held'
ok 'what it answers lies in Active on the server' box_has postrider/Active held
pass_by "$WORK/second" --take-over
second doctor --accept-backup >/dev/null 2>&1
later "$WORK/second"
is "$(second --json mail list --state ignored | grep -c '"subject": "held')" 1 'so whoever takes the mailbox over lists it'

# --- its yes comes after the account's process died between the move to Active and its note ---

begin
printf '[person bob]\naddress = bob@postrider.local\nmay = ask\n' >>"$HOME_DIR/postrider.conf"
later
steps "$held_answer"
box send 1 bob@postrider.local agent@test.example halfway
pr account work --once 2>>"$WORK/log"
pr account main --once 2>>"$WORK/log"
pr run 2>>"$WORK/log"
is "$(pr --json outbox list --state held | grep -c '"Re: halfway')" 1 'an answer is held'
(POSTRIDER_DIE_AT=remote-moved pr account work --once 2>>"$WORK/log")
ok 'the process dies when what it answers lies in Active' box_has postrider/Active halfway
pr reject "$(pr --json outbox list --state held | jq '.[0].id')" >/dev/null
later
is "$(pr --json outbox list --state held | grep -c '"Re: halfway')" 0 'a person says no'
ok 'the mail goes on to Done' box_has postrider/Done halfway
ok 'and out of Active' box_has postrider/Active halfway 0

# --- a person files it in Done while the move to Active is owed ---

begin
printf '[person bob]\naddress = bob@postrider.local\nmay = ask\n' >>"$HOME_DIR/postrider.conf"
later
steps "$held_answer"
box send 1 bob@postrider.local agent@test.example filed
pr account work --once 2>>"$WORK/log"
pr account main --once 2>>"$WORK/log"
pr run 2>>"$WORK/log"
is "$(pr --json outbox list --state held | grep -c '"Re: filed')" 1 'an answer is held'
box move INBOX filed postrider/Done >/dev/null
ok 'a person files what it answers in Done' box_has postrider/Done filed
later
ok 'it stays there' box_has postrider/Done filed
ok 'and does not go to Active' box_has postrider/Active filed 0
done_testing
