#!/usr/bin/env bash
# A turn that was cut off: by a crash of the program, of the run or of the master, or by a drain. The session goes on.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/agent.sh"

run_pid() { db "SELECT owner_pid FROM job WHERE state = 'running'"; }
heard() { [ -n "$(session heard)" ]; }
gone() { ! kill -0 "$1" 2>/dev/null; }
agent_pid() { [ -s "$WORK/agent/pid" ]; }
waits_then_answers() # the first turn waits for ever, once
{
    rm -f "$WORK/agent/pid"
    agent_does <<S
text I look at it
sh [ -e $WORK/agent/pid ] || { echo \$PPID >$WORK/agent/pid.new; mv $WORK/agent/pid.new $WORK/agent/pid; }
wait $WORK/agent/go
result the answer
S
}
cut_off() { # HOW
    local id
    agent_home
    waits_then_answers
    pr config set postrider drain 1s
    start_serve || return
    id=$(echo "the task of $1" | pr send --to envoy --subject 'a task')
    ok "$1: it works" wait_for agent_pid
    ok "$1: and has read its page" wait_for heard
    first=$(session id)
    case $1 in
    agent) kill -KILL "$(cat "$WORK/agent/pid")" ;;
    run) kill -KILL "$(run_pid)" ;;
    master) kill_serve; kill -KILL "$(run_pid)"; start_serve ;;
    drain) stop_serve; is "$(db 'SELECT state, attempts FROM job')" 'queued|0' 'drain: no attempt is counted'; start_serve ;;
    esac
    ok "$1: the program is gone" wait_for gone "$(cat "$WORK/agent/pid")"
    : >"$WORK/agent/go"
    [ "$1" != agent ] || { wait_for job_is queued; pr continue 1 >/dev/null; }
    ok "$1: it is answered" wait_for you_have 'the answer'
    stop_serve
    is "$(mails_with 'the answer')" 1 "$1: once"
    is "$(starts)" 2 "$1: by a second process"
    like "$(start 2)" "--resume $first" "$1: of the same session"
    like "$(prompt 2)" 'Your last turn came to no answer' "$1: which hears so"
    like "$(prompt 2)" 'YOU HAVE READ, AND NOT ANSWERED' "$1: and which mail it is about"
    unlike "$(prompt 2)" "the task of $1" "$1: without its text"
    exits 0 "$1: what was shown is built again" pr show 1@1 --context
    is "$OUT" "$(prompt 2)" "$1: as the program had it"
}

for how in agent run master drain; do
    cut_off $how
done

# A program that died before it had said anything has read nothing: it is shown the mail.
agent_home
agent_does <<S
sh [ -e $WORK/agent/once ] || { : >$WORK/agent/once; kill -9 \$PPID; }
result the answer
S
echo 'the task' | pr send --to envoy --subject 'a task' >/dev/null
pr serve --once >/dev/null 2>&1
is "$(session began),$(session heard)" '1,' 'one that died early has a session, and has heard nothing'
pr continue 1 >/dev/null
pr serve --once >/dev/null 2>&1
ok 'it is answered' you_have 'the answer'
like "$(start 2)" '--resume' 'by the session'
like "$(prompt 2)" 'the task' 'which was shown the mail again'

# The same of a drained turn: an error of ours before the program began leaves no session to resume.
agent_home
pr config set 'brain default' command "$WORK/no-such-program"
echo 'the task' | pr send --to envoy --subject 'a task' >/dev/null
pr serve --once >/dev/null 2>&1
is "$(session began)" 0 'a program that never began has no session'
pr config set 'brain default' command "$AGENT --script $WORK/agent/script --state $WORK/agent/state"
pr continue 1 >/dev/null
pr serve --once >/dev/null 2>&1
like "$(start 1)" '--session-id' 'so it begins one'
done_testing
