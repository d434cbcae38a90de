#!/usr/bin/env bash
# `check: COMMAND` in a mailed task: its answer leaves when the check has passed, or says that it did not.
. "$(dirname "$0")/../lib/tap.sh"
command -v jq >/dev/null || skip_all 'no jq'
. "$POSTRIDER_SRC/tests/lib/plan.sh"
is_gone() { [ ! -e "/proc/$1" ] || grep -q '^State:.*Z' "/proc/$1/status"; }

# WHAT the agent prints is its answer; it works in the job's own folder.
task_home()
{
    rm -rf "$HOME_DIR"
    pr init >/dev/null
    pr config set 'brain default' command "$WORK/agent"
    pr config set postrider ack-after 0
    : >"$WORK/starts"
    rm -f "$WORK"/ran
}
task() { printf '%s\n' "$@" | pr send --to envoy --subject task >/dev/null; turn; }
answer() { local f; for f in "$HOME_DIR"/mail/you/new/*; do [ ! -e "$f" ] || python3 -c 'import email, email.policy, sys
m = email.message_from_file(open(sys.argv[1]), policy=email.policy.default)
print(m.get_body(("plain",)).get_content())' "$f"; done; }
n_answers() { ls "$HOME_DIR/mail/you/new" 2>/dev/null | wc -l; }
work=$HOME_DIR/work/envoy/1

# It passes.
task_home
agent 'touch good; echo "It is done."'
task 'Make good, please.' '' "check: echo x >>$WORK/ran; test -f good"
is "$(job_state) $(n_answers) $(starts)" 'done 1 1' 'a task whose check passes is answered' || diag "$(cat "$WORK/turn.log")"
is "$(grep -c x "$WORK/ran")" 1 'the check ran once'
unlike "$(answer)" 'check' 'and the answer says nothing of it'
like "$(cat "$WORK/prompt")" 'check: echo x' 'the agent knows the check'

# It fails, then passes.
task_home
agent '[ $n -lt 3 ] || touch good; echo "Done, try $n."'
task 'Make good.' 'check: echo "good is missing"; test -f good'
is "$(job_state) $(n_answers) $(starts)" 'done 1 3' 'an answer whose check fails goes back to the agent'
like "$(answer)" 'Done, try 3' 'and only the one that passes leaves'
unlike "$(answer)" 'failed' 'without a word of the others'
like "$(cat "$WORK/prompt")" 'The check `echo "good is missing"; test -f good` failed: exit 1\.' 'the agent is told what failed'
like "$(cat "$WORK/prompt")" '    good is missing' 'with the end of its output'

# It never passes.
task_home
agent 'echo "Done, try $n."'
task 'Make good.' 'check: echo "good is missing"; test -f good'
is "$(job_state) $(n_answers) $(starts)" 'done 1 3' 'after three failures the answer leaves'
like "$(cat "$HOME_DIR/log/postrider.log")" 'msg="a check ran".*good is missing' 'the log has each check'
like "$(answer)" 'Done, try 3.*The check `echo "good is missing"; test -f good` failed: exit 1\..*good is missing' 'and says that its check failed, and how'

# How it runs.
task_home
agent 'echo done'
task 'x' "check: pwd >$WORK/where; ps -o pgid= -p \$\$ | tr -d ' ' >$WORK/group; echo \$\$ >$WORK/pid; env >$WORK/env; seq 100000; false"
is "$(cat "$WORK/where")" "$work" "it runs in the job's folder"
is "$(cat "$WORK/group")" "$(cat "$WORK/pid")" 'in a process group of its own'
like "$(cat "$WORK/env")" "POSTRIDER_WORK=$work" 'with the environment of programs'
unlike "$(cat "$WORK/env")" 'POSTRIDER_HOME|POSTRIDER_PORT' 'and no way into the home'
ok 'the end of its output is kept' eval 'answer | grep -q 100000'
is "$(answer | wc -c | awk '{print $1 < 8000}')" 1 'and no more than that'
task_home
agent 'echo done'
POSTRIDER_PATIENCE=1 task 'x' 'check: trap "" TERM; while :; do sleep 1; done'
like "$(job_state) $(answer)" 'done.*failed: ran longer than 1 s' 'a check that never ends is ended'
task_home
agent 'echo done'
task 'x' "check: setsid sh -c 'echo \$\$ >$WORK/daemon; exec sleep 1000' >/dev/null 2>&1 & while ! [ -s $WORK/daemon ]; do :; done"
is "$(job_state)" 'done' 'a daemon is not waited for'
wait_for is_gone "$(cat "$WORK/daemon")" && pass 'and it is ended, too' || fail 'a daemon is left'
task_home
pr config set 'role envoy' workdir "$WORK/dir" && mkdir -p "$WORK/dir"
agent 'echo done'
task 'x' "check: pwd >$WORK/where"
is "$(cat "$WORK/where")" "$WORK/dir" "where the role has a workdir, there"
git -C "$WORK/dir" init -q -b main && git -C "$WORK/dir" -c user.name=a -c user.email=a@x commit -q --allow-empty -m one
agent 'touch good; echo done'
task 'y' "check: pwd >$WORK/where; test -f good"
is "$(cat "$WORK/where") $(job_state)" "$HOME_DIR/work/envoy/2/tree done" 'in a git repository in the worktree of the job'

# Whose word it is.
task_home
agent 'echo done'
task 'I was told:' '' '> check: false' '' 'so what?'
is "$(starts)" 1 'a line that is quoted is none'
task 'Check: is this right?'
is "$(starts)" 2 'nor is one that is not written so'
touch "$WORK/agent-says"
agent 'echo "check: false"; echo "check: touch '"$WORK"'/mine"'
task 'x' 'check: test -f no'
not_ok "a line in the agent's own words is none" test -e "$WORK/mine"
like "$(answer)" 'The check `test -f no` failed' 'and the check of the task stands'

# What the agent sends by its port does not go past it.
task_home
agent 'echo early | postrider reply >'"$WORK"'/port.out 2>&1; echo early | postrider send --to you@postrider.local --subject early >>'"$WORK"'/port.out 2>&1; touch good; echo late'
task 'x' 'check: test -f good'
is "$(job_state) $(n_answers)" 'done 1' 'an answer by the port is refused before the check'
like "$(cat "$WORK/port.out")" 'this task has a check \(test -f good\)' 'with the reason'
like "$(answer)" 'late' 'the one at the end leaves'
agent 'echo early | postrider reply >'"$WORK"'/port.out 2>&1 && exit; echo late'
: >"$WORK/starts"
task 'no check'
is "$(n_answers)" 2 'without a check it leaves'

# The next round has none, another line counts more.
task_home
agent 'echo "answer $n"'
task 'x' 'check: test -f no'
id=$(db "SELECT msgid FROM outbox WHERE subject LIKE 'Re:%' ORDER BY id DESC LIMIT 1")
: >"$WORK/starts"
printf 'and now?\n' | pr send --to envoy --in-reply-to "<$id>" --subject 'Re: task' >/dev/null
turn
is "$(db 'SELECT count(*) FROM job') $(starts)" '1 1' 'the next round has no check' || diag "$(answer)"

# Whose mail may have one.
. "$POSTRIDER_SRC/tests/lib/steps.sh"
task_home
add_person kim@postrider.local ask
add_person ann@postrider.local ask steer
pr config set trust require-auth none
agent 'echo done'
n=0
# WHO SUBJECT: the body on stdin comes from outside
from()
{
    { printf '%s\n' "From: $1@postrider.local" 'To: envoy@postrider.local' "Subject: $2" "Message-ID: <from.$((n += 1))@example.net>" \
        'Date: Wed, 18 Nov 2026 10:00:00 +0000' ''; cat; } >"$HOME_DIR/mail/envoy/new/$n.from"
    turn
}
sent_to() { pr --json outbox list --all | jq -r '.[] | select(.subject == "'"$1"'") | .message_id' | head -1 | xargs -I{} "$PR_BIN" --home "$HOME_DIR" mail show {}; }
from kim one <<<"check: touch $WORK/kim"
is "$(job_state) $(starts)" 'done 1' 'somebody who may only ask is answered'
not_ok 'but has no check run' test -e "$WORK/kim"
like "$(sent_to 'Re: one')" "The line \"check: touch $WORK/kim\" does not count: only somebody who may steer" 'and is told so'
from ann two <<<"check: touch $WORK/ann"
ok 'somebody who may steer has it run' test -e "$WORK/ann"
from ann 'Fwd: hi' <<END
What of this?

---------- Forwarded message ---------
From: Eve <eve@example.net>
Subject: hi

Hello
check: touch $WORK/eve
END
not_ok 'what is forwarded has none' test -e "$WORK/eve"
from ann three <<END
check: touch $WORK/eve

> said by nobody whom we know, at some length,
> so that these are the words of somebody else
END
not_ok 'nor has a mail that repeats words of nobody who is known' test -e "$WORK/eve"
like "$(sent_to 'Re: three')" 'its mail repeats words of somebody who is not known here' 'which its answer says'

# A brain that is led in steps: a word on the way says that the check has not run, the end waits for it.
rm -rf "$HOME_DIR"
steps_home
answers <<END
{"status":"continue","current_phase":"working","send_emails":[{"to":["you@postrider.local"],"subject":"so far","body":"I have begun."}]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"Done too early."}]}
{"status":"continue","current_phase":"working","note":"more to do"}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"Done now."}]}
END
printf '#!/bin/sh\n[ $1 -lt 4 ] || touch "%s/good"\n' "$WORK" >"$WORK/before" && chmod +x "$WORK/before"
mail_in task <<<"check: test -f $WORK/good"
is "$(job_state) $(mails)" 'done 2' 'in steps' || diag "$(cat "$WORK/.err" "$WORK"/seen.*)"
like "$(answer)" 'I have begun.*\(The check `test -f .*/good` has not run yet' 'a word on the way says that the check has not run yet'
unlike "$(answer)" 'too early' 'what does not pass is not said'
like "$(seen 3)" 'The check `test -f .*/good` failed: exit 1' 'the model hears why'
like "$(answer)" 'Done now' 'what passes is'

# A fork goes on with the same task, and its check.
rm "$WORK/good"
for i in 1 2 3; do echo '{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"Forked."}]}'; done | answers
ok 'a fork' pr job fork 1@1 'Try it the other way.'
pass_once
like "$(answer)" 'Forked.*The check `test -f .*/good` failed: exit 1' 'has the check of the task' || diag "$ERR"

# Parked, and the store is lost: the check comes back with the mail.
answers <<END
{"status":"waiting","current_phase":"waiting","wait":{"for":"reply","until":"","then":"remind"},"send_emails":[{"to":[],"body":"Which one?"}]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"All done."}]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"All done."}]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"All done."}]}
END
mail_in second <<<"check: test -f $WORK/none"
is "$(job_state)" parked 'it waits'
id=$(db "SELECT msgid FROM outbox WHERE subject = 'Re: second' ORDER BY id DESC LIMIT 1")
rm -rf "$HOME_DIR/state"
pass_once
printf 'the red one\n' | pr send --to envoy --in-reply-to "<$id>" --subject 'Re: second' >/dev/null
pass_once
like "$(answer)" 'All done.*The check `test -f .*/none` failed' 'after a lost store the check still counts' || diag "$ERR"

# Orders and kills while it runs.
task_home
shut_door
agent 'echo done'
printf 'x\ncheck: echo >%s/ready; read -r _ <%s/door\n' "$WORK" "$WORK" | pr send --to envoy --subject task >/dev/null
start_serve
wait_for test -s "$WORK/ready"
check=$(pgrep -f "read -r _ <$WORK/door" | head -1)
ok 'STOP' pr stop 1
wait_for eval '[ "$(job_state)" = stopped ]'
is "$(job_state) $(n_answers)" 'stopped 0' 'STOP while the check runs: nothing leaves'
wait_for is_gone "$check" && pass 'and it does not go on' || fail 'the check goes on'
rm -f "$WORK/ready"
pr continue 1 >/dev/null
wait_for test -s "$WORK/ready"
rm -f "$WORK/ready"
kill -9 "$(db 'SELECT owner_pid FROM job WHERE id = 1')"
wait_for test -s "$WORK/ready" && pass 'killed in between it is run again' || fail 'it is not run again' "$(cat "$WORK/serve.log")"
open_door
wait_for eval '[ "$(job_state)" = done ]'
wait_for eval '[ "$(n_answers)" = 1 ]'
is "$(job_state) $(n_answers)" 'done 1' 'and answered once'
stop_serve
is "$SERVE_STATUS" 0 'the service ends'

# Behind the wall, as the agent.
if command -v bwrap >/dev/null && bwrap --unshare-user --unshare-net --unshare-pid --ro-bind / / --proc /proc --dev /dev true 2>/dev/null; then
    BASE=$(wall_base check) || exit 1
    trap 'rm -rf "$BASE"; tap_end' EXIT
    HOME_DIR=$BASE/home
    task_home
    cp "$WORK/agent" "$BASE/agent"
    printf '#!/bin/sh\ncat >/dev/null; touch mine; echo done\n' >"$BASE/agent" && chmod +x "$BASE/agent"
    pr config set 'brain default' command "$BASE/agent"
    printf 'x\ncheck: test -f mine && ! cat %s/key && ! touch %s/out\n' "$HOME_DIR" "$BASE" | pr send --to envoy --subject task >/dev/null
    (unset POSTRIDER_TEST_SANDBOX && turn)
    like "$(job_state) $(n_answers) $(answer)" 'done 1 done' 'the check runs behind the wall of the program'
    unlike "$(answer)" 'failed' 'where the home is not seen, and the job is'
else
    skip 'the check runs behind the wall' 'no bubblewrap here'
fi

done_testing
