#!/usr/bin/env bash
# What the work of a role may cost on one day: when it is spent the role pauses until the next, and the coordinator gets one
# blocker-report, whatever dies in between.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"
. "$(dirname "$0")/../lib/model.sh"
. "$(dirname "$0")/../lib/workflow.sh"
T0=1800000000 # midnight was eight hours ago
NEXT=57600    # the next
at() { local s=$1; shift; POSTRIDER_CLOCK=@$((T0 + s)) pr "$@"; }
calls() { cat "$WORK/fake.log" 2>/dev/null | wc -l; }
reports() { grep -rlE '^X-Event-Type: blocker-report' "$HOME_DIR/mail/you/new" 2>/dev/null | wc -l; }
paused() { db 'SELECT role, why FROM role_pause'; }
once_at() { at "$1" serve --once >"$WORK/serve.out" 2>&1; at "$1" deliver 2>/dev/null; }
model() { many 30 '{"working_note":"note NNN","write_notes":[{"key":"scratch/nNNN","content":"text NNN"}]}'; dear_model "$1"; pr config set "role $1" max-cost-per-day 2; }

workflow_home
cd "$ROOT" || exit 1
no_person spec-reviewer
model spec-reviewer
at 0 notify --from spec-writer --quiet review-request "$SPEC" spec-reviewer >/dev/null
once_at 0
is "$(calls) $(reports)" '2 1' 'at two dollars it stops within its run, and the coordinator gets one report'
is "$(paused)" 'spec-reviewer|its work has cost $2.00 today, and max-cost-per-day of the role is $2.00' 'the role pauses'
is "$(db 'SELECT state FROM job')" queued 'its job waits'
report=$(grep -rlE '^X-Event-Type: blocker-report' "$HOME_DIR/mail/you/new")
like "$(tr '\n' ' ' <"$report")" 'user-auth.*has cost \$2\.00 today.*1 reviews, 0 blocker-reports, 0 questions.*goes on by itself tomorrow \(UTC\)' 'the report has the artifact, counts, and how it goes on'
once_at 1
once_at 30000
is "$(calls) $(reports)" '2 1' 'nothing more is asked on that day, and nobody is told again'
once_at $((NEXT + 1))
is "$(calls) $(reports)" '4 2' 'the next day it goes on by itself, up to two dollars more'
id=$(grep -rlE '^X-Event-Type: blocker-report' "$HOME_DIR/mail/you/new" | xargs ls -t | head -1 | xargs sed -n 's/^Message-ID: //p')
at $((NEXT + 2)) send --from you --to spec-reviewer --in-reply-to "$id" --subject 'Re: user-auth' <<<'Go on.' >/dev/null
once_at $((NEXT + 2))
once_at $((NEXT + 3))
is "$(calls) $(reports)" '6 3' 'a person who answers the report lets it spend as much once more'
printf '[person guest]\naddress = guest@workflow.local\nmay = ask\n' >>"$HOME_DIR/postrider.conf"
id=$(db 'SELECT report FROM role_pause')
at $((NEXT + 4)) send --from guest --to spec-reviewer --in-reply-to "<$id>" --subject 'Re: user-auth' <<<'Go on.' >/dev/null
once_at $((NEXT + 4))
once_at $((NEXT + 5))
is "$(calls) $(reports) $(db 'SELECT count(*) FROM role_pause')" '6 3 1' 'who may only ask lets it spend nothing'
# Midnight comes, and what the new day has cost is written down before the timer is acted on.
sqlite3 "$HOME_DIR/state/postrider.db" 'UPDATE role_money SET day = day + 1, spent_micro = 1000000'
once_at $((NEXT + 86401))
is "$(calls) $(reports)" '7 4' 'what the new day has cost stays counted as the pause ends'
pr role resume spec-reviewer >/dev/null
pr role pause spec-reviewer >/dev/null
once_at $((2 * NEXT + 86400))
is "$(db 'SELECT role FROM role_pause')" spec-reviewer 'who is paused by a person stays so on the next day'

# --- dying while the pause is written down ---
workflow_home
cd "$ROOT" || exit 1
no_person spec-reviewer
model spec-reviewer
notify spec-writer review-request "$SPEC" spec-reviewer >/dev/null
POSTRIDER_DIE_AT=role-reported pr serve --once >/dev/null 2>&1
is "$(calls) $(reports) $(db 'SELECT count(*) FROM role_pause')" '2 0 0' 'a run that dies there has told nobody'
for s in 100 2000; do POSTRIDER_CLOCK=@$(($(date +%s) + s)) pr serve --once >/dev/null 2>&1; done
pr deliver 2>/dev/null
is "$(reports) $(db 'SELECT count(*) FROM role_pause')" '1 1' 'the next pauses the role, and tells it once'

# --- without a workflow ---
fake_end
loop_home
model envoy
at 0 inject --subject s --run </dev/null >/dev/null
once_at 1
is "$(calls) $(reports)" '2 1' 'in a home without a workflow the owner hears it'
id=$(grep -rlE '^X-Event-Type: blocker-report' "$HOME_DIR/mail/you/new" | xargs sed -n 's/^Message-ID: //p')
at 3 send --from you --to envoy --in-reply-to "$id" --subject 'Re: general' <<<'Go on.' >/dev/null
once_at 3
is "$(calls) $(reports)" '4 2' 'and an answer lets it go on'
done_testing
