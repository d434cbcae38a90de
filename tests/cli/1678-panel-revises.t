#!/usr/bin/env bash
# What comes back to a panel that wrote: after a rejection its members say what must change, the primary writes the text anew, and it
# goes to review again; a clarification-request is answered by the primary. What can't be done the coordinator hears.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
workflow_home
cd "$ROOT" || exit 1
pr config set workflow coordinator platform-lead >/dev/null
for m in ann ben eve; do
    cat >"$WORK/$m" <<E
#!/bin/sh
page=\$(cat)
n=\$(cat "$WORK/$m.n" 2>/dev/null || echo 0); echo \$((n + 1)) >"$WORK/$m.n"
printf '%s\n' "\$page" >"$WORK/$m.page.\$((n + 1))"
[ ! -e "$WORK/mute" ] || { echo 'I can not.'; exit; }
case \$page in
*'answer what its reviewers ask'*) echo '{"summary": "an hour", "text": "After an hour, by the clock."}' ;;
*'write all of it anew'*) printf '%s\n' '{"summary": "it has a limit now", "text": "# sessions\n\nA session ends after an hour, revised '\$n'."}' ;;
*'You are the primary: decide'*) echo '{"summary": "a session ends", "text": "A session ends."}' ;;
*'WHAT WAS BROUGHT'*) echo "$m says: take that of the others" ;;
*) echo "$m brings an idea" ;;
esac
E
    chmod +x "$WORK/$m"
