#!/usr/bin/env bash
# One mailbox, one living home: a copy of a home answers nothing a second time, who was taken over from
# holds its mail, and marks survive a kill at every step.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/imap.sh"

imap_start
imap_home
FIRST=$HOME_DIR
second() { "$PR_BIN" --home "$WORK/second" "$@"; }
marks() { box subjects postrider/Home | grep -c 'worked by postrider'; }
answers_in() { find "$1/mail/you/new" "$1/mail/you/cur" -type f 2>/dev/null | wc -l; }
queued() { "$PR_BIN" --home "$1" --json job list | grep -c '"queued"'; }
state() { sqlite3 -readonly -cmd '.timeout 60000' "$1/state/postrider.db" "SELECT group_concat(DISTINCT state) FROM mailbox"; }
refused() { [ "$(state "$FIRST")" = refused ]; }

# Five mails in hand of a home that is copied. The copy of the mail folder has no mark, as one that a backup
# program of another kind made: only the mailbox on the server can tell.
pr account main --once
pr account work --once 2>/dev/null
is "$(marks)" 1 'the first visit leaves a mark'
box send 5 you@postrider.local agent@test.example five
pr account work --once && pr account main --once
is "$(queued "$FIRST")" 5 'five jobs wait'
is "$(marks)" 1 'each start has one mark, and removes that of its former life'
cp -a "$FIRST" "$WORK/second"
rm "$WORK/second/mail/.postrider-home"

start_serve
ok 'the original answers all five' wait_for box_has postrider/Done five 5
all_left() { [ "$(answers_in "$FIRST")" -ge 5 ]; } # a mail is in Done before its answer is delivered
wait_for all_left
is "$(answers_in "$FIRST")" 5 'once'
HOME_DIR=$WORK/second
FIRST_PID=$SERVE_PID
cp "$WORK/serve.log" "$WORK/first.log"
start_serve
down() { logged 'stays down'; }
ok 'the copy is refused' wait_for down
like "$(cat "$WORK/serve.log")" "another home, '[^']*$FIRST', and this is '[^']*second'" 'with both names'
is "$(state "$WORK/second")" refused 'the store says so'
echo hurry | second send --to envoy --subject hurry >/dev/null # a hint: it looks at everything once more
all_wait() { [ "$(queued "$WORK/second")" = 6 ]; }
ok 'its jobs wait, and one more' wait_for all_wait
like "$(second status)" "account 'work' does not work.*--take-over" 'status says what to do'
exits 75 'a run by hand finds nothing that it may do' second run "$(second --json job list | grep -o '"id": *[0-9]*' | grep -o '[0-9]*' | head -n 1)"
stop_serve
is "$(answers_in "$WORK/second")" 0 'five of five mails were answered once'
is "$(box_has postrider/Done five 5; echo $?)" 0 'and lie where the original put them'
HOME_DIR=$FIRST
SERVE_PID=$FIRST_PID

# Taken over while the other one works: with a mail that lies in Active, since its job had a step already, and
# with one that lies in INBOX, which the winner takes.
stop_serve
slow_brain
start_serve
box send 1 you@postrider.local agent@test.example 'in hand'
ok 'the first home works on a mail' wait_for begun 1
box move INBOX 'in hand' postrider/Active >/dev/null # as it is behind the first step of many
exits 0 'the second takes the mailbox over' second account work --take-over
is "$(marks)" 1 'one mark is left'
like "$(second status)" 'job [0-9]+ .* is to go on or end: another home had' 'its own jobs stop: they were answered'
is "$(second --json mail list --state ignored | grep -c '"subject": "in hand')" 1 'what the first had in hand is listed'
like "$(second status)" '1 old mail was left alone' 'by status too'
end_brains
ok 'the first home looks before the answer leaves, and is refused' wait_for refused
unsent() { [ "$(db "SELECT count(*) FROM delivery WHERE state = 'ready' AND mailbox = 'you'")" -gt 0 ]; }
ok 'its answer is written' wait_for unsent
box send 1 you@postrider.local agent@test.example 'the next'
stop_serve
pr deliver
is "$(answers_in "$FIRST")" 5 'but does not leave'
like "$(pr status)" "account 'work' does not work: .*$WORK/second" 'status names the other home'
ok 'and mail that comes later stays where it is' box_has INBOX 'the next'
exits 0 'the second home works' second serve --once
ok 'with what came later' box_has postrider/Done 'the next'
ok 'and not with what was in hand' box_has postrider/Done 'in hand' 0
exits 0 'until a person releases it' second doctor --release all
second serve --once
ok 'then it does' box_has postrider/Done 'in hand'

