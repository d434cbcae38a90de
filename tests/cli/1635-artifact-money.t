#!/usr/bin/env bash
# What all work on one artifact may cost: when it is spent the artifact pauses, whoever works on it, and the coordinator gets one
# blocker-report, whatever dies in between. CONTINUE with an amount lets it go on.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"
. "$(dirname "$0")/../lib/model.sh"
. "$(dirname "$0")/../lib/workflow.sh"
T0=1800000000
at() { local s=$1; shift; POSTRIDER_CLOCK=@$((T0 + s)) pr "$@"; }
calls() { cat "$WORK/fake.log" 2>/dev/null | wc -l; }
reports() { grep -rlE '^X-Event-Type: blocker-report' "$HOME_DIR/mail/you/new" 2>/dev/null | wc -l; }
of_auth() { db "SELECT m.report FROM artifact_money m JOIN artifact a ON a.id = m.artifact WHERE a.name LIKE '%user-auth%'"; }
once_at() { at "$1" serve --once >"$WORK/serve.out" 2>&1; at "$1" deliver 2>/dev/null; }
told() { grep -rlF -- "$1" "$HOME_DIR/mail/$2/new" 2>/dev/null | wc -l; }
# SECOND WHO ROLE TEXT [ID]: answers the report of the pause, and what follows is done
answer()
{
    at "$1" send --from "$2" --to "$3" --in-reply-to "<${5:-$(of_auth)}>" --subject 'Re: user-auth' <<<"$4" >/dev/null
    once_at "$1"
    once_at $(($1 + 1))
}
# ROLE [DOOR]: a home with a limit of two dollars, where a model of the role thinks on for ever
begin()
{
    workflow_home
    cd "$ROOT" || exit 1
    no_person "$1"
    many 30 '{"working_note":"note NNN","write_notes":[{"key":"scratch/nNNN","content":"text NNN"}]}'
    dear_model "$@"
    pr config set 'artifact spec' max-cost 2
}
PAUSED='specs/*/user-auth.md pauses: the work on it has cost what it may'

begin spec-reviewer
at 0 notify --from spec-writer --quiet review-request "$SPEC" spec-reviewer >/dev/null
once_at 0
is "$(calls) $(reports)" '2 1' 'at two dollars it stops within its run, and the coordinator gets one report'
is "$(db 'SELECT state, attempts, why FROM job')" "queued|0|$PAUSED" 'its job waits, and none of its attempts counts'
is "$(db 'SELECT count(*) FROM role_pause')" 0 'its role does not pause'
report=$(grep -rlE '^X-Event-Type: blocker-report' "$HOME_DIR/mail/you/new")
like "$(tr '\n' ' ' <"$report")" 'specs/\*/user-auth\.md is paused: the work on it has cost \$2\.00, and it may cost \$2\.00\..*1 reviews, 0 blocker-reports, 0 questions.*CONTINUE \$5' 'the report has the sum, counts, and how it goes on'
like "$(at 60 status)" "the artifact 'specs/\*/user-auth\.md' has been paused for 60 s: the work on it has cost what it may" 'status shows the pause'
is "$(at 60 --json artifact list | python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["waits_for"])')" you 'on the board it waits for the coordinator'
like "$(pr cost --by artifact)" 'specs/\*/user-auth\.md.* \$2\.00' 'cost tells the same sum'
for s in 4000 8000; do once_at $s; done
is "$(calls) $(reports)" '2 1' 'it looks again each hour, asks nothing, and nobody is told again'
echo 'Another one.' >specs/proposed/other.md
at 8001 notify --from spec-writer --quiet review-request specs/proposed/other.md spec-reviewer >/dev/null
once_at 8001
is "$(calls) $(reports)" '4 2' 'the role works on another artifact meanwhile, which has a limit of its own'
printf '[person guest]\naddress = guest@workflow.local\nmay = ask\n' >>"$HOME_DIR/postrider.conf"
answer 8010 guest spec-reviewer 'CONTINUE $1'
is "$(calls) $(told 'Nothing was changed' guest)" '4 1' 'who may only ask lets it cost nothing more, and is told so'
answer 8020 you spec-reviewer STOP
is "$(calls)" 4 'nor does STOP'
answer 8030 you spec-reviewer 'CONTINUE $1'
is "$(calls) $(reports) $(told 'Done: specs/*/user-auth.md may cost $1.00 more' you)" '5 3 1' 'CONTINUE $1 lets it cost a dollar more, then it pauses again'
answer 8040 you spec-reviewer 'Go on with it.'
is "$(reports)" 4 'other words let it cost as much once more'
is "$(db "SELECT limit_micro / 1000000 FROM artifact_money m JOIN artifact a ON a.id = m.artifact WHERE a.name LIKE '%user-auth%'")" 5 'of two dollars'
at 8045 cancel 3 >/dev/null # what the role makes of these words is another job
before=$(calls)
at 8050 continue --money 1 1 >/dev/null
once_at 8050
is "$(calls) $(reports)" "$((before + 1)) 5" 'and continue with an amount lets it cost that'
pr config set 'artifact spec' max-cost 7
once_at 12000
is "$(calls)" $((before + 2 + 5)) 'what the settings allow counts within the hour, for both artifacts'
pr config set 'artifact spec' max-cost 0
once_at 16000
ok 'without a limit it goes on' test "$(calls)" -gt $((before + 8))
unlike "$(at 16001 status)" 'the artifact' 'and does not pause'

