#!/usr/bin/env bash
# Events of the workflow: the mails, their ids, threads and headers; what a form and its variables make.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"

# --- T: the seed's first command ---
workflow_home
cd "$ROOT" || exit 1
run pr notify --from spec-writer review-request "$SPEC" spec-reviewer CONTEXT="Focus on error handling patterns"
is "$STATUS" 0 'a review-request is sent'
like "$OUT" $'\nSubject: \\[REVIEW REQUEST\\] user-auth ready for review\n' 'its subject has the name without extension'
like "$OUT" $'\nX-Event-Type: review-request\nX-Artifacts: specs/\\*/user-auth.md\nX-Workflow-State: proposed\n' 'type, artifact as a glob, state'
like "$OUT" $'\nArtifact: specs/proposed/user-auth.md\n' 'the exact path stands in the body'
unlike "$OUT" '\{\{' 'what was not said leaves nothing'
like "$OUT" 'Focus on error handling patterns' 'with what was said'
like "$OUT" $'\nNext steps:\n' 'and what to do next'
request=$(sed -n 's/^Message-ID: //p' <<<"$OUT")
like "$request" '^<[0-9]{14}\.[0-9]+\.[0-9]+\.[a-z2-7]{39}\.spec-writer@workflow\.local>$' 'the id is time, generation, number, tag and role'
pr serve --once 2>/dev/null
is "$(header "$request" X-Workflow-State)" proposed 'it is delivered too'
is "$(grep -c "^Message-ID: $request\$" "$(mail_of "$request")")" 1 'grep finds the id on one line'