done
cat >"$WORK/rex" <<'E'
#!/bin/sh
page=$(cat)
case $page in
*stubborn*|*'A session ends.'*) echo '{"verdict": "reject", "assessment": "No.", "findings": [{"where": "Only", "what": "when does it end?", "severity": "blocker"}]}' ;;
*) echo '{"verdict": "approve", "assessment": "Good.", "findings": []}' ;;
esac
E
chmod +x "$WORK/rex"
for m in ann ben eve rex; do printf '[brain %s]\ncommand = %s\n' $m "$WORK/$m" >>"$HOME_DIR/postrider.conf"; done
printf '[brain ray]\ncommand = %s\n[panel spec-writer-panel]\nmembers = ann, ben, eve\n[panel spec-reviewer-panel]\nmembers = rex, ray\n' "$WORK/rex" >>"$HOME_DIR/postrider.conf"
goes() { for _ in 1 2 3 4; do pr serve --once >"$WORK/out" 2>&1; done; }
lead() { cat "$HOME_DIR"/mail/platform-lead/new/* 2>/dev/null | sed -e :a -e '/=$/{N; s/=\n//; ta}' | tr '\n' ' '; }
n_of() { cat "$WORK/$1.n"; }

# --- a panel of reviewers rejects, once ---
NEW=specs/proposed/sessions.md
pr panel write --sections 'Only' "$NEW" 'Sessions must end.' >/dev/null
goes
is "$(db "SELECT n, author, outcome, decided_by FROM cycle ORDER BY n")" '1|spec-writer-panel|rejected|spec-reviewer-panel
2|spec-writer-panel|approved|spec-reviewer-panel' 'rejected, revised, and approved in a new cycle'
like "$(cat specs/todo/sessions.md)" $'^# sessions\n\nA session ends after an hour, revised [0-9]+\\.$' 'the text is what the primary wrote, and it has moved on'
is "$(n_of ben)" 4 'each member was asked what must change, and what the others said'
like "$(cat "$WORK/ben.page.3")" 'WHAT IS WRITTEN.*A session ends\..*WHAT THE REVIEWERS SAID.*when does it end\?' 'with the text and what was found'
unlike "$(cat "$WORK/ben.page.3")" 'brings an idea' 'each alone'
like "$(cat "$WORK/ann.page.$(n_of ann)")" 'ben brings an idea.*eve says: take' 'the primary has read what the others say'
is "$(db "SELECT task, state, verdict FROM panel WHERE name = 'spec-writer-panel'")" '|closed|written
revise|closed|written' 'a panel of its own'
is "$(db "SELECT count(*) FROM event WHERE type = 'review-request'")" 2 'one request each'
is "$(find "$HOME_DIR"/mail/spec-reviewer-panel* -type f | xargs grep -l 'Starting Section\|decided:' | wc -l)" 0 'the reviewers hear nothing of the talk'
exits 0 'artifact check is clean' pr artifact check
exits 0 'and the audit' pr panel audit 'specs/*/sessions.md'
unlike "$(lead)" 'does nothing now|No decision' 'nobody is told that something failed'

# --- one reviewer, who asks first ---
sed -i '/^\[panel spec-reviewer-panel\]/,$d' "$HOME_DIR/postrider.conf"
pr panel write --sections 'Only' specs/proposed/limits.md 'Sessions must end.' >/dev/null
pr deliver 2>/dev/null
request=$(db "SELECT msgid FROM cycle ORDER BY id DESC LIMIT 1")
before=$(n_of ben)
q=$(notify spec-reviewer --in-reply-to "<$request>" clarification-request specs/proposed/limits.md spec-writer-panel QUESTION='When does it end?')
goes
is "$(n_of ben)" "$before" 'a question is answered by the primary alone'
like "$(cat "$WORK/ann.page.$(n_of ann)")" 'A session ends\..*When does it end\?' 'which has seen the text and the question'
is "$(db "SELECT sender, recipients FROM event WHERE type = 'answer'")" 'spec-writer-panel|spec-reviewer' 'the answer is an event of the panel'
like "$(pr mail thread "$q" 2>&1)" 'resolved by' 'and the question is resolved'
like "$(cat "$HOME_DIR"/mail/spec-reviewer/new/*)" 'After an hour, by the clock' 'the reviewer reads it'
notify spec-reviewer rejection specs/proposed/limits.md spec-writer-panel ISSUES_FOUND='Say when.' >/dev/null
goes
is "$(db "SELECT n, outcome, reviewers FROM cycle WHERE artifact = 2 ORDER BY n")" '1|rejected|spec-reviewer
2||spec-reviewer' 'the same job revises after a rejection'
like "$(cat specs/proposed/limits.md)" 'after an hour, revised' 'the file has the new text'
notify spec-reviewer approval specs/proposed/limits.md spec-writer-panel >/dev/null
goes
is "$(db "SELECT state FROM artifact WHERE id = 2")" todo 'it can be approved then'

# --- more comes back while the panel is at work ---
N=2
writes() { # NAME: the panel writes it, and it is under review
    N=$((N + 1)) TEXT=specs/proposed/$1.md
    pr panel write --sections 'Only' "$TEXT" 'Sessions must end.' >/dev/null
    pr deliver 2>/dev/null
}
returns() { notify spec-reviewer "$1" "$TEXT" spec-writer-panel "$2" >/dev/null; } # TYPE NAME=VALUE
asked() { db "SELECT count(*) || '|' || count(nullif(answer, '')) FROM event WHERE question <> '' AND artifact = $N"; }
dies() { POSTRIDER_DIE_AT=panel-opened pr serve --once >"$WORK/out" 2>&1; }
at_work() { db "SELECT task FROM panel WHERE state = 'open'"; }
cycles() { db "SELECT n, outcome FROM cycle WHERE artifact = $N ORDER BY n"; }
writes during
returns clarification-request QUESTION='When does it end?'
dies
is "$(at_work)" answer 'the panel is to answer a question'
returns rejection ISSUES_FOUND='Say when.'
goes
is "$(asked) $(cycles)" $'1|1 1|rejected\n2|' 'a rejection that comes then is taken up after the answer'
writes together
returns clarification-request QUESTION='When does it end?'
returns clarification-request QUESTION='And how?'
returns rejection ISSUES_FOUND='Say when.'
goes
is "$(asked) $(cycles)" $'2|2 1|rejected\n2|' 'what comes together is taken up in turn: the rejection, and each question'
writes newer
returns rejection ISSUES_FOUND='Say when.'
dies
is "$(at_work)" revise 'the panel is to revise a text'
echo 'A session ends. By hand.' >"$TEXT"
notify spec-writer-panel --in-reply-to "<$(db 'SELECT msgid FROM event ORDER BY id DESC LIMIT 1')>" review-request "$TEXT" spec-reviewer >/dev/null
returns rejection ISSUES_FOUND='Say when, and how.'
goes
is "$(cycles)" $'1|rejected\n2|rejected\n3|' 'a newer review that is rejected too is revised in place of the older one'
is "$(db "SELECT count(*), count(DISTINCT job), group_concat(DISTINCT message.state) FROM message JOIN event USING (msgid) WHERE job <> 0 AND type = 'rejection' AND event.artifact = $N")" '2|1|handled' 'both rejections were mail of one job'

# --- a question that was not answered, and then the store is lost ---
writes lost
: >"$WORK/mute"
returns clarification-request QUESTION='When does it end?'
goes
rm "$WORK/mute"
like "$(lead)" 'the primary has not decided. By hand: postrider notify --in-reply-to' 'a primary who does not answer: the coordinator hears how to go on'
returns rejection ISSUES_FOUND='Say when.'
dies
rm -rf "$HOME_DIR/state"
goes
is "$(db "SELECT n, outcome FROM cycle WHERE artifact = (SELECT id FROM artifact WHERE name LIKE '%lost.md') ORDER BY n")" $'1|rejected\n2|' 'the review was open all the same: its rejection is taken up after the loss'

# --- what can't be done ---
pr panel write --sections 'Only' specs/proposed/odd.md 'Sessions must end.' >/dev/null
pr deliver 2>/dev/null
: >"$WORK/mute"
notify spec-reviewer rejection specs/proposed/odd.md spec-writer-panel ISSUES_FOUND='Say when.' >/dev/null
goes
like "$(lead)" 'the primary has not decided. By hand: postrider artifact write specs/proposed/odd.md FILE, then: postrider notify review-request' 'a primary who decides nothing: the coordinator hears how to go on'
rm "$WORK/mute"
is "$(db "SELECT count(*) FROM cycle WHERE artifact = (SELECT id FROM artifact WHERE name LIKE '%odd.md')")" 1 'nothing is sent for review'
notify spec-reviewer question specs/proposed/odd.md spec-writer-panel QUESTION='Is it dead?' >/dev/null
rm specs/proposed/odd.md
goes
like "$(cat "$HOME_DIR"/mail/spec-reviewer/new/* | tr '\n' ' ')" "does nothing now: .*By hand: postrider notify" 'a text that is gone: whoever asked hears it'

# --- reviewers who reject for ever ---
sed -i 's/^\[panel spec-writer-panel\]/[panel spec-reviewer-panel]\nmembers = rex, ray\n\n&/' "$HOME_DIR/postrider.conf"
sed -i 's/A session ends after an hour/A stubborn session ends/' "$WORK/ann"
pr panel write --sections 'Only' specs/proposed/ever.md 'Sessions must end.' >/dev/null
goes; goes; goes
is "$(db "SELECT count(*) FROM cycle WHERE artifact = (SELECT id FROM artifact WHERE name LIKE '%ever.md')")" 4 'three revisions, and no more'
like "$(lead)" "has revised 'specs/proposed/ever.md' 3 times, and spec-reviewer-panel rejects it once more\. By hand: postrider artifact write" 'then the coordinator hears it'
is "$(db "SELECT count(*) FROM job WHERE state NOT IN ('done')")" 0 'all have ended'
done_testing