# --- two runs at the same time ---
shut_door
begin spec-reviewer 1
pr config set 'artifact spec' max-cost 1
no_person platform-lead
pr config set 'role platform-lead' brain dear
at 0 notify --from spec-writer --quiet review-request "$SPEC" spec-reviewer NEXT_ROLES=platform-lead >/dev/null
at 0 deliver
at 0 account main --once 2>/dev/null
is "$(db 'SELECT count(*) FROM job')" 2 'two roles have a job about it'
waits() { [ "$(db "SELECT count(*) FROM job WHERE why LIKE 'the calls that are under way may spend the rest%'")" = 1 ]; }
RUNS=()
for i in 1 2; do
    POSTRIDER_CLOCK=@$T0 "$PR_BIN" --home "$HOME_DIR" run "$i" 2>>"$WORK/runs.log" </dev/null &
    RUNS+=($!)
done
ok 'one asks, and the other waits for what that will cost' wait_for waits
open_door
wait "${RUNS[@]}"
once_at 60
is "$(calls) $(reports)" '1 1' 'one dollar was spent of one, and there is one report'
is "$(db "SELECT count(*) FROM job WHERE state = 'queued' AND why = '$PAUSED'")" 2 'both wait now'
from=$(db 'SELECT sender FROM event ORDER BY id DESC LIMIT 1')
answer 70 you "$from" 'CONTINUE $2'
is "$(calls) $(reports)" '3 2' 'and an answer lets them go on'

# --- a panel ---
begin spec-reviewer
for _ in 1 2 3; do echo '{"verdict":"approve","assessment":"Good.","findings":[]}'; done >"$HOME_DIR/scripts/steps.jsonl"
dear_model envoy
printf '[panel spec-reviewer-panel]\nmembers = dear, envoy, spec-reviewer\n' >>"$HOME_DIR/postrider.conf"
at 0 notify --from spec-writer --quiet review-request "$SPEC" spec-reviewer-panel >/dev/null
for s in 0 1 2; do once_at $s; done
is "$(calls) $(reports) $(db 'SELECT state FROM panel')" '2 1 open' 'of three members two are asked, and one waits'
answer 10 you spec-reviewer-panel 'CONTINUE $1'
for s in 20 21; do once_at $s; done
is "$(calls) $(db 'SELECT state, verdict FROM panel')" '3 closed|approve' 'an answer to the panel lets it go on'

begin spec-reviewer
for _ in 1 2 3; do echo '{"verdict":"approve","assessment":"Good.","findings":[]}'; done >"$HOME_DIR/scripts/steps.jsonl"
dear_model envoy
pr config set 'artifact spec' max-cost 0
pr config set postrider max-cost-per-day 2
printf '[panel spec-reviewer-panel]\nmembers = dear, envoy, spec-reviewer\n' >>"$HOME_DIR/postrider.conf"
at 0 notify --from spec-writer --quiet review-request "$SPEC" spec-reviewer-panel >/dev/null
for s in 0 1 2; do once_at $s; done
is "$(calls) $(db "SELECT count(*) FROM job WHERE why = 'the budget of the day is spent'") $(db 'SELECT state FROM panel')" '2 1 open' 'a member waits for the money of the day too'
for s in 57601 57602; do once_at $s; done # midnight has come
is "$(calls) $(db 'SELECT state, verdict FROM panel')" '3 closed|approve' 'and is asked when there is some'

# --- dying while the pause is written down ---
begin spec-reviewer
notify spec-writer review-request "$SPEC" spec-reviewer >/dev/null
POSTRIDER_DIE_AT=artifact-reported pr serve --once >/dev/null 2>&1
is "$(calls) $(reports) $(db 'SELECT count(*) FROM artifact_money')" '2 0 0' 'a run that dies there has told nobody'
for s in 100 2000; do POSTRIDER_CLOCK=@$(($(date +%s) + s)) pr serve --once >/dev/null 2>&1; done
pr deliver 2>/dev/null
is "$(reports) $(db "SELECT count(*) FROM artifact_money WHERE report <> ''")" '1 1' 'the next pauses the artifact, and tells it once'

# --- a lost store ---
asked=$(calls)
rm -rf "$HOME_DIR/state"
pr serve --once >/dev/null 2>&1
notify spec-writer answer "$SPEC" spec-reviewer CONTEXT='Look again.' >/dev/null
did
is "$(calls) $(reports)" "$asked 2" 'what it had cost is read from the report: nothing is asked, and the coordinator hears it once more'
did
is "$(calls) $(reports)" "$asked 2" 'once'
pr send --from you --to spec-reviewer --in-reply-to "<$(of_auth)>" --subject 'Re: user-auth' <<<'CONTINUE $1' >/dev/null
did
is "$(calls)" $((asked + 1)) 'until somebody lets it go on'
done_testing
