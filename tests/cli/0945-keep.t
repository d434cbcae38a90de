#!/usr/bin/env bash
# [keep]: what goes of a job that has ended, when, and what never does.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/steps.sh"

DAY=86400
# A pass so many days later; two of them, since the first is one to count from.
later() { for s in 0 7200; do POSTRIDER_CLOCK=+$(($1 * DAY + s)) pr serve --once >/dev/null 2>&1; done; }
context() { pr show "$1" --context; }

ok 'a home whose agent works in steps' steps_home
printf '\n[brain tool]\ncommand = sh -c "touch kept; echo ok"\n[role worker]\nbrain = tool\n' >>"$HOME_DIR/postrider.conf"
answers <<'END'
{"status":"continue","current_phase":"working","working_note":"first"}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"Done."}]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"Again."}]}
END
mail_in 'Two steps' <<<'Please do.'
pr send --to worker --subject tool <<<x >/dev/null
pr serve --once >/dev/null 2>&1
ok 'a program has worked in its folder' test -e "$HOME_DIR/work/worker/2/kept"

later 13
ok 'after 13 days the folder is there' test -e "$HOME_DIR/work/worker/2/kept"
later 15
not_ok 'after 15 days it is gone' test -e "$HOME_DIR/work/worker/2"
not_ok 'wholly' test -e "$HOME_DIR/work/.gone"
ok 'what a step was shown is there' context 1@1

run env POSTRIDER_CLOCK=+$((31 * DAY)) "$PR_BIN" --home "$HOME_DIR" doctor
like "$OUT" 'note: of jobs that have ended, older than \[keep\] contexts; serve lets them go by and by: 3 contexts of steps' 'doctor says what could go'
later 31
not_ok 'after 31 days it is gone' context 1@1
like "$ERR" 'step 1 keeps no record of what was shown' 'in words'
like "$(pr show 1@1)" '"working_note": ?"first"' 'what it said is there'
exits 65 'no fork of what is not kept' pr fork 1@1
like "$ERR" 'no longer kept; fork a newer step' 'in words'
mail=$(find "$HOME_DIR/mail" -type f | wc -l)
later 366
unlike "$(pr show 1@1)" 'working_note' 'after 366 days that is gone'
like "$(pr job log 1)" $'1 .*\n.*2 ' 'the log still has both steps'
is "$(pr --json cost --by job | python3 -c 'import json,sys; print(json.load(sys.stdin)["steps"])')" 3 'and so have the costs'
is "$(find "$HOME_DIR/mail" -type f | wc -l)" "$mail" 'no mail is gone'
like "$(pr doctor)" 'all is well' 'doctor has nothing to say'

# Whoever writes again is answered, from the last step on.
asked=$(db 'SELECT original_msgid FROM job WHERE id = 1')
POSTRIDER_CLOCK=+$((400 * DAY)) pr send --to envoy --in-reply-to "<$asked>" --subject 'Re: Two steps' <<<'And now?' >/dev/null
asked=$(db 'SELECT original_msgid FROM job WHERE id = 2')
POSTRIDER_CLOCK=+$((400 * DAY)) pr send --to worker --in-reply-to "<$asked>" --subject 'Re: tool' <<<'And now?' >/dev/null
POSTRIDER_CLOCK=+$((400 * DAY)) pr serve --once >/dev/null 2>&1
like "$(newest)" 'Again\.|ok' 'an old thread goes on'
is "$(db 'SELECT id, state, round FROM job ORDER BY id')" $'1|done|2\n2|done|2' 'both do'
ok 'in a new folder' test -e "$HOME_DIR/work/worker/2/kept"

# For ever, and what is no time.
pr config set keep work 0
later 9000
ok 'work = 0 keeps it for ever' test -e "$HOME_DIR/work/worker/2/kept"
exits 78 'a setting that is no time' pr config set keep work soon
exits 78 'no log file at all' pr config set keep logs 0

# A fork of a round before the newest: what its steps were shown nobody knows any more.
python3 -c 'import sqlite3,sys; d=sqlite3.connect(sys.argv[1]); d.execute("UPDATE job SET round = 3, floor = ? WHERE id = 1", ["operator"]); d.commit()' \
    "$HOME_DIR/state/postrider.db"
ok 'the last step can be forked' pr fork 1@3
is "$(db 'SELECT round, floor FROM job WHERE id = 3')" '2|anyone' 'and counts as one that was shown anybody'"'"'s words'
pr cancel 3 >/dev/null

done_testing
