#!/usr/bin/env bash
# Usage limits of a program's provider: all its jobs wait, no attempt counts, nobody knocks; and what its money is.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/agent.sh"

pass_once() { pr serve --once >/dev/null 2>"$WORK/once.log"; }
until_s() { db 'SELECT limited_until_us % 4000000000000000 / 1000000 FROM brain'; } # a moment that was named is kept apart
NOW=1794733200 # the clock stands still, and is moved on by hand
later() { NOW=$((NOW + $1)); export POSTRIDER_CLOCK=@$NOW; }
later 0

# A limit with a time.
agent_home
pr config set 'role envoy' max-cost 0.50
resets=$((NOW + 7200))
agent_does <<S
limit $resets
---
result back again
S
for i in 1 2 3; do echo "task $i" | pr send --to envoy --subject "task $i" >/dev/null; done
pass_once
is "$(starts)" 1 'one program finds it out'
is "$(db "SELECT count(*) FROM job WHERE state = 'queued' AND attempts = 0")" 3 'all jobs wait, and no attempt is counted'
is "$(until_s)" "$resets" 'until the time that was named'
is "$(mails_with "can't go on with this before")" 1 'whoever asked hears of it once'
for i in $(seq 100); do printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: more %s\nMessage-ID: <more%s@x.example>\n\ntask\n' $i $i >"$WORK/more.$i"; done
for i in $(seq 100); do pr receive --to envoy@postrider.local <"$WORK/more.$i" >/dev/null 2>&1 || pr sendmail -t <"$WORK/more.$i"; done
pass_once
is "$(db "SELECT count(*) FROM job WHERE state = 'queued'")" 103 '100 mails later'
is "$(starts)" 1 'no process more was started'
is "$(mails_with "can't go on with this before")" 1 'and nobody hears it again'
is "$(db "SELECT count(*) FROM job WHERE attempts > 0")" 0 'no attempt is counted'

later 7201
printf 'text I go on\nresult back again\n' | agent_does
pass_once
ok 'when the time has come it goes on' you_have 'back again'
is "$(mails_with 'I go on with this, at most \$0\.[45]')" 1 'and whoever asked has one line'
isnt "$(starts)" 1 'with all jobs'

# One without a time: five minutes, then longer.
agent_home
agent_does <<'S'
status 529
status 429
result back again
S
echo 'task' | pr send --to envoy --subject 'task' >/dev/null
pass_once
is "$(until_s)" $((NOW + 300)) 'a limit without a time: five minutes'
is "$(db "SELECT state, attempts FROM job")" 'queued|0' 'no attempt is counted'
later 1200
pass_once
is "$(until_s)" $((NOW + 1200)) 'twenty minutes later: as long again'
later 1201
pass_once
ok 'then it is answered' you_have 'back again'
like "$(start 3)" "--resume $(session id)" 'by the session that began'

# Money: what is left of the round is what the program may spend.
agent_home
pr config set 'role envoy' max-cost 0.50
agent_does <<'S'
cost 0.20
result first
---
cost 0.30
budget
cost 0.10
result third
S
id=$(echo 'task' | pr send --to envoy --subject 'task')
pass_once
like "$(start 1)" '--max-budget-usd 0\.5' 'what the round may cost is its budget'
is "$(db 'SELECT cost_micro FROM step')" 200000 'what it cost stands in its step'
reply "$id" 'more'
pass_once
like "$(start 2)" '--max-budget-usd 0\.5' 'a new round has its own'
is "$(db 'SELECT state FROM job')" stopped 'at the end of its budget the job stops'
ok 'whoever asked is told' you_have 'Reply CONTINUE \$1'
is "$(db 'SELECT cost_micro FROM job')" 500000 'what it cost counts'
reply "$id" 'CONTINUE $1'
pass_once
pass_once
ok 'with more money it goes on' you_have third
like "$(start 3)" '--max-budget-usd 1\.2' 'within that'
like "$(start 3)" "--resume $(session id)" 'in the same session'
done_testing
