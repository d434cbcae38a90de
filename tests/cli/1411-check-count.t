#!/usr/bin/env bash
# How often the check of a mailed task has failed is known beyond the end of a run: three failures are three, whoever was killed.
. "$(dirname "$0")/../lib/tap.sh"
command -v jq >/dev/null || skip_all 'no jq'
. "$POSTRIDER_SRC/tests/lib/plan.sh"

task_home()
{
    rm -rf "$HOME_DIR"
    pr init >/dev/null
    pr config set 'brain default' command "$WORK/agent"
    pr config set postrider ack-after 0
    : >"$WORK/starts"
}
answer() { cat "$HOME_DIR"/mail/you/new/* 2>/dev/null; }
n_answers() { ls "$HOME_DIR/mail/you/new" 2>/dev/null | wc -l; }
count() { db 'SELECT checks_failed FROM job WHERE id = 1'; }
task() { printf '%s\n' "$@" | pr send --to envoy --subject task >/dev/null; }
hours=0
# A turn in which the run dies at this point, and time to pass until it is looked for.
die_turn() { POSTRIDER_DIE_AT=$1 turn; later; }
later() { export POSTRIDER_CLOCK=+$(((hours += 1) * 3600)); }
# The first turn finds that nobody has the job.
turns() { local i; for i in 1 2 3; do [ "$(job_state)" = done ] || { turn || bad="$bad $?"; later; }; done; }
bad=

task_home
agent 'echo "Done, try $n."'
task 'Make good.' 'check: test -f good'
die_turn check-counted
is "$(starts) $(count)" '1 1' 'a run is killed behind the first failure, which is counted'
die_turn check-counted
is "$(starts) $(count)" '2 2' 'and one behind the second'
turns
is "$(job_state) $(n_answers) $(starts)" 'done 1 3' 'after the third the answer leaves' || diag "$(cat "$WORK/turn.log")"
like "$(answer)" 'Done, try 3' 'with what the agent said last'
like "$(answer)" 'The check `test -f good` failed: exit 1' 'and says that its check failed'

task_home
agent '[ $n -lt 3 ] || touch good; echo "Done, try $n."'
task 'Make good.' 'check: test -f good'
die_turn check-counted
die_turn check-counted
turns
is "$(job_state) $(n_answers) $(starts)" 'done 1 3' 'a check that passes in a third run is passed'
unlike "$(answer)" 'failed' 'without a word of the others'

task_home
agent 'echo "Done, try $n."'
task 'Make good.' 'check: test -f good'
die_turn check-after
is "$(starts) $(count)" '1 0' 'a check that nobody has counted has not failed'
turns
is "$(job_state) $(n_answers) $(starts)" 'done 1 4' 'and three more may'

# The next round begins to count anew.
task_home
agent 'echo "Done, try $n."'
task 'Make good.' 'check: test -f good'
turns
first=$(db 'SELECT msgid FROM outbox WHERE job = 1 ORDER BY id LIMIT 1')
printf 'Once more.\n\ncheck: test -f good\n' | pr send --to envoy --in-reply-to "<$first>" >/dev/null
turn || bad="$bad $?"
turns
is "$(db 'SELECT round FROM job') $(job_state) $(n_answers) $(starts)" '2 done 2 6' 'three failures of an earlier round do not count in the next'

is "$bad" '' 'all turns end well' || diag "$(cat "$WORK/turn.log")"

done_testing