# And back, killed at each step.
one_of_two()
{
    pr account work --once 2>/dev/null; a=$?
    second account work --once 2>/dev/null; b=$?
    case $a,$b in 0,78 | 78,0) [ "$(marks)" = 1 ] ;; *) echo "$a,$b" && false ;; esac
}
for point in home-before-mark home-marked home-replaced survey-done; do
    POSTRIDER_DIE_AT=$point pr account work --take-over 2>/dev/null
    isnt "$?" 0 "killed at $point of a take-over"
    ok 'one of the two has the mailbox' one_of_two
    pr account work --take-over 2>/dev/null
    POSTRIDER_DIE_AT=$point pr account work --once 2>/dev/null
    exits 0 "killed at $point of a start, the next one is at home" pr account work --once
    is "$(marks)" 1 'with one mark'
    exits 78 'and the other is refused' second account work --once
    second account work --take-over
done

# Marks that a person deletes, that are there twice, or that an earlier version wrote.
box delete postrider/Home worked
exits 0 'a deleted mark is put again' second account work --once
is "$(marks)" 1 'one'
box header postrider/Home worked X-Postrider-Start >"$WORK/start"
printf 'From: x@y.example\nSubject: worked by postrider, a copy\nX-Postrider-Home: %s\nX-Postrider-Start: %s\nX-Postrider-Place: there\n\n' \
    "$(box header postrider/Home worked X-Postrider-Home)" "$(cat "$WORK/start")" | box raw postrider/Home
exits 0 'a doubled one is no trouble' second account work --once
is "$(marks)" 1 'and is tidied'
old_mark()
{
    python3 - "$1/key" <<'P' | box raw postrider/Home
import hmac, sys
key = bytes.fromhex(open(sys.argv[1]).readline().strip())
mac = lambda k, d: hmac.new(k, d, "sha256").digest()
print("From: p@x.example\nSubject: This mailbox is worked by postrider\nX-Postrider-Home: "
      + mac(mac(key, b"mailbox 1"), b"this mailbox is worked by this home").hex() + "\nX-Postrider-Place: old\n")
P
}
box delete postrider/Home worked
old_mark "$FIRST"
exits 0 'the mark of an earlier version of this home is ours' pr account work --once
is "$(marks)" 1 'and is replaced'
exits 78 'so its copy comes too late' second account work --once
box delete postrider/Home worked
printf 'From: x@y.example\nSubject: worked by postrider\nX-Postrider-Home: 00\nX-Postrider-Place: afar\n\n' | box raw postrider/Home
exits 78 'an old mark of another home is another home' pr account work --once
like "$ERR" "'afar'" 'by its name'
box delete postrider/Home worked

# Two at the same moment.
pr account work --once 2>/dev/null & one=$!
second account work --once 2>/dev/null & two=$!
wait "$one"; a=$?
wait "$two"; b=$?
case $a,$b in 0,78 | 78,0) pass 'of two that come at the same moment one stays' ;; *) fail 'of two that come at the same moment one stays' "$a,$b" ;; esac
ok 'and it is the same one ever after' one_of_two

# Deleted under a master; and offline, then back.
pr account work --take-over 2>/dev/null
silent_port
pr config set 'account work' port "$PORT"
forward() { "$POSTRIDER_SRC/tests/lib/forward" "$PORT" "$IMAPS_PORT" "$WORK/wire" & FORWARD=$!; }
forward
start_serve
ours() { [ "$(state "$FIRST")" = ours ] && [ -n "$(remote_pid)" ]; }
ok 'the master is at home' wait_for ours
box delete postrider/Home worked
box send 1 you@postrider.local agent@test.example 'a nudge'
marked() { [ "$(marks)" = 1 ]; }
ok 'a mark that was deleted under it is put again' wait_for marked
kill "$FORWARD"; wait "$FORWARD" 2>/dev/null
away() { [ "$(state "$FIRST")" = away ]; }
ok 'offline is away, and not refused' wait_for away
forward
ok 'when it is back one look is enough' wait_for ours
kill "$FORWARD"; wait "$FORWARD" 2>/dev/null
ok 'offline again' wait_for away
second account work --take-over
forward
ok 'taken over meanwhile it is refused' wait_for refused
kill "$FORWARD"; wait "$FORWARD" 2>/dev/null
end_brains
stop_serve
done_testing