# --- replies ---
ask=$(notify spec-reviewer --in-reply-to "$request" clarification-request "$SPEC" spec-writer QUESTION="Should OAuth tokens expire?" BLOCKING=no)
answer=$(notify spec-writer --in-reply-to "$ask" answer "$SPEC" spec-reviewer CONTEXT="Use refresh tokens.")
pr serve --once 2>/dev/null
is "$(header "$ask" In-Reply-To)" "$request" 'in reply to the parent, byte for byte, on one line'
is "$(header "$answer" In-Reply-To)" "$ask" 'so is the answer'
refs=$(sed -n '/^References:/,/^[^ ]/p' "$(mail_of "$answer")" | tr -d '\n')
is "$(tr -s ' ' <<<"${refs#References:}" | grep -oE '<[^>]*>' | tr '\n' ' ')" "$request $ask " 'References have all ancestors'
is "$(header "$answer" Subject)" 'Re: [REVIEW REQUEST] user-auth ready for review' 'Re: once, and the artifact stays in the subject'
is "$(db "SELECT answer FROM event WHERE type = 'clarification-request'")" "$(tr -d '<>' <<<"$answer")" 'the question has its answer'
status=$(notify spec-writer status-update "$SPEC" spec-reviewer CONTEXT="Nearly." SESSION_ID=s1)
pr serve --once 2>/dev/null
is "$(header "$status" In-Reply-To)" "$answer" 'without --in-reply-to an event joins the open cycle'
is "$(header "$status" X-Session-Id)" s1 'a status-update names its session'
second=$(notify spec-writer review-request "$SPEC" spec-reviewer)
pr serve --once 2>/dev/null
is "$(header "$second" In-Reply-To)" '' 'a review-request begins a new thread'
is "$(db 'SELECT n, outcome FROM cycle')" $'1|superseded\n2|' 'and a new cycle'

# --- every event, and what it needs ---
for event in rejection clarification-request blocker-report status-update question answer; do
    exits 65 "$event needs its variable" pr notify --from spec-reviewer "$event" "$SPEC" spec-writer
    like "$ERR" "$event needs [A-Z_]+=" 'and says which'
done
for event in review-request approval rejection clarification-request blocker-report status-update question answer; do
    from=spec-reviewer
    [ $event != review-request ] || from=spec-writer
    like "$(pr notify --dry-run --from $from $event "$SPEC" spec-writer ISSUES_FOUND=x QUESTION=x BLOCKING_DETAILS=x CONTEXT=x)" \
        $'\nNext steps:\n *[A-Z][a-z]+ ' "$event says what is next"
done
exits 64 'no such event' pr notify aproval "$SPEC" spec-writer
like "$ERR" "no event 'aproval'; did you mean 'approval'" 'the nearest is named'
exits 64 'no such variable' pr notify review-request "$SPEC" spec-reviewer CONTEX=x
like "$ERR" "did you mean 'CONTEXT'" 'the nearest is named'
exits 65 'no such role' pr notify --from spec-writer review-request "$SPEC" spec-reviewr
like "$ERR" "no role 'spec-reviewr'; did you mean 'spec-reviewer'" 'the nearest is named'
exits 65 'a sender that is nobody' pr notify --from nobody review-request "$SPEC" spec-reviewer
n=$(db 'SELECT count(*) FROM event')
run pr notify --from spec-writer question - platform-lead QUESTION="Which library?"
is "$STATUS" 0 'a question may be about no artifact'
unlike "$OUT" 'X-Artifacts' 'and then names none'
is "$(db 'SELECT count(*) FROM event')" $((n + 1)) 'it is one row'

mkdir skeletons
echo 'int login(void);' >skeletons/login.h
printf '[artifact skeleton]\npath = skeletons/{name}\nstates = record\n' >>"$HOME_DIR/postrider.conf"
like "$(pr notify --dry-run review-request skeletons/login.h spec-reviewer)" 'Subject: \[REVIEW REQUEST\] login ready for review' 'a name has no extension, whatever its kind says'
rm -r skeletons

# --- nothing happens (--dry-run), little is said (--quiet), who speaks ---
before=$(db 'SELECT count(*) FROM event; SELECT count(*) FROM outbox')
run pr notify --dry-run --from spec-writer status-update "$SPEC" spec-reviewer CONTEXT=x
like "$OUT" 'X-Event-Type: status-update' '--dry-run prints the mail'
is "$(db 'SELECT count(*) FROM event; SELECT count(*) FROM outbox')" "$before" 'and does nothing'
like "$(POSTRIDER_ROLE=test-writer pr notify --dry-run question - spec-reviewer QUESTION=x)" 'From: test-writer@' 'the environment says who speaks'
like "$(pr notify --dry-run question - spec-reviewer QUESTION=x)" 'From: you@' 'else it is the owner'

# --- forms that people edit ---
mkdir -p Workflow/email-templates
cat >Workflow/email-templates/status-update.txt <<'T'
From: nobody@example.org
Subject: Of {{ARTIFACT_NAME}} {{WORKFLOW_STATE}}
X-Event-Type: approval

{{FROM_ROLE}} {{TO_ROLE}} {{ARTIFACT_PATH}} {{DATE}}
{{MESSAGE_ID}} {{UNKNOWN}} {single}
{{CONTEXT}}
T
run pr notify --from spec-writer status-update "$SPEC" spec-reviewer,test-writer CONTEXT=$'a {{FROM_ROLE}}\nBcc: x@y \\1 & | $(id)'
id=$(sed -n 's/^Message-ID: //p' <<<"$OUT")
like "$OUT" $'\nSubject: Of user-auth proposed\n' 'the subject is the form'"'"'s'
like "$OUT" $'\nspec-writer spec-reviewer,test-writer specs/proposed/user-auth.md ' 'places have their values'
is "$(grep -F UNKNOWN <<<"$OUT")" "$id {{UNKNOWN}} {single}" 'the mail knows its own id'
like "$OUT" 'a \{\{FROM_ROLE\}\}' 'a value is not expanded again'
is "$(sed -n '/^$/q; /^Bcc/p' <<<"$OUT")" '' 'nor does it make a header'
like "$OUT" 'From: spec-writer@' 'who speaks is not for the form to say'
like "$OUT" $'\nX-Event-Type: status-update\n' 'nor what it is'
printf 'Subject: s\n\nAnswers: {{IN_REPLY_TO}}\nAll: {{REFERENCES}}\n\n{{CONTEXT}}\n' >Workflow/email-templates/status-update.txt
run pr notify --from spec-writer --in-reply-to "$id" status-update "$SPEC" spec-reviewer CONTEXT='Not {{REFERENCES}}'
fields=$(tr '\n' ' ' <<<"$OUT" | sed -E 's/ +/ /g')
chain=$(sed -E 's/.* References: ((<[^>]+> )+).*/\1/' <<<"$fields")
like "$fields" "All: ${chain% }" 'a form may name all that came before, as the header does'
like "$fields" "Answers: $id .* Not \{\{REFERENCES\}\}" 'and what the mail answers'
like "$chain" "^<.*$id \$" 'which is the last of them'
printf 'Subject: s\n\nAll: {{REFERENCES}}\n\n{{CONTEXT}}\n' >Workflow/email-templates/question.txt
run pr notify --from spec-writer question - spec-reviewer QUESTION=x
unlike "$OUT" 'All:|REFERENCES' 'a line of the form goes where nothing came before'
rm -r Workflow

# --- forged headers are taken out of raw mail ---
printf 'From: you@workflow.local\nTo: envoy@workflow.local\nSubject: x\nX-Event-Type: approval\nx-workflow-state: done\nX-Artifacts: specs/*/user-auth.md\nX-Session-Id: 1\n\nhello\n' | pr sendmail -t
printf 'From: you@workflow.local\nTo: envoy@workflow.local\nSubject: y\nX-Event-Type: approval\n\nhello\n' | pr inject >/dev/null
pr deliver 2>/dev/null
is "$(grep -rliE '^x-(event-type|artifacts|workflow-state|session-id):' "$HOME_DIR/mail/envoy" | wc -l)" 0 'sendmail and inject take them out'
ok 'of mails that came' test "$(grep -rl '^Subject: [xy]$' "$HOME_DIR/mail/envoy" | wc -l)" -ge 1
exits 0 'doctor finds nothing' pr doctor
done_testing
