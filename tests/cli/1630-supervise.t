#!/usr/bin/env bash
# The workflow watches over its roles: who talks in circles pauses, the coordinator hears it once, with counts, and a person lets
# it go on. A question without an answer is brought to the coordinator.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
export POSTRIDER_CLOCK=@1795000000
workflow_home
cd "$ROOT" || exit 1
for role in spec-writer spec-reviewer; do
    sed -i "/^\[role $role\]/,/^person/c [role $role]\nbrain = page" "$HOME_DIR/postrider.conf"
done
printf '[brain page]\ncommand = printf "And then?"\n' >>"$HOME_DIR/postrider.conf"
sed -i 's/^\[workflow\]/[workflow]\nescalate = coordinator, platform-lead/' "$HOME_DIR/postrider.conf"
pr config check >/dev/null 2>&1
passes() { for _ in 1 2 3 4 5 6 7 8 9 10; do pr serve --once 2>/dev/null; done; }
talked() { db "SELECT count(*) FROM message WHERE trust = 'role' AND role IN ('spec-writer', 'spec-reviewer')"; }
reports() { grep -rlE '^X-Event-Type: blocker-report' "$HOME_DIR/mail/$1/new" 2>/dev/null | wc -l; }

# --- ping-pong: two that would ask each other for ever ---
notify spec-reviewer review-request "$SPEC" spec-writer >/dev/null
passes
is "$(talked)" 6 'two roles that would talk for ever stop at six mails'
is "$(reports you) $(reports platform-lead)" '1 1' 'coordinator and who else is named get one report'
report=$(grep -rlE '^X-Event-Type: blocker-report' "$HOME_DIR/mail/you/new")
like "$(cat "$report")" $'\nSubject: \\[BLOCKED\\] user-auth - work cannot proceed\n' 'a typed one'
like "$(tr '\n' ' ' <"$report")" '6 mails went between spec-[a-z]+ and spec-[a-z]+, the last about specs/\*/user-auth\.md' 'with the number of mails'
like "$(tr '\n' ' ' <"$report")" '1 reviews, 0 blocker-reports, 0 questions' 'and counts of the artifact'
paused=$(db 'SELECT role FROM role_pause')
like "$(pr status)" "the role '$paused' has been paused for " 'status shows the pause'
is "$(db "SELECT state FROM job WHERE role = '$paused' ORDER BY id DESC LIMIT 1")" queued 'its work is kept'
passes
is "$(talked) $(reports you)" '6 1' 'nothing more happens, and nobody is told again'
id=$(sed -n 's/^Message-ID: //p' "$report")
pr send --from you --to "$paused" --in-reply-to "$id" --subject 'Re: user-auth' <<<'Ask me before you go on.' >/dev/null
pr deliver 2>/dev/null
pr account main --once 2>/dev/null
is "$(db 'SELECT count(*) FROM role_pause')" 0 'an answer to the report lets it go on'
passes
is "$(reports you)" 2 'and counting begins anew'

# --- what comes further is no circle ---
exits 0 'resume' pr role resume "$(db 'SELECT role FROM role_pause')"
is "$(db 'SELECT count(*) FROM talk')" 0 'counts nothing that was before'
sed -i 's/^command = printf.*/command = true/' "$HOME_DIR/postrider.conf"
before=$(reports you)
for i in 1 2 3 4 5 6 7 8; do
    echo "line $i" >>"$SPEC"
    notify spec-reviewer answer "$SPEC" spec-writer CONTEXT="Changed: $i" >/dev/null
    pr deliver 2>/dev/null
    pr account main --once 2>/dev/null
done
is "$(reports you) $(db 'SELECT count(*) FROM role_pause')" "$before 0" 'eight mails about an artifact that changes are no circle'

# --- the same question three times ---
for q in 'Does it expire?' 'does  it EXPIRE?'; do
    notify spec-writer question "$SPEC" spec-reviewer QUESTION="$q" >/dev/null
done
is "$(db 'SELECT count(*) FROM role_pause')" 0 'twice is no circle'
notify spec-writer question "$SPEC" test-writer QUESTION='Something else?' >/dev/null
notify spec-writer question "$SPEC" spec-reviewer QUESTION=$'Does it\nexpire?' >/dev/null
is "$(db 'SELECT role, why FROM role_pause')" 'spec-writer|it has asked spec-reviewer the same question 3 times about specs/*/user-auth.md' 'the same question for the third time pauses who asks'
pr deliver 2>/dev/null
is "$(reports you)" $((before + 1)) 'the coordinator hears it'
report=$(grep -rlE 'the same question 3 times' "$HOME_DIR/mail/you/new")
like "$(tr '\n' ' ' <"$report")" '4 questions, 2 of which had been asked before' 'with counts of what was asked again'
for q in 1 2 3; do notify implementer question "$SPEC" spec-reviewer QUESTION='By a person' >/dev/null; done
is "$(db 'SELECT count(*) FROM role_pause')" 1 'a person may ask as often as they like'

# --- a blocker goes to whom the settings name, beside those that it is addressed to ---
blocker=$(notify implementer blocker-report "$SPEC" test-writer BLOCKING_DETAILS='It leaks.')
is "$(db "SELECT recipients FROM event WHERE msgid = '$(tr -d '<>' <<<"$blocker")'" | tr ',' '\n' | sort | tr '\n' ' ')" 'platform-lead test-writer you ' \
    'who is named by escalate gets every blocker-report'

# --- a question without an answer ---
like "$(pr status)" 'the question of spec-writer to test-writer about specs/\*/user-auth\.md has no answer' 'status lists open questions'
reminded() { grep -rlE "Something else|there is no answer" "$HOME_DIR/mail/you/new" 2>/dev/null | wc -l; }
before=$(reminded)
export POSTRIDER_CLOCK=@1795090000
passes
after=$(reminded)
ok 'after answer-within the coordinator hears of them' test "$after" -gt "$before"
passes
is "$(reminded)" "$after" 'once'
done_testing
