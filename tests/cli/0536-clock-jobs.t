#!/usr/bin/env bash
# A clock that was a day ahead and is set back: jobs, and the brains that they wait for, do not wait for that day,
# but for their span.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
AHEAD=+86400

pr init >/dev/null
ahead() { POSTRIDER_CLOCK=$AHEAD pr "$@" 2>>"$WORK/log"; }
send() { echo x | ahead send --to envoy --subject "$1" >/dev/null; }
waits() { db "select ready_us > (strftime('%s', 'now') + 3600) * 1000000 from job order by id desc limit 1"; }

# Taken in by that clock, and not begun.
ahead account main --once # opens the mailbox: what lies there by then is old
send 'not begun'
ahead deliver
ahead account main --once
is "$(db 'select state from job') $(waits)" 'queued 1' 'a job is ready a day from now'
pr serve --once >/dev/null 2>"$WORK/once.log"
is "$(db 'select state from job')" 'done' 'serve --once works on it now'
like "$(cat "$WORK/once.log")" 'the clock was set back' 'and says why'

# Its brain was broken by that clock. What mends it is no setting: nobody is told.
mv "$HOME_DIR/scripts/hello" "$WORK/hello"
send broken
ahead deliver
ahead account main --once
ahead run
is "$(db 'select state from job order by id desc limit 1') $(waits)" 'queued 1' 'a job waits for its brain until tomorrow'
mv "$WORK/hello" "$HOME_DIR/scripts/hello"
pr serve --once >/dev/null 2>>"$WORK/log"
is "$(db "select count(*) from job where state = 'queued'")" 1 'and now for the five minutes that it was to wait'
export POSTRIDER_CLOCK=+301
start_serve
ok 'a master tries it then' wait_for has_answers 3 # and the word to the owner
is "$(db "select count(*) from job where state = 'done'")" 2 'both jobs are done'
stop_serve
unset POSTRIDER_CLOCK

# By the right clock it waits.
mv "$HOME_DIR/scripts/hello" "$WORK/hello"
echo x | pr send --to envoy --subject 'right clock' >/dev/null
pr serve --once >/dev/null 2>>"$WORK/log"
mv "$WORK/hello" "$HOME_DIR/scripts/hello"
pr serve --once >/dev/null 2>"$WORK/once.log"
is "$(db 'select state from job order by id desc limit 1')" queued 'a wait by the right clock is kept'
unlike "$(cat "$WORK/once.log")" 'set back' 'and no clock is blamed'
done_testing
