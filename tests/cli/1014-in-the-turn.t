#!/usr/bin/env bash
# While a program works: what it does is seen, mail reaches it in its turn, STOP ends that at once.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/agent.sh"

says() { pr show 1 | grep -q "$1"; }
says_after() { pr --json show 1 | grep -q "$1"; }
agent_pid() { [ -s "$WORK/agent/pid" ]; }
gone() { ! kill -0 "$1" 2>/dev/null; }

agent_home
agent_does <<S
sh echo \$PPID >$WORK/agent/pid.new; mv $WORK/agent/pid.new $WORK/agent/pid
text I look at it $(printf '\033[31m') now
bash : >$WORK/agent/at-work
wait $WORK/agent/go
result done: {told}
S
start_serve || done_testing
id=$(echo 'the first task' | pr send --to envoy --subject 'a task')
ok 'it works' wait_for test -e "$WORK/agent/at-work"
ok 'show says what it does' wait_for says 'ago it said: Bash: : >'
ok 'as JSON too' says_after '"what": "tool"'
unlike "$(pr show 1)" $'\033' 'escaped'
reply "$id" 'STATUS'
ok 'STATUS says it by mail' wait_for you_have 'ago it said: Bash'
pr watch 1 >"$WORK/watch.out" 2>&1 &
watch=$!
ok 'watch shows what it does' wait_for grep -q 'doing .*Bash: : >' "$WORK/watch.out"
ok 'and said before' grep -q 'doing .*I look at it' "$WORK/watch.out"

reply "$id" $'and mind the second thing\n'
told() { grep -q 'told .*you@postrider.local' "$WORK/watch.out"; }
ok 'mail that comes is told to it' wait_for told
is "$(db "SELECT state FROM message WHERE class <> 'order' ORDER BY id DESC LIMIT 1")" stored 'and is not shown yet: it was not taken up'
: >"$WORK/agent/go"
ok 'it is answered in the same turn' wait_for you_have 'done: .*and mind the second thing\|MAIL THAT CAME WHILE'
ok 'the job is done' wait_for job_is done
wait "$watch"
is "$?" 0 'watch ends with it'
is "$(starts)" 1 'by one process'
like "$(said told 1)" 'MAIL THAT CAME WHILE YOU WORKED, SENDER IS somebody you work for' 'with a fence'
like "$(said told 1)" 'and mind the second thing' 'and its text'
is "$(db "SELECT count(*) FROM message WHERE class <> 'order' AND state = 'handled'")" 2 'both mails are settled'
is "$(db 'SELECT round, steps FROM job')" '1|1' 'in one round, by one step'
is "$(db 'SELECT count(*) FROM doing')" 0 'what it did meanwhile is not kept'
exits 0 'what was shown is built again' pr show 1@1 --context
like "$OUT" 'and mind the second thing' 'with the mail'
stop_serve

# A program that ends before it has taken the mail up: the mail is the next run's.
agent_home
agent_does <<S
sh : >$WORK/agent/at-work; while [ ! -e $WORK/agent/go ]; do sleep 0.05; done
die
S
start_serve || done_testing
id=$(echo 'the first task' | pr send --to envoy --subject 'a task')
ok 'it works' wait_for test -e "$WORK/agent/at-work"
reply "$id" 'the second thing'
two() { [ "$(db "SELECT count(*) FROM message WHERE class <> 'order'")" = 2 ]; }
ok 'a mail comes' wait_for two
: >"$WORK/agent/go"
ok 'the program dies' wait_for job_is queued
is "$(db "SELECT count(*) FROM message WHERE class <> 'order' AND state = 'stored'")" 1 'the mail was not shown'
printf 'result both\n' | agent_does
pr continue 1 >/dev/null
ok 'it is tried again' wait_for job_is done
like "$(prompt 2)" 'the second thing' 'and has the mail on its page'
stop_serve

# Others hear of it in the next run.
agent_home codex
agent_does <<S
bash : >$WORK/agent/at-work
wait $WORK/agent/go
result first
---
result second
S
start_serve || done_testing
id=$(echo 'the first task' | pr send --to envoy --subject 'a task')
ok 'codex works' wait_for test -e "$WORK/agent/at-work"
reply "$id" 'the second thing'
wait_for two
: >"$WORK/agent/go"
ok 'both are answered' wait_for you_have second
is "$(starts)" 2 'by two processes'
like "$(prompt 2)" 'the second thing' 'the second has the mail'
stop_serve

# STOP.
for kind in claude codex; do
    agent_home $kind
    agent_does <<S
sh echo \$PPID >$WORK/agent/pid.new; mv $WORK/agent/pid.new $WORK/agent/pid
bash sleep 600
S
    start_serve || done_testing
    id=$(echo 'the first task' | pr send --to envoy --subject 'a task')
    ok "$kind works" wait_for agent_pid
    pid=$(cat "$WORK/agent/pid")
    ran() { [ "$(said ran)" = 1 ]; }
    ok "$kind: at its tool" wait_for ran
    reply "$id" 'STOP'
    wait_for job_is stopped
    began=${EPOCHREALTIME/./}
    ok "$kind: STOP ends it" wait_for gone "$pid"
    took=$(((${EPOCHREALTIME/./} - began) / 1000))
    [ "$took" -le 2000 ] && pass "$kind: within 2 s" || fail "$kind: within 2 s" "$took ms"
    stop_serve
done
done_testing
