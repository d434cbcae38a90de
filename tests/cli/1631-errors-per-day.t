#!/usr/bin/env bash
# A role whose tries fail too often on one day pauses until the next; the coordinator hears it once, with counts. And what the
# work on each artifact has cost.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"
. "$(dirname "$0")/../lib/workflow.sh"
at() { export POSTRIDER_CLOCK=@$1; }
pass_at() { at "$1"; pr serve --once >/dev/null 2>&1; }
tries() { wc -l <"$WORK/tries"; }
reports() { grep -rlE '^X-Event-Type: blocker-report' "$HOME_DIR/mail/you/new" 2>/dev/null | wc -l; }
paused() { db "SELECT role, why FROM role_pause"; }
NOON=1795003200 # of 2026-11-18, UTC
NEXT=1795046400 # the midnight behind it

at $NOON
workflow_home
cd "$ROOT" || exit 1
pr config set workflow errors-per-day 3
: >"$WORK/tries"
program_role spec-reviewer <<END
echo try >>'$WORK/tries'
echo 'The disk is on fire.' >&2
exit 3
END
notify spec-writer review-request "$SPEC" spec-reviewer >/dev/null
pass_at $NOON
pass_at $((NOON + 100))
is "$(tries) $(reports) $(paused)" '2 0 ' 'two tries failed: its budget is not spent'
pass_at $((NOON + 1000))
is "$(tries) $(reports)" '3 1' 'the third spends it, and the coordinator hears it'
like "$(paused)" '^spec-reviewer\|3 of its tries failed today, which is all that errors-per-day allows; the last: ' 'the role pauses'
like "$(pr status)" "the role 'spec-reviewer' has been paused" 'status says so'
report=$(grep -rlE '^X-Event-Type: blocker-report' "$HOME_DIR/mail/you/new")
like "$(tr '\n' ' ' <"$report")" 'user-auth.*3 of its tries failed today.*1 reviews, 0 blocker-reports, 0 questions' 'the report has the artifact and counts'
like "$(tr '\n' ' ' <"$report")" 'goes on by itself tomorrow \(UTC\)' 'and says that it goes on'
pass_at $((NOON + 30000))
is "$(tries) $(reports)" '3 1' 'nothing more is tried on that day, and nobody is told again'

pass_at $((NEXT + 1))
is "$(paused)" '' 'the next day it goes on by itself'
pass_at $((NEXT + 2))
is "$(tries) $(reports)" '4 1' 'its work is tried again, and counting begins anew'

# --- resumed by hand: that pause is over, and another one does not end at midnight ---
notify spec-writer review-request "$SPEC" spec-reviewer >/dev/null
for at in 10 200 1500 5000; do pass_at $((NEXT + at)); done
like "$(paused)" '^spec-reviewer\|3 of its tries' 'it pauses on the second day, too'
exits 0 'a person lets it go on' pr role resume spec-reviewer
pr role pause spec-reviewer >/dev/null
pass_at $((NEXT + 86401))
is "$(db 'SELECT role FROM role_pause')" spec-reviewer 'who is paused by a person stays so'
pr role resume spec-reviewer >/dev/null

# --- what failed the day before counts no more ---
for job in $(db 'SELECT id FROM job'); do pr stop "$job" >/dev/null 2>&1; done
notify spec-writer review-request "$SPEC" spec-reviewer >/dev/null
before=$(tries)
for at in 30 200; do pass_at $((NEXT + 2 * 86400 + at)); done
for at in 30 3000; do pass_at $((NEXT + 3 * 86400 + at)); done
is "$(paused)" '' 'two tries that failed on each of two days are no reason'
is "$(tries)" $((before + 4)) 'though they were made'

# --- no limit ---
pr config set workflow errors-per-day 0
before=$(tries)
notify spec-writer review-request "$SPEC" spec-reviewer >/dev/null
for at in 30 200 1000 5000; do pass_at $((NEXT + 4 * 86400 + at)); done
is "$(paused)" '' '0 is no limit'
ok 'it was tried' test "$(tries)" -gt $((before + 3))

# --- cost by artifact ---
unset POSTRIDER_CLOCK
cd "$WORK" || exit 1
workflow_home
cd "$ROOT" || exit 1
mkdir -p specs/proposed
echo x >specs/proposed/other.md
cost() { pr --json cost --by artifact | python3 -c 'import json, sys
print(*[(r["artifact"], r["steps"], r["cost_usd"]) for r in json.load(sys.stdin)["rows"]])'; }
run pr cost --by artifact
like "$OUT" 'ARTIFACT +STEPS +COST' 'nothing was spent yet'
agent_role spec-reviewer
says spec-reviewer '{"status":"complete","current_phase":"complete","send_emails":[{"body":"Read."}]}'
notify spec-writer review-request "$SPEC" spec-reviewer >/dev/null
pr send --to spec-reviewer --subject Lunch <<<'Hungry?' >/dev/null
did
notify spec-writer review-request specs/proposed/other.md spec-reviewer >/dev/null
did
sqlite3 "$HOME_DIR/state/postrider.db" "UPDATE step SET cost_micro = 1000000 * (SELECT 1 + (s.subject LIKE '%other%') * 2 + (s.subject = 'Lunch') * 4 FROM job s WHERE s.id = step.job)"
is "$(cost)" "('-', 1, 5.0) ('specs/*/other.md', 1, 3.0) ('specs/*/user-auth.md', 1, 1.0)" 'each step counts for the artifact that its job is about, or for none'
is "$(pr --json cost | python3 -c 'import json, sys; print(json.load(sys.stdin)["total_usd"])')" 9.0 'which is all'
exits 64 'no such sum' pr cost --by colour
rm -rf "$HOME_DIR"
pr init >/dev/null
run pr --json cost --by artifact
is "$STATUS $(python3 -c 'import json, sys; print(json.load(sys.stdin)["rows"])' <<<"$OUT")" '0 []' 'a home without a workflow has no artifacts'
done_testing
