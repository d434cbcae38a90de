#!/usr/bin/env bash
# Orders by reply: what a person says stops, steers and ends a job.
. "$(dirname "$0")/../lib/tap.sh"

# A brain that works until the door is open.
slow_brain()
{
    cat >"$HOME_DIR/scripts/slow" <<S
#!/bin/sh
cat >>"$WORK/seen"
echo \$\$ >"$WORK/pid"
echo begun >>"$WORK/begun"
read -r _ <"$WORK/door"
echo "slow answer"
S
    chmod 700 "$HOME_DIR/scripts/slow"
    pr config set 'brain default' command scripts/slow
}
state() { pr --json job list --all | python3 -c 'import json,sys; print(next((j["state"] for j in json.load(sys.stdin) if j["id"]=='"$1"'), ""))'; }
state_is() { [ "$(state "$1")" = "$2" ]; }
reply() { # ID BODY: as a mail client sends it
    printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: Re: x\nIn-Reply-To: %s\nReferences: %s\n\n%s\n' "$1" "$1" "$2" | pr sendmail -t
}
answer_has() { grep -rlq -- "$1" "$HOME_DIR/mail/you/new"; }
answers() { grep -rl 'slow answer' "$HOME_DIR/mail/you/new" 2>/dev/null | wc -l; }

pr init >/dev/null
slow_brain
shut_door
start_serve
id=$(echo 'do it' | pr send --to envoy --subject 'a task')
ok 'the job works' wait_for test -e "$WORK/begun"

reply "$id" $'Stop.\n\nOn Sunday, envoy wrote:\n> hello'
ok 'STOP by reply stops it' wait_for state_is 1 stopped
ok 'the person is told' wait_for answer_has 'Job 1 is stopped'
gone() { ! kill -0 "$(cat "$WORK/pid")"; }
ok 'the program is ended' wait_for gone
open_door
ok 'a pass changes nothing' state_is 1 stopped
is "$(answers)" 0 'and nothing was answered'

reply "$id" 'What about the second part?'
ok 'mail to a stopped job is kept, and said so once' wait_for answer_has 'is stopped. Your mail'
is "$(state 1)" stopped 'it stays stopped'

: >"$WORK/seen"
reply "$id" $'CONTINUE\nUse the short form.'
ok 'CONTINUE goes on' wait_for state_is 1 done
ok 'the person is told' wait_for answer_has 'Job 1 goes on\.'
like "$(cat "$WORK/seen")" 'Use the short form' 'the brain is shown the instruction'
like "$(cat "$WORK/seen")" 'What about the second part' 'and the mail that came meanwhile'
ok 'it is answered' wait_for sh -c "grep -rlq 'slow answer' $HOME_DIR/mail/you/new"
is "$(answers)" 1 'by one mail'

: >"$WORK/seen"
reply "$id" 'Stop using tabs'
ok '"Stop using tabs" is a task: the next round' wait_for grep -q 'Stop using tabs' "$WORK/seen"
ok 'and is done' wait_for state_is 1 done

reply "$id" 'Stopp'
ok 'a misspelt order gets HELP' wait_for answer_has 'looks like an order'
reply "$id" 'WHY'
ok 'WHY tells the steps' wait_for answer_has 'What it did'
reply "$id" 'Status?'
ok 'STATUS tells the state' wait_for answer_has 'was done'

shut_door
rm "$WORK/begun"
reply "$id" 'One more thing.'
ok 'works again' wait_for test -e "$WORK/begun"
reply "$id" 'CANCEL'
ok 'CANCEL ends it' wait_for state_is 1 cancelled
open_door
exits 75 'stop from the command line has nothing to do' pr stop 1
reply "$id" 'And a new task.'
ok 'new mail after CANCEL begins anew' wait_for state_is 1 done

printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: STATUS\n\n\n' | pr sendmail -t
ok 'a new mail with the subject STATUS' wait_for answer_has 'Nothing is going on'
shut_door
echo x | pr send --to envoy --subject 'another' >/dev/null
ok 'a job works' wait_for state_is 2 running
printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: STOP ALL\n\n\n' | pr sendmail -t
ok 'STOP ALL stops it' wait_for state_is 2 stopped
ok 'and ends the program' wait_for gone
ok 'continue from the command line' pr continue 2
ok 'it works again' wait_for state_is 2 running
reply "$id" $'Stop all!\n\n> hello'
ok 'STOP ALL as a reply stops jobs of other threads too' wait_for state_is 2 stopped
is "$(state 1)" done 'and is no task'
ok 'continue from the command line' pr continue 2 be quick
open_door
ok 'finishes it' wait_for state_is 2 done
stop_serve
run pr --json mail list --limit 100
is "$(echo "$OUT" | python3 -c 'import json,sys; print(sum(m["state"] in ("stored","shown") for m in json.load(sys.stdin)))')" 0 'every mail is in an end state'
done_testing
