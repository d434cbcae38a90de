#!/usr/bin/env bash
# STOP makes a question void and ends the wait for its answer; CONTINUE brings both back. Others of the same role keep theirs.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/permit.sh"
DAY=86400

ok 'a home' agent_home claude
script <<'END'
bash slow
result I wait
---
result I wait still
---
bash slow
result done
END
reminders() { got | xargs -r grep -l 'A reminder: job' | wc -l; }

mail_coder 'One' <<<'Do it.'
mail_coder 'Two' <<<'Do it too.'
is "$(asked) $(job_state 1) $(job_state 2)" '2 parked parked' 'two jobs ask'
ok 'one is stopped' pr stop 1
is "$(asked)" 1 'its question is void'
pass_at $DAY
is "$(reminders)" 1 'after a day there is one reminder'
like "$(last_text)" 'job 2 still waits' 'of the job that goes on'
ok 'the stopped one goes on' pr continue 1
once
is "$(asked) $(job_state 1)" '2 parked' 'and its question counts again'
pass_at $((2 * DAY - 1))
is "$(reminders)" 1 'the wait began anew'
pass_at $((2 * DAY))
is "$(reminders)" 2 'a day after that the owner is reminded'
like "$(last_text)" 'job 1 still waits' 'of it'
pass_at $((5 * DAY))
is "$(reminders)" 2 'once'
is "$(ran)" '' 'nothing ran'
ok 'the reminder is about a question that can be answered' pr approve "$(db "SELECT o.id FROM question q JOIN outbox o ON o.msgid = q.msgid WHERE q.job = 1 ORDER BY q.id DESC LIMIT 1")"
once
is "$(job_state 1) $(ran)" 'done Bash slow' 'and does what it should'
ok 'CANCEL' pr cancel 2
pass_at $((9 * DAY))
is "$(reminders) $(asked)" '2 0' 'ends the question for good'
done_testing
