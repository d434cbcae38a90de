#!/usr/bin/env bash
# An answer need not be typed: a reply in plain words by somebody who was asked answers a question, a clarification-request or a
# blocker-report, and asks back where it ends with a question mark. Nobody is reminded of it then.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"
. "$(dirname "$0")/../lib/workflow.sh"
export POSTRIDER_CLOCK=@1795000000
workflow_home
cd "$ROOT" || exit 1
sed -i "s/^\[workflow\]/[workflow]\ncoordinator = platform-lead/" "$HOME_DIR/postrider.conf"
program_role implementer <<<'cat >/dev/null'
program_role test-writer <<<'cat >/dev/null'
agent_role vision-reviewer

asks() { notify "$1" "$2" "$SPEC" "$3" QUESTION="Which limit has $BASHPID?" BLOCKING_DETAILS='The library is gone.'; }
says_to() { pr send --from "$1" --to "$2" --in-reply-to "$3" --subject Words "${@:4}" >/dev/null; pr deliver 2>/dev/null; pr account main --once 2>/dev/null; }
became() { db "SELECT coalesce((SELECT type || ' ' || sender || '>' || recipients FROM event a WHERE a.msgid = q.answer), 'open') FROM event q WHERE '<' || msgid || '>' = '$1'"; }
open_now() { db "SELECT count(*) FROM event WHERE question <> '' AND answer = ''"; }

# --- a person answers an agent, and a person ---
for asker in implementer spec-writer; do
    for event in question clarification-request blocker-report; do
        id=$(asks $asker $event spec-reviewer)
        like "$(pr mail thread "$id")" '\[[a-z]+\], open' "the $event of $asker is open"
        says_to spec-reviewer $asker "$id" <<<'Try approach Y.'
        is "$(became "$id")" "answer spec-reviewer>$asker" 'a reply in plain words answers it'
        like "$(pr mail thread "$id")" 'resolved by <' 'and its thread says so'
    done
done
is "$(open_now)$(pr status | grep -c 'has no answer')$(pr role inbox --json spec-reviewer | jq -r '.[].event')" 00 'nothing is left open, and nothing waits'
like "$(pr role inbox spec-writer)" 'answer +spec-reviewer' 'it waits for whoever asked, until it is read'

# --- asked back ---
id=$(asks implementer question spec-reviewer)
says_to spec-reviewer implementer "$id" <<<$'Hm.\n\nOf what do you speak?\n\n> Which limit?\n\n-- \nAnn'
is "$(became "$id")" 'question spec-reviewer>implementer' 'words that end with a question mark ask back'
back="<$(db "SELECT msgid FROM event ORDER BY id DESC LIMIT 1")>"
is "$(became "$back") $(open_now)" 'open 1' 'and wait for an answer'
says_to implementer spec-reviewer "$back" <<<'Of the login.'
is "$(became "$back") $(open_now)" 'answer implementer>spec-reviewer 0' 'which comes by a plain reply as well'
id=$(asks implementer question spec-reviewer)
says_to spec-reviewer implementer "$id" <<<$'Why not? Take ten.\n\n> Which limit?'
is "$(became "$id")" 'answer spec-reviewer>implementer' 'a quoted question, and one in the middle, asks nothing'

# --- what answers nothing ---
for asker in implementer spec-writer; do
    id=$(asks $asker question spec-reviewer)
    says_to spec-reviewer vision-writer "$id" <<<'Look at this.'
    is "$(became "$id")" open "a forward answers nothing ($asker)"
    says_to vision-writer $asker "$id" <<<'I was not asked.'
    is "$(became "$id")" open 'nor does somebody who was not asked'
    pr send --from spec-reviewer --to $asker --subject 'Re: [QUESTION] user-auth' <<<'Ten.' >/dev/null; did
    is "$(became "$id")" open 'nor the subject alone'
    printf 'From: spec-reviewer@workflow.local\nTo: %s@workflow.local\nSubject: Away\nAuto-Submitted: auto-replied\nIn-Reply-To: %s\n\nI am away.\n' $asker "$id" | pr sendmail -t; did
    is "$(became "$id")" open 'nor an automatic answer'
    printf 'From: spec-reviewer@workflow.local\nTo: %s@workflow.local\nCc: test-writer@workflow.local\nSubject: Re\nIn-Reply-To: %s\n\nTen.\n' $asker "$id" | pr sendmail -t; did
    is "$(became "$id")" "answer spec-reviewer>$asker,test-writer" 'a reply by sendmail does'
    says_to spec-reviewer $asker "$id" <<<'Eleven.'
    like "$(became "$id")" '^answer spec-reviewer>' 'the first answer counts'
