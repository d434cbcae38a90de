#!/usr/bin/env bash
# Panels that review: each member alone, ballots sealed until all are in, one round of discussion, one decision by quorum and
# rule, which closes the review's cycle.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
workflow_home
cd "$ROOT" || exit 1
export PR_BIN HOME_DIR WORK

# says WHO VERDICT ASSESSMENT [SEVERITY]: from now on
says()
{
    local findings=
    [ $# -lt 4 ] || findings="{\"where\": \"line 1\", \"what\": \"no word about $4\", \"severity\": \"$4\"}"
    printf '{"verdict": "%s", "assessment": "%s", "findings": [%s]}\n' "$2" "$3" "$findings" >"$WORK/$1.says"
    cat >"$WORK/$1" <<E
#!/bin/sh
n=\$(cat "$WORK/$1.n" 2>/dev/null || echo 0); echo \$((n + 1)) >"$WORK/$1.n"
cat >"$WORK/$1.page.\$((n + 1))"
cat "$WORK/$1.says"
E
    chmod +x "$WORK/$1"
    rm -f "$WORK/$1.n" "$WORK/$1".page.*
}
for brain in ann ben eve; do
    printf '[brain %s]\ncommand = %s\nmodel = m-%s\n' $brain "$WORK/$brain" $brain >>"$HOME_DIR/postrider.conf"
    says $brain approve "Fine, says $brain."
done
mail_to_you() { cat "$HOME_DIR"/mail/you/new/* 2>/dev/null; }
newest() { db 'SELECT max(id) FROM panel'; }

# --- without settings ---
echo 'The writers chose it because of the budget.' | pr note put secrets/plan >/dev/null
echo 'The budget decided it' | pr send --to you@workflow.local --subject 'why' >/dev/null 2>&1
run pr panel review --members ann,ben,eve "$SPEC"
is "$STATUS" 0 'three members approve'
like "$OUT" 'approve: 3 approve of 3 members; rule consensus' 'and it says by which rule'
like "$OUT" 'ann +m-ann +approve' 'each by its model'
is "$(db "SELECT group_concat(role) FROM job WHERE role LIKE 'panel%'")" 'panel,panel.ann,panel.ben,panel.eve' 'each has a job of its own'
is "$(db "SELECT count(DISTINCT thread) FROM job WHERE role LIKE 'panel%'")" 4 'in a thread of its own'
like "$(cat "$WORK/ann.page.1")" 'You are a reviewer.*The user logs in' 'its page has the instructions and the artifact'
unlike "$(cat "$WORK"/*.page.*)" 'budget|secrets|CONTENTS|spec-writer|Message-ID|workflow.local' 'and no note, no mail, no address'
is "$(wc -l <"$WORK/ann.n")" 1 'asked once'
pr serve --once 2>/dev/null
like "$(mail_to_you)" 'Subject: \[PANEL\] user-auth.md: approve' 'the owner has one mail'
like "$(mail_to_you)" 'Fine, says ann.*Fine, says ben.*Fine, says eve' 'with what everybody said'
is "$(mail_to_you | grep -c '^Subject: \[PANEL\]')" 1 'one'
exits 0 'panel audit finds nothing' pr panel audit "$(newest)"
like "$OUT" 'ann +ann +m-ann +[0-9]+ +instructions, artifact' 'and names models and what was shown'
cat "$SPEC" | run pr panel review --members ann,ben -
is "$STATUS" 0 'standard input is judged too'

# --- They disagree ---
says eve revise 'Eve misses a timeout.' blocker
run pr panel review --members ann,ben,eve "$SPEC"
is "$STATUS" 75 'consensus: one dissents, no decision'
like "$OUT" 'none: 2 approve, 1 revise of 3 members' 'and why'
like "$OUT" 'eve +m-eve +revise > revise' 'after one round of discussion'
like "$(cat "$WORK/ann.page."*)" 'WHAT THE OTHERS SAID.*Eve misses a timeout.*blocker. line 1: no word about blocker' 'in which each is shown what the others said'
unlike "$(cat "$WORK/eve.page.1")" 'Fine, says' 'but not before'
exits 0 'which the audit knows' pr panel audit "$(newest)"
like "$OUT" 'ballots of the' 'and tells'
pr serve --once 2>/dev/null
like "$(mail_to_you)" 'Subject: \[PANEL\] user-auth.md: no decision' 'no decision: the coordinator hears it'
run pr panel review --members ann,ben,eve --discuss 0 --rule majority "$SPEC"
is "$STATUS" 0 'majority: approved'
unlike "$OUT" 'revise >' 'without a discussion where none is wanted'
pr serve --once 2>/dev/null
like "$(mail_to_you | tr '\n' ' ')" 'approve.*Eve misses a timeout' 'the dissent is kept'
run pr panel review --members ann,ben,eve --discuss 0 --rule any-blocker "$SPEC"
is "$STATUS" 1 'any-blocker: not approved'
run pr panel review --members ann,ben,eve --discuss 0 --rule primary --primary eve "$SPEC"
is "$STATUS" 1 'primary: eve decides'
run pr panel review --members ann,ben,eve --discuss 0 --rule majority --quorum 3 "$SPEC"
is "$STATUS" 0 'a quorum that is met'

# --- Sealed ---
cat >"$WORK/ben" <<E
#!/bin/sh
cat >/dev/null
unset POSTRIDER_PORT
id=\$(sqlite3 -readonly "$HOME_DIR/state/postrider.db" 'SELECT max(id) FROM panel')
job=\$(sqlite3 -readonly "$HOME_DIR/state/postrider.db" "SELECT job FROM ballot WHERE verdict <> '' AND panel = \$id")
p() { "$PR_BIN" --home "$HOME_DIR" "\$@"; }
p panel status \$id >"$WORK/seen"
{ p panel status \$id --json; p show \$job; p show \$job --json; p show --context \$job@1; p job log \$job; p search Annette; p mail list; p note list; } >"$WORK/leak" 2>&1
cat "$HOME_DIR"/mail/*/new/* "$HOME_DIR"/mail/*/cur/* "$HOME_DIR"/mail/*/.*/cur/* "$HOME_DIR"/log/* 2>/dev/null >>"$WORK/leak"
[ -e "$WORK/peeked" ] || p panel status \$id --unseal >"$WORK/peeked"
cat "$WORK/ben.says"
E
says ann approve 'Annette likes it.'
run pr panel review --members ann,ben --discuss 0 "$SPEC"
is "$STATUS" 0 'two members'
like "$(cat "$WORK/seen")" 'ann +m-ann +in, sealed' 'a ballot that is in is sealed'
unlike "$(cat "$WORK/leak")" 'Annette likes' 'no verb, mail or log has it'
like "$(cat "$WORK/peeked")" 'Annette likes it' '--unseal shows it'
is "$(pr panel status "$(newest)" --json | jq -r '.unsealed_by[]')" you 'and that is on record'
like "$(pr panel status "$(newest)")" 'Annette likes it' 'afterwards it is open'
says ben approve 'Fine, says ben.'

# --- what can't be read ---
says ann approve x
cat >"$WORK/ann" <<E
#!/bin/sh
cat >"$WORK/ann.page"
[ -e "$WORK/asked" ] && exec cat "$WORK/ann.says"
touch "$WORK/asked"
echo 'I think that this is really fine.'
E
run pr panel review --members ann,ben "$SPEC"
is "$STATUS" 0 'a verdict in prose is asked for once more'
like "$(cat "$WORK/ann.page")" 'no JSON object' 'with the reason'
printf '#!/bin/sh\ncat >/dev/null\necho "Fine."\necho x >>%s\n' "$WORK/ann.count" >"$WORK/ann"
run pr panel review --members ann,ben,eve --rule majority "$SPEC"
like "$OUT" 'ann +m-ann +abstain' 'then it is an abstention'
is "$(head -c 4 "$WORK/ann.count")" 'x
x' 'asked twice and not more'
like "$OUT" "can't be read" 'and it is said why'
printf '#!/bin/sh\nexit 3\n' >"$WORK/ann"
run pr panel review --members ann,ben --rule majority "$SPEC"
is "$STATUS" 75 'a dead member leaves no quorum'
like "$OUT" 'no quorum: 1 of 2 members gave a verdict, and 2 are needed' 'and that is said'
printf '#!/bin/sh\nexec sleep 300\n' >"$WORK/ann"
run pr panel review --members ben,eve,ann --rule any-blocker --discuss 0 --deadline 5s "$SPEC"
is "$STATUS" 1 'who is late does not count'
like "$OUT" 'ann +m-ann +none' 'and the others decide'

# --- bad input ---
n=$(db 'SELECT count(*) FROM panel; SELECT count(*) FROM job; SELECT count(*) FROM message')
exits 65 'a panel of one' pr panel review --members ann "$SPEC"
like "$ERR" 'at least two members' 'says so'
exits 65 'the same member twice' pr panel review --members ann,ben,ann "$SPEC"
like "$ERR" "'ann' is on it twice" 'says so'
exits 65 'somebody unknown' pr panel review --members ann,zoe "$SPEC"
like "$ERR" "no role or brain" 'says so'
exits 65 'a person' pr panel review --members ann,spec-writer "$SPEC"
exits 65 'a quorum of four out of two' pr panel review --members ann,ben --quorum 4 "$SPEC"
exits 64 'an unknown rule' pr panel review --members ann,ben --rule most "$SPEC"
exits 64 'four rounds' pr panel review --members ann,ben --discuss 4 "$SPEC"
exits 65 'a primary who is not on it' pr panel review --members ann,ben --primary eve "$SPEC"
exits 64 'nobody on it' pr panel review /etc/hostname
exits 66 'no such file' pr panel review --members ann,ben nothing.md
: >empty.md
exits 65 'an empty file' pr panel review --members ann,ben empty.md
rm empty.md
exits 66 'no such panel' pr panel status 999
is "$(db 'SELECT count(*) FROM panel; SELECT count(*) FROM job; SELECT count(*) FROM message')" "$n" 'none of it has begun anything'
for bad in 'members = ann' 'members = ann, ann' 'members = ann, ben
primary = eve' 'members = ann, ben
quorum = 3' ''; do
    cp "$HOME_DIR/postrider.conf" "$WORK/conf"
    printf '[panel odd]\n%s\n' "$bad" >>"$HOME_DIR/postrider.conf"
    exits 78 "settings: ${bad:-nobody}" pr config check
    cp "$WORK/conf" "$HOME_DIR/postrider.conf"
done

# --- by a review-request ---
says ann approve 'Ann likes it.'
says ben approve 'Ben likes it.'
says eve revise 'Eve misses a timeout.' blocker
printf '[panel spec-reviewer-panel]\nmembers = ann, ben, eve\nrule = any-blocker\ndiscuss = 0\n' >>"$HOME_DIR/postrider.conf"
request=$(notify spec-writer review-request "$SPEC" spec-reviewer-panel)
pr serve --once 2>/dev/null
is "$(db "SELECT type || ' ' || sender || ' ' || recipients FROM event ORDER BY id DESC LIMIT 1")" 'rejection spec-reviewer-panel spec-writer' 'revise is a rejection'
is "$(record)" "proposed|$SPEC|" 'which leaves the state'
rejection=$(db "SELECT '<' || msgid || '>' FROM event ORDER BY id DESC LIMIT 1")
like "$(cat "$(mail_of "$rejection")")" 'Revise.*Ann likes it.*Eve misses a timeout.*\[blocker\] line 1' 'one mail has what everybody said'
is "$(header "$rejection" In-Reply-To)$(header "$rejection" References)" '' 'in a thread of its own'
is "$(db "SELECT outcome || ' ' || decided_by FROM cycle ORDER BY id DESC LIMIT 1")" 'rejected spec-reviewer-panel' 'the cycle is closed'
like "$(pr mail thread "$request")" "resolved by $rejection" 'and the thread of the request says by what'
echo 'It gives up after a minute.' >>"$SPEC"
says eve approve 'Now Eve likes it.'
notify spec-writer review-request "$SPEC" spec-reviewer-panel >/dev/null
pr serve --once 2>/dev/null
is "$(record)" "todo|specs/todo/user-auth.md|spec-reviewer-panel" 'mended, approved, moved'
exits 0 'artifact check is clean' pr artifact check
exits 0 'panel audit is clean' pr panel audit specs/todo/user-auth.md
is "$(pr panel list --json | jq -r '.[0].verdict')" approve 'panel list knows it'
is "$(pr panel audit specs/todo/user-auth.md --json | jq -r '[.[].model] | unique | join(" ")')" 'm-ann m-ben m-eve' 'the audit names the models'

# --- the author changes it under review: ballots are asked anew ---
printf 'Scope.\n' >specs/proposed/scope.md
cat >"$WORK/ben" <<E
#!/bin/sh
cat >/dev/null
if [ ! -e "$WORK/changed" ]; then
    touch "$WORK/changed"
    echo 'More.' >>"$ROOT/specs/proposed/scope.md"
    unset POSTRIDER_PORT
    "$PR_BIN" --home "$HOME_DIR" notify --from spec-writer --quiet status-update specs/proposed/scope.md spec-writer CONTEXT='more' >/dev/null
fi
cat "$WORK/ben.says"
E
notify spec-writer review-request specs/proposed/scope.md spec-reviewer-panel >/dev/null
pr serve --once 2>/dev/null
pr serve --once 2>/dev/null
is "$(db "SELECT group_concat(state) FROM panel WHERE artifact LIKE '%scope.md'")" 'void,closed' 'a panel about other bytes is void, and another takes its place'
is "$(record 'specs/*/scope.md')" 'todo|specs/todo/scope.md|spec-reviewer-panel' 'which approves what is there now'
like "$(cat "$WORK"/eve.page.*)" 'More\.' 'and has seen it'
printf 'Hello?\n' | pr send --to spec-reviewer-panel@workflow.local --subject hello >/dev/null
pr serve --once 2>/dev/null
like "$(mail_to_you)" 'does nothing now: it is asked by a' 'a mail that is no request is answered'

done_testing
