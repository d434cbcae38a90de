#!/usr/bin/env bash
# The store is lost (`state/` is deleted) with open reviews and a panel at work: what was decided stays decided, open reviews are
# open again, the panel is void, and its members are asked anew.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
workflow_home
cd "$ROOT" || exit 1
for brain in ann ben; do
    printf '[brain %s]\ncommand = %s\n' $brain "$WORK/$brain" >>"$HOME_DIR/postrider.conf"
    printf '#!/bin/sh\ncat >/dev/null\necho x >>%s\nread -r way <%s || way=approve\n[ "$way" != die ] || kill -9 $PPID\necho "{\\"verdict\\": \\"$way\\", \\"assessment\\": \\"By %s.\\"}"\n' \
        "$WORK/$brain.asked" "$WORK/$brain.way" $brain >"$WORK/$brain"
    chmod +x "$WORK/$brain"
done
printf '[panel spec-reviewer-panel]\nmembers = ann, ben\ndiscuss = 0\n' >>"$HOME_DIR/postrider.conf"
lose() { rm -rf "$HOME_DIR/state"; }
once() { pr serve --once >"$WORK/serve.out" 2>&1; }
votes() { echo "$2" >"$WORK/$1.way"; }
asked() { cat "$WORK/$1.asked" 2>/dev/null | wc -l; }
begin() { rm -f "$WORK"/*.asked; echo "A spec." >"specs/proposed/$1.md"; SPEC=specs/proposed/$1.md; notify spec-writer review-request "$SPEC" spec-reviewer-panel; }
told() { cat "$HOME_DIR/mail/$1/new"/* "$HOME_DIR/mail/$1/cur"/* 2>/dev/null | tr -d '\r' | sed -e :a -e '/=$/{N; s/=\n//; ta}'; }
heard() { told "$1" | grep -c -- "$2"; }
cycles() { db "SELECT n || ' ' || outcome || ' ' || decided_by FROM cycle JOIN artifact ON artifact.id = cycle.artifact WHERE name = 'specs/*/$1.md' ORDER BY n"; }

# --- solo reviews: open, decided, renewed, answered ---
notify spec-writer review-request "$SPEC" spec-reviewer >/dev/null
question=$(notify spec-reviewer clarification-request "$SPEC" spec-writer QUESTION='Which limit?')
notify spec-reviewer question - platform-lead QUESTION='Who knows?' >/dev/null
echo 'After a minute.' >>"$SPEC"
pr notify --from spec-writer --quiet --in-reply-to "$question" answer "$SPEC" spec-reviewer CONTEXT='A minute.' >/dev/null
for name in done gone; do
    echo "About $name." >specs/proposed/$name.md
    notify spec-writer review-request specs/proposed/$name.md spec-reviewer >/dev/null
done
notify spec-reviewer approval specs/proposed/done.md spec-writer NEXT_STATE=todo >/dev/null
notify spec-reviewer rejection specs/proposed/gone.md spec-writer ISSUES_FOUND='No.' >/dev/null
notify spec-writer review-request specs/proposed/gone.md spec-reviewer >/dev/null
notify vision-writer review-request VISION.md vision-reviewer >/dev/null
notify vision-reviewer approval VISION.md vision-writer >/dev/null
once
pr artifact move --from skeleton-writer specs/todo/done.md doing >/dev/null
once
rows="SELECT name, state, path, artifact.author, cycle.n, msgid, cycle.author, reviewers, digest, outcome, decided_by, resolved_by FROM artifact JOIN cycle ON cycle.artifact = artifact.id ORDER BY name, n"
events="SELECT type, (SELECT name FROM artifact WHERE id = artifact), (SELECT n FROM cycle WHERE id = cycle), msgid, sender, recipients, state, digest, question, answer FROM event ORDER BY msgid"
before=$(db "$rows") events_before=$(db "$events") open_before=$(pr role inbox spec-reviewer --json | jq -c '[.[].event] | sort')
reviews=$(find reviews -type f | sort)
lose
is "$(pr artifact list --json | jq -r '.[] | .name + " " + .state' | sort)" 'VISION.md todo
specs/*/done.md doing
specs/*/gone.md proposed
specs/*/user-auth.md proposed' 'artifacts are known again, before anything was served'
is "$(db "$rows")" "$before" 'reviews are as they were: numbers, bytes, outcomes, who and by which mail'
is "$(db "$events")" "$events_before" 'and so is each event'
is "$(pr role inbox spec-reviewer --json | jq -c '[.[].event] | sort')" "$open_before" 'the same waits for the reviewer'
exits 0 'artifact check is clean, with the review records' pr artifact check
like "$(pr artifact list)" 'proposed +.*user-auth.md .*spec-reviewer' 'what is open waits for its reviewer'
once
exits 65 'what was approved is not approved again' pr notify --from spec-reviewer approval specs/doing/done.md spec-writer
like "$ERR" 'is closed: approved by spec-reviewer' 'and says by whom it was'
echo 'Changed.' >>"$SPEC"
exits 65 'an approval of other bytes is refused' pr notify --from spec-reviewer approval "$SPEC" spec-writer
sed -i '$d' "$SPEC"
exits 0 'what is open is decided' pr notify --from spec-reviewer approval "$SPEC" spec-writer
once
is "$(record)" 'todo|specs/todo/user-auth.md|spec-reviewer' 'once, and moved'
is "$(find reviews -type f | wc -l)" $(($(echo "$reviews" | wc -l) + 1)) 'with a review record of its own'
exits 0 'artifact check is clean' pr artifact check
lose
once
is "$(db "SELECT count(*) FROM cycle WHERE outcome = ''")" 1 'lost once more, nothing else is open'
is "$(told you)" '' 'and nobody is told of what lost nothing'

# --- a copy proves nothing ---
lose
cp "$HOME_DIR/mail/spec-reviewer/new"/*spec-writer* "$HOME_DIR/mail/platform-lead/new/"
rm -rf "$HOME_DIR/mail/spec-reviewer" "$HOME_DIR/mail/spec-writer" "$HOME_DIR/mail/vision-writer" "$HOME_DIR/mail/vision-reviewer"
printf 'X-Postrider-Origin: v1 from=you@workflow.local level=operator to=you mac=%064d\nMessage-ID: <x@y>\nFrom: spec-writer@workflow.local\nTo: you@workflow.local\nX-Event-Type: review-request\nX-Artifacts: specs/*/gone.md\nX-Workflow-State: proposed\nSubject: x\n\nx\n' 0 >"$HOME_DIR/mail/you/new/forged"
pr artifact list >/dev/null
is "$(db 'SELECT count(*) FROM artifact; SELECT count(*) FROM cycle')" '0
0' 'mail in another mailbox, and mail that is forged, open no review'
rm -f "$HOME_DIR/mail/you/new/forged" "$HOME_DIR/mail/platform-lead/new"/*
lose

# --- a panel: no ballot is in ---
begin none >/dev/null
votes ann die
once
lose
votes ann approve
rm -f "$WORK"/*.asked
is "$(pr artifact list --json | jq -r '.[] | select(.name | endswith("none.md")) | .state')" proposed 'an open review of a panel is listed'
is "$(pr panel list --json | jq -r '.[0].state + ": " + .[0].why')" 'void: The store that knew its ballots was lost' 'its panel is void'
once
is "$(record 'specs/*/none.md')" 'todo|specs/todo/none.md|spec-reviewer-panel' 'its members are asked anew, and decide'
is "$(asked ann) $(asked ben)" '1 1' 'each once'
is "$(heard spec-writer 'That panel is void. Its members are asked anew')" 1 'the author hears it, once'
is "$(heard you 'That panel is void. Its members are asked anew')" 1 'so does the coordinator'
like "$(told spec-writer)" 'To: spec-writer@workflow.local, you@workflow.local' 'and the coordinator with them'
is "$(heard spec-writer 'Subject: .APPROVAL.')" 1 'the decision comes once'
is "$(pr panel list --json | jq -r 'map(select(.subject == "none.md") | .state) | join(",")')" 'closed,void' 'both are listed'
exits 0 'panel audit is clean' pr panel audit specs/todo/none.md

# --- between ballots, twice in a row ---
begin between >/dev/null
votes ben die
once
is "$(db "SELECT count(*) FROM ballot WHERE verdict = 'approve'")" 3 'one ballot is in'
lose
once
lose
votes ben reject
rm -f "$WORK"/*.asked
once
is "$(cycles between)" '1  ' 'they disagree: no decision, and the review is open'
is "$(heard you 'between.md: no decision')" 1 'which the coordinator hears once'
lose
once
is "$(cycles between)$(asked ann)" '1  1' 'a panel that had ended is not asked anew, and its review is listed'
votes ben approve

# --- decided, and its mail was not delivered ---
begin decided >/dev/null
once
is "$(cycles decided)" '1 approved spec-reviewer-panel' 'decided'
rm -f "$HOME_DIR/mail/spec-writer/new"/* "$HOME_DIR/mail/spec-reviewer-panel/.Sent/cur"/*
rm -f "$WORK"/*.asked
lose
once
is "$(cycles decided)" '1 approved spec-reviewer-panel' 'where its mail was never delivered, the review record keeps it decided'
is "$(record 'specs/*/decided.md')" 'todo|specs/todo/decided.md|spec-reviewer-panel' 'with its move'
is "$(asked ann)" 0 'nobody is asked again'
is "$(heard spec-writer 'decided.md has ended: approved by spec-reviewer-panel')" 1 'author and coordinator hear it, once'
once
is "$(heard spec-writer 'decided.md has ended: approved by spec-reviewer-panel')" 1 'and not again'
exits 0 'artifact check is clean' pr artifact check

# --- in the discussion: what members have told each other is no ballot ---
sed -i 's/^discuss = 0/discuss = 1/' "$HOME_DIR/postrider.conf"
votes ann reject
votes ben approve
begin talked >/dev/null
POSTRIDER_DIE_AT=panel-before-decision pr serve --once >/dev/null 2>&1
is "$(db "SELECT count(*) FROM outbox WHERE space = 'spec-reviewer-panel-internal'")" 2 'both have told each other what they found'
votes ann approve
rm -f "$WORK"/*.asked
lose
once
is "$(cycles talked) $(asked ann) $(asked ben)" '1 approved spec-reviewer-panel 1 1' 'lost then: their first ballots are asked anew'
is "$(db "SELECT group_concat(member) FROM (SELECT member FROM space_member WHERE space = 'spec-reviewer-panel-internal' ORDER BY member)")" 'spec-reviewer-panel.ann,spec-reviewer-panel.ben' 'and they have their space again'

# --- panels without a review-request ---
exits 0 'one that ends' pr panel review --members ann,ben --discuss 0 VISION.md
votes ben die
pr panel review --no-wait --members ann,ben --discuss 0 "specs/todo/none.md" >/dev/null 2>&1
pr panel write --no-wait --members ann,ben --sections Goals specs/proposed/written.md 'A brief.' >/dev/null
once
rm -f "$WORK"/*.asked
lose
votes ben approve
once
is "$(pr panel list --json | jq -r 'map(select(.artifact == "" or .subject == "written.md") | .subject + " " + .state) | sort | join(", ")')" 'none.md void, written.md void' 'what was asked by hand is void, and nothing that had ended'
like "$(told you | tr '\n' ' ')" "panel was judging none.md. That panel is void, and nobody is asked again by itself: begin it anew with 'postrider panel review'" 'the coordinator hears it'
like "$(told you | tr '\n' ' ')" "panel was writing written.md. That panel is void, .*'postrider panel write'" 'of each'
is "$(asked ann)" 0 'nobody is asked again'
lose
once
is "$(heard you 'nobody is asked again by itself')" 2 'lost once more, nobody hears it again'
ok 'and nothing was written' test ! -e specs/proposed/written.md
exits 0 'artifact check is clean' pr artifact check

# --- an older store that knows the panel goes on with it ---
votes ben die
pr panel review --no-wait --members ann,ben --discuss 0 VISION.md >/dev/null 2>&1
once
cp -r "$HOME_DIR/state" "$WORK/older"
pr send --to spec-writer --subject newer <<<'Newer.' >/dev/null
once
lose
cp -r "$WORK/older" "$HOME_DIR/state"
n=$(heard you 'nobody is asked again by itself')
pr doctor --accept-backup >/dev/null 2>&1
votes ben approve
for hours in 1 2; do POSTRIDER_CLOCK=@$(($(date +%s) + hours * 3600)) pr serve --once >/dev/null 2>&1; done
is "$(pr panel list --json | jq -r '.[0] | .subject + " " + .verdict')" 'VISION.md approve' 'an older store goes on with a panel that it knows'
is "$(heard you 'nobody is asked again by itself')" "$n" 'and nobody hears that it is void'

# --- a home without artifacts ---
sed -i '/^\[workflow\]/,/^root/d' "$HOME_DIR/postrider.conf"
rm -rf "$HOME_DIR/state"
votes ben die
pr panel review --no-wait --members ann,ben --discuss 0 VISION.md >/dev/null 2>&1
once
is "$(pr panel list --json | jq -r '.[0].state')" open 'without artifacts, a panel that is at work'
is "$(heard you 'nobody is asked again by itself')" "$n" 'is not void'
lose
once
is "$(heard you 'nobody is asked again by itself')" $((n + 1)) 'but where the store is lost, it is, and the owner hears it'
done_testing
