#!/usr/bin/env bash
# Checks: complete means that postrider ran the check and it passed, whoever says so; only a person goes past it.
. "$(dirname "$0")/../lib/tap.sh"
command -v jq >/dev/null || skip_all 'no jq'
export POSTRIDER_HOME=/dev/null/none
unset CLAUDE_CODE_SESSION_ID CODEX_SESSION_ID MAX_ITERATIONS CONTINUATION_LEVEL
state=.pilot/state/continuation.json
p() { "$PR_BIN" "$@"; }
st() { jq -r "$1" $state | paste -sd' '; }
at_terminal() { python3 -c 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' "$@"; }
has_terminal() { python3 -c 'import os; os.openpty()' 2>/dev/null; }
hook() { printf "$2" "$PWD" | p hook "$1"; }
begin() # PLAN-LINES...: a new plan, owned by session s
{
    p plan cancel >/dev/null 2>&1
    rm -rf .pilot
    printf -- '%s\n' "$@" >PLAN.md
    p plan execute --session s PLAN.md >/dev/null
}
mkdir "$WORK/p" && cd "$WORK/p" || exit 1

# plan mark
begin '- [ ] SC-1: a (check: cat said; test -f good)'
echo 'it is not good' >said
exits 1 'a check that fails' p plan mark SC-1 complete --session s
is "$OUT" 'it is not good' 'its output is shown'
is "$ERR" "postrider: 'SC-1' is not complete: its check failed (exit 1)" 'and what it means'
is "$(st '.todos[0] | .status, .iteration, .why')" 'pending 1 exit 1' 'the todo stays as it was, and the try is counted'
is "$(tail -n 1 .pilot/state/log.jsonl | jq -r '.act, .check, .output' | paste -sd'|')" 'mark|exit 1|it is not good' 'the log keeps it'
touch good
ok 'a check that passes' p plan mark SC-1 complete --session s
is "$(st '.todos[0] | .status, .iteration') $(tail -n 1 .pilot/state/log.jsonl | jq -r .check)" 'complete 2 exit 0' 'completes it'
rm good
ok 'what is complete is not checked again' p plan mark SC-1 complete --session s

# Where it runs, how long, and what it leaves behind.
begin '- [ ] SC-1: a (check: pwd >where; ps -o pgid= -p $$ | tr -d " " >group; echo $$ >pid)'
mkdir -p sub && (cd sub && p plan mark SC-1 complete)
is "$(cat where)" "$PWD" 'a check runs in the project folder'
is "$(cat group)" "$(cat pid)" 'in a process group of its own'
begin '- [ ] SC-1: a (check: seq 100000)'
p plan mark SC-1 complete
is "$(tail -n 1 .pilot/state/log.jsonl | jq -r .output | tail -n 1) $(tail -n 1 .pilot/state/log.jsonl | jq -r '.output | utf8bytelength <= 4096')" '100000 true' 'the last 4 KB of its output are kept'
begin '- [ ] SC-1: a (check: sleep 1000 & echo $! >daemon; true)'
ok 'a check that leaves something running ends' p plan mark SC-1 complete
wait_for eval '! kill -0 "$(cat daemon)" 2>/dev/null' && pass 'and what it left in its group is killed' || fail 'a process is left'
begin '- [ ] SC-1: a (check: setsid sh -c "echo \$\$ >daemon; sleep 1000" >/dev/null 2>&1 & while ! [ -s daemon ]; do :; done)'
rm -f daemon
ok 'a daemon is not waited for' p plan mark SC-1 complete
kill "$(cat daemon)"
begin '- [ ] SC-1: a (check: trap "" TERM; while :; do sleep 1; done)'
POSTRIDER_PATIENCE=1 exits 1 'a check that never ends is ended' p plan mark SC-1 complete
like "$ERR" 'its check failed \(ran longer than 1 s\)' 'and has failed'
begin '- [ ] SC-1: a (check: test "$(echo "(a)")" = "(a)")'
ok 'brackets within a command' p plan mark SC-1 complete
begin '- [ ] SC-1: a (check: no-such-command-here)'
exits 1 'a command that is none' p plan mark SC-1 complete

# state write, ticks, tasks
begin '- [ ] SC-1: a (check: test -f good)' '- [ ] SC-2: b'
exits 1 'state write that says complete runs it, too' p state write --todos '[{"id":"SC-1","status":"complete"},{"id":"SC-2","status":"complete"}]'
is "$(st '.todos[].status')" 'pending complete' 'and what failed is not complete'
exits 1 'a check in --todos does not count' p state write --todos '[{"id":"SC-1","status":"complete","check":"true"},{"id":"SC-2","status":"complete"}]'
is "$(st '.todos[0].check')" 'test -f good' 'it is fixed'
sed -i 's/\[ \] SC-1/[x] SC-1/' PLAN.md
run p plan next
like "$ERR" "'SC-1' was ticked, but its check failed: exit 1" 'a tick runs it, too'
is "$(st '.todos[0].status') $(grep -c '\[ \] SC-1' PLAN.md)" 'pending 1' 'and is taken back'
done_task='{"session_id":"s","cwd":"%s","hook_event_name":"TaskCompleted","task_id":"1","task_subject":"SC-1: do a","task_description":""}'
run hook task "$done_task"
is "$STATUS" 2 'the task hook runs it, too, and refuses with exit status 2'
like "$ERR" 'SC-1 is not complete: its check failed \(exit 1\)' 'saying why'
touch good
run hook task "$done_task"
is "$STATUS $(st '.todos[0].status')" '0 complete' 'or completes it'
rm good

# Changed checks
begin '- [ ] SC-1: a (check: false)'
sed -i 's/(check: false)/(check: true)/' PLAN.md
exits 1 'a check that was changed in the plan does not count' p plan mark SC-1 complete --session s
like "$(p plan show)" 'its check was changed: postrider plan accept' 'show says so'
exits 77 'accepting it is for a person' p plan accept
exits 77 'and so is --force' p plan mark SC-1 complete --force
if has_terminal; then
    CLAUDE_CODE_SESSION_ID=s exits 77 'below the owner it is refused' at_terminal "$PR_BIN" plan accept
    CLAUDE_CODE_SESSION_ID=s exits 77 'so is --force' at_terminal "$PR_BIN" plan mark SC-1 complete --force
    # Without the variable: an ancestor is the process of the session that owns the plan.
    me=$(awk '{print $22}' /proc/$$/stat)
    jq --argjson start "$me" --arg boot "$(cat /proc/sys/kernel/random/boot_id)" --argjson space "$(stat -Lc %i /proc/self/ns/pid)" \
        ".sessions[0] += {pid: $$, start: \$start, boot: \$boot, space: \$space}" $state >t && mv t $state
    exits 77 'also when the environment was cleaned' at_terminal "$PR_BIN" plan accept
    jq '.sessions[0] |= del(.pid)' $state >t && mv t $state
    exits 0 'a person accepts' at_terminal "$PR_BIN" plan accept
    is "$(st '.todos[0].check') $(tail -n 1 .pilot/state/log.jsonl | jq -c '[.act, .todos]')" 'true ["accept",["SC-1"]]' 'it is logged'
    ok 'and counts' p plan mark SC-1 complete --session s
    begin '- [ ] SC-1: a (check: false)'
    exits 0 'a person forces' at_terminal "$PR_BIN" plan mark SC-1 complete --force
    is "$(st .status) $(tail -n 1 .pilot/state/log.jsonl | jq -c '[.act, .forced]')" 'complete ["mark",true]' 'which is logged'
else
    skip 'a person at a terminal' 'none can be opened here'
fi

# What happens while a check runs counts more.
shut_door
begin "- [ ] SC-1: a (check: echo >'$WORK/ready'; read -r x <'$WORK/door'; true)"
"$PR_BIN" plan mark SC-1 complete 2>"$WORK/err" &
mark=$!
wait_for test -s "$WORK/ready"
p plan cancel >/dev/null
open_door
wait $mark
is "$? $(st '.status, .todos[0].status')" '65 cancelled pending' 'a check that passes after a cancel completes nothing'

# An agent may not drop a todo either.
begin '- [ ] SC-1: a (check: false)' '- [ ] SC-2: b'
CLAUDE_CODE_SESSION_ID=s exits 77 'an owner does not drop an open todo' p state write --todos '[{"id":"SC-2","status":"pending"}]'
is "$(st '.todos[].id')" 'SC-1 SC-2' 'it is still there'

done_testing
