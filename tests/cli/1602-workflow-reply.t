#!/usr/bin/env bash
# People decide by a reply: APPROVE, REJECT: why, REVISE: why, BLOCKED: why, to an event that they may decide; the same as `notify`.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
workflow_home
cd "$ROOT" || exit 1
# The author is an agent, whose mail is taken in.
sed -i '/^\[role spec-writer\]/,/^person/c [role spec-writer]\nbrain = page\n[brain page]\ncommand = printf Noted.' "$HOME_DIR/postrider.conf"
pr config check >/dev/null 2>&1
reply() { pr send --from "$1" --to spec-writer --in-reply-to "$2" --subject 'Re: user-auth' <<<"$3" >/dev/null; pr serve --once 2>/dev/null; pr serve --once 2>/dev/null; }
told() { ls -tr "$HOME_DIR/mail/$1/new"/* | xargs grep -hE '^(Done: |Nothing was decided: )' | tail -1; }
ask() { notify spec-writer review-request "$1" spec-reviewer; }

request=$(ask "$SPEC")
pr serve --once 2>/dev/null
like "$(tr '\n' ' ' <"$(mail_of "$request")")" 'in reply\. From a mail program: a reply whose first line is APPROVE, REJECT: why, REVISE: why or BLOCKED: why\.' 'a person is told what a reply can say'
like "$(pr notify --dry-run review-request "$SPEC" spec-reviewer)" 'From a mail program' 'whoever asks'
unlike "$(pr notify --dry-run review-request "$SPEC" spec-writer)" 'From a mail program' 'an agent is not'
reply test-writer "$request" 'APPROVE'
is "$(record)" "proposed|$SPEC|" 'who may not decides nothing'
like "$(told test-writer)" "^Nothing was decided: 'test-writer' may not move a spec" 'and is told why'
reply spec-reviewer "$request" 'Approve of nothing yet, please wait.'
is "$(record)" "proposed|$SPEC|" 'other words are words'
reply spec-reviewer "$request" 'REJECT'
is "$(db 'SELECT outcome FROM cycle')" '' 'a rejection says why'
reply spec-reviewer "$request" $'APPROVE\n\nWell done.\n\n> APPROVE'
is "$(record)" 'todo|specs/todo/user-auth.md|spec-reviewer' 'APPROVE moves the file, as notify does'
ok 'it is there' test -f specs/todo/user-auth.md
like "$(told spec-reviewer)" "^Done: the approval of 'specs/\*/user-auth.md', which goes to 'todo'" 'its sender is told'
approval="<$(db "SELECT msgid FROM event WHERE type = 'approval'")>"
like "$(cat "$(mail_of "$approval")")" 'Well done\.' 'what followed is in the approval'
is "$(header "$approval" From)" 'spec-reviewer@workflow.local' 'which is theirs'
is "$(db "SELECT count(*) FROM event WHERE type = 'approval'")" 1 'there is one'
reply spec-reviewer "$request" 'APPROVE'
is "$(db "SELECT count(*) FROM event WHERE type = 'approval'")" 1 'a second APPROVE decides nothing'

for word in REJECT REVISE; do
    echo "$word" >"specs/proposed/$word.md"
    request=$(ask "specs/proposed/$word.md")
    reply spec-reviewer "$request" "$word: no errors are named"
    is "$(record "specs/*/$word.md")" "proposed|specs/proposed/$word.md|" "$word leaves the state"
    is "$(db 'SELECT outcome, decided_by FROM cycle ORDER BY id DESC LIMIT 1')" 'rejected|spec-reviewer' 'and ends the cycle'
    rejection="<$(db 'SELECT msgid FROM event ORDER BY id DESC LIMIT 1')>"
    like "$(cat "$(mail_of "$rejection")")" 'no errors are named' 'with the reason'
done

pr artifact move --from skeleton-writer specs/todo/user-auth.md doing >/dev/null
status=$(notify spec-writer status-update 'specs/*/user-auth.md' skeleton-writer CONTEXT='How is it?')
pr serve --once 2>/dev/null
reply skeleton-writer "$status" 'BLOCKED: the library is gone'
is "$(record)" 'blocked|specs/blocked/user-auth.md|skeleton-writer' 'BLOCKED is a blocker-report'
is "$(db 'SELECT type, recipients FROM event ORDER BY id DESC LIMIT 1')" 'blocker-report|you' 'to the coordinator'
# What no move leads from to `blocked` is reported where it is.
echo stuck >specs/proposed/stuck.md
request=$(ask specs/proposed/stuck.md)
pr serve --once 2>/dev/null
reply spec-reviewer "$request" 'BLOCKED: nobody knows the limit'
is "$(db 'SELECT type, state, recipients FROM event ORDER BY id DESC LIMIT 1') $(record specs/\*/stuck.md)" 'blocker-report|proposed|you proposed|specs/proposed/stuck.md|' 'BLOCKED of what is proposed is a blocker-report, and it stays'
is "$(db "SELECT outcome FROM cycle WHERE '<' || msgid || '>' = '$request'")" '' 'its review is open'
exits 0 'artifact check finds nothing' pr artifact check
# A reply to several mails decides nothing.
echo several >specs/proposed/several.md
request=$(ask specs/proposed/several.md)
other=$(notify spec-writer status-update specs/proposed/several.md spec-reviewer CONTEXT=Nearly)
pr serve --once 2>/dev/null
pr send --from spec-reviewer --to spec-writer --in-reply-to "$request" --in-reply-to "$other" --subject Both <<<APPROVE >/dev/null
did
is "$(record 'specs/*/several.md')" 'proposed|specs/proposed/several.md|' 'an answer to several mails decides nothing'
is "$(grep -rh '^Nothing was decided: it answers several mails; reply to one of them' "$HOME_DIR/mail/spec-reviewer/new" | wc -l)" 1 'and its writer is told'

# --- from one person to another, whose mailboxes nobody takes in ---
by() { # HOW FROM TO ID: what standard input says
    case $1 in
    send) pr send --from "$2" --to "$3" --in-reply-to "$4" --subject Re >/dev/null ;;
    sendmail) { printf 'From: %s@workflow.local\nTo: %s@workflow.local\nSubject: Re: the spec\nIn-Reply-To: %s\n\n' "$2" "$3" "$4"; cat; } | pr sendmail -t ;;
    esac
    pr deliver 2>/dev/null
}
heard() { cat "$HOME_DIR/mail/$1/new"/* | tr -d '\r' | sed -e :a -e '/=$/{N; s/=\n//; ta}' | grep -cE "$2"; }
for how in send sendmail; do
    for word in APPROVE REJECT BLOCKED; do
        of=specs/proposed/$how-$word.md name="specs/*/$how-$word.md"
        echo "$how $word" >"$of"
        request=$(notify platform-lead review-request "$of" spec-reviewer)
        pr deliver 2>/dev/null
        by $how test-writer platform-lead "$request" <<<"$word: no"
        [ $word = APPROVE ] || by $how spec-reviewer vision-writer "$request" <<<"$word: not to you"
        is "$(record "$name") $(db "SELECT count(*) FROM event WHERE artifact = (SELECT id FROM artifact WHERE name = '$name') AND type <> 'blocker-report'")" "proposed|$of| 1" "by $how: who may not, or writes to somebody else, decides nothing"
        [ $word = APPROVE ] && by $how test-writer platform-lead "$request" <<<APPROVE && like "$(told test-writer)" "^Nothing was decided: 'test-writer' may not move a spec" 'and is told why'
        if [ $word = APPROVE ]; then by $how spec-reviewer platform-lead "$request" <<<$'APPROVE\n\nFine.'; else by $how spec-reviewer platform-lead "$request" <<<"$word: the limit"; fi
        is "$(db "SELECT type || ' ' || sender || '>' || recipients FROM event ORDER BY id DESC LIMIT 1")" "$(case $word in APPROVE) echo 'approval spec-reviewer>platform-lead' ;; REJECT) echo 'rejection spec-reviewer>platform-lead' ;; *) echo 'blocker-report spec-reviewer>you' ;; esac)" "$word to a person is that event at once"
        is "$(heard spec-reviewer "^Done: the [a-z-]* of 'specs/\*/$how-$word.md'")" 1 'and its sender is told'
    done
    is "$(record "specs/*/$how-APPROVE.md")" "todo|specs/todo/$how-APPROVE.md|spec-reviewer" 'APPROVE moves the file'
    is "$(db "SELECT outcome FROM cycle WHERE artifact = (SELECT id FROM artifact WHERE name = 'specs/*/$how-REJECT.md')")" rejected 'REJECT ends the review'
done
# A copy to an agent decides nothing a second time.
echo copied >specs/proposed/copied.md
request=$(notify platform-lead review-request specs/proposed/copied.md spec-reviewer)
pr send --from spec-reviewer --to platform-lead --to spec-writer --in-reply-to "$request" --subject Re <<<APPROVE >/dev/null
did
is "$(record 'specs/*/copied.md') $(heard spec-reviewer '^Nothing was decided: .*copied')" 'todo|specs/todo/copied.md|spec-reviewer 0' 'a copy of it to an agent decides nothing again'
# The file is looked at before the store is locked, and what changed is refused.
echo changed >specs/proposed/changed.md
request=$(notify platform-lead review-request specs/proposed/changed.md spec-reviewer)
echo more >>specs/proposed/changed.md
by send spec-reviewer platform-lead "$request" <<<APPROVE
is "$(heard spec-reviewer '^Nothing was decided: .*changed.md. is not what was sent for review')" 1 'changed bytes are refused'
exits 0 'artifact check finds nothing' pr artifact check
done_testing