done
is "$(db "SELECT count(*) FROM event GROUP BY msgid HAVING count(*) > 1")" '' 'a mail with copies is one event'
id=$(asks implementer question you)
says_to you implementer "$id" <<<'STATUS'
is "$(became "$id")" open 'an order is no answer'
says_to platform-lead implementer "$id" <<<'Ten, says the coordinator.'
is "$(became "$id")" 'answer platform-lead>implementer' 'the coordinator may answer any question'
one=$(asks implementer question spec-reviewer) two=$(asks implementer clarification-request spec-reviewer)
says_to spec-reviewer implementer "$one" --in-reply-to "$two" <<<'Ten, and twelve.'
is "$(became "$one") $(became "$two")" 'answer spec-reviewer>implementer answer spec-reviewer>implementer' 'one reply to several answers all of them'

one=$(asks implementer question spec-reviewer) two=$(asks test-writer question spec-reviewer)
says_to spec-reviewer implementer "$one" --in-reply-to "$two" --to test-writer <<<'Ten for both.'
did
is "$(became "$one") $(became "$two")" 'answer spec-reviewer>implementer,test-writer answer spec-reviewer>implementer,test-writer' 'and one to two agents answers both'

# --- agents answer ---
program_role skeleton-writer <<<'cat >/dev/null; echo Ten.'
for asker in you implementer; do
    id=$(asks $asker question skeleton-writer)
    did
    is "$(became "$id")" "answer skeleton-writer>$asker" "what a program prints answers ($asker)"
    says vision-reviewer '{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"Ten."}]}'
    id=$(asks $asker question vision-reviewer)
    did
    is "$(became "$id")" "answer vision-reviewer>$asker" 'the mail of a model does'
    says vision-reviewer '{"status":"continue","current_phase":"working","working_note":"I look."}' \
        '{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"Ten."}]}'
    id=$(asks $asker question vision-reviewer)
    did
    is "$(became "$id")" "answer vision-reviewer>$asker" 'that of a later step too'
done
for way in approve reject; do
    says vision-reviewer '{"status":"complete","current_phase":"complete","send_emails":[{"to":["you@workflow.local","x@example.org"],"body":"Ten."}]}'
    id=$(asks you question vision-reviewer)
    did
    is "$(became "$id")" open 'an answer that waits for a yes is none yet'
    pr $way "$(db "SELECT max(outbox) FROM delivery WHERE state = 'held' AND address = 'you@workflow.local'")" >/dev/null
    like "$(became "$id")" "$([ $way = reject ] && echo '^open' || echo '^answer vision-reviewer>you')" "and after $way"
done
says_to platform-lead you "$id" <<<'Ten.'
says vision-reviewer '{"status":"nonsense"}'
id=$(asks implementer question vision-reviewer)
did
like "$(db "SELECT why FROM message WHERE '<' || msgid || '>' = '$id'")" 'the brain' 'a step that fails says so'
is "$(became "$id")" open 'which is no answer'
says_to platform-lead implementer "$id" <<<'Ten.'
is "$(open_now)" 0 'nothing is left open'

# --- somebody outside answers an agent, if their mail server vouches for them ---
printf '[person ann]\naddress = ann@example.org\n' >>"$HOME_DIR/postrider.conf"
pr config set trust authserv-id mx.example.org
id=$(asks implementer question ann,you)
for found in fail pass; do
    printf 'Authentication-Results: mx.example.org; dmarc=%s header.from=example.org\nReceived: from a by mx.example.org; Sun, 15 Nov 2026 09:30:00 +0000\nMessage-ID: <%s@example.org>\nFrom: ann@example.org\nTo: implementer@workflow.local\nSubject: Re\nIn-Reply-To: %s\n\nTen.\n' $found $found "$id" | pr receive --role implementer
    did
    is "$(became "$id")" "$([ $found = fail ] && echo open || echo 'answer ann>implementer')" "an answer from outside: $found"
done

# --- nobody is reminded, and a lost store knows it again ---
id=$(asks you question spec-reviewer)
says_to spec-reviewer you "$id" <<<'What for?'
left=$(asks you question vision-writer)
did
rows="SELECT msgid, type, sender, recipients, (SELECT name FROM artifact WHERE id = artifact), (SELECT n FROM cycle WHERE id = cycle), question, answer FROM event WHERE question <> '' OR type = 'answer' ORDER BY msgid"
before=$(db "$rows")
rm -rf "$HOME_DIR/state"
export POSTRIDER_CLOCK=@1795000100
did
after=$(db "$rows")
diff <(echo "$before") <(echo "$after") | sed 's/^/# /'
is "$after" "$before" 'after state/ was deleted every answer is known again'
is "$(open_now) $(became "$left")" '2 open' 'and what is open is open'
export POSTRIDER_CLOCK=@1795090100
did
is "$(grep -rh '^X-Event-Type: status-update' "$HOME_DIR/mail/platform-lead/new" | wc -l)" 2 'the coordinator is reminded of the open ones alone'
exits 0 'artifact check finds nothing' pr artifact check
done_testing
