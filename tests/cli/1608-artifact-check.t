#!/usr/bin/env bash
# artifact check names each disagreement of file, header and record, with its cure; artifact list is a board of 80 columns.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
workflow_home
cd "$ROOT" || exit 1
TODO=specs/todo/user-auth.md
finds() { exits 1 "$2" pr artifact check; like "$OUT" "$1" 'with its cure'; is "$(wc -l <<<"$OUT")" 1 'and nothing else'; }
fine() { exits 0 "$1" pr artifact check; }

request=$(notify spec-writer review-request "$SPEC" spec-reviewer)
ask=$(notify spec-reviewer --in-reply-to "$request" clarification-request "$SPEC" spec-writer QUESTION='Does it expire?')
answer=$(notify spec-writer --in-reply-to "$ask" answer "$SPEC" spec-reviewer CONTEXT='Yes.')
fine 'while a review is open, an answer may still change the artifact'
notify spec-reviewer approval "$SPEC" spec-writer >/dev/null
finds "$ask was asked, and answered by $answer, and the artifact has not changed since; what was decided belongs into it" 'a resolved thread that changed nothing'
echo 'It expires.' >>"$TODO"
fine 'what was decided stands in it'

# --- a question that planning asked, and that an answer has not brought into the artifact ---
printf 'Plan.\n' >specs/proposed/plan.md
request=$(notify spec-writer review-request specs/proposed/plan.md spec-reviewer)
ask=$(notify spec-reviewer question specs/proposed/plan.md spec-writer QUESTION='For whom?')
answer=$(notify you --in-reply-to "$ask" answer specs/proposed/plan.md spec-reviewer CONTEXT='For all.')
other=$(notify spec-reviewer question specs/proposed/plan.md spec-writer QUESTION='And nobody answers?')
fine 'before it is approved an answer may still change it'
notify spec-reviewer approval specs/proposed/plan.md spec-writer >/dev/null
finds "$ask was asked, and answered by $answer, and the artifact has not changed since" 'a question that changed nothing'
unlike "$OUT" "$other" 'but not one that is open'
echo 'For all.' >>specs/todo/plan.md
fine 'what was decided stands in it'
late=$(notify spec-writer question specs/todo/plan.md spec-reviewer QUESTION='When?')
notify spec-reviewer --in-reply-to "$late" answer specs/todo/plan.md spec-writer CONTEXT='Soon.' >/dev/null
fine 'what is asked after the approval is about the work'

# --- a mail about a move that was not made ---
printf 'Held.\n' >specs/proposed/held.md
notify spec-writer review-request specs/proposed/held.md spec-reviewer >/dev/null
approve_held() { notify spec-reviewer approval specs/proposed/held.md spec-writer; }
POSTRIDER_DIE_AT=file-moving approve_held >/dev/null 2>&1
echo theirs >specs/todo/held.md
pr serve --once 2>/dev/null
rm specs/todo/held.md
held=$(db "SELECT '<' || msgid || '>' FROM event WHERE type = 'approval' ORDER BY id DESC LIMIT 1")
finds "the record says 'proposed', but the mail $held says 'todo'; it is held: reject it, and send the event again" 'a mail that is held'
exits 0 'it is rejected' pr reject "$(pr --json outbox list --state held | jq -r '.[0].id')" 'It was not moved.'
approve_held >/dev/null
fine 'and sent again'
is "$(record 'specs/*/held.md' | cut -d'|' -f1); $(cat specs/todo/held.md)" 'todo; Held.' 'then it is moved'

# --- a review record whose place is taken ---
printf 'Taken.\n' >specs/proposed/taken.md
notify spec-writer review-request specs/proposed/taken.md spec-reviewer >/dev/null
POSTRIDER_DIE_AT=file-moving notify spec-reviewer approval specs/proposed/taken.md spec-writer >/dev/null 2>&1
taken=$(db "SELECT 'reviews/spec/' || strftime('%Y-%m-%dT%H-%M-%S', closed_us / 1000000, 'unixepoch') || '-taken-' || id || '-APPROVED.md' FROM cycle ORDER BY id DESC LIMIT 1")
echo theirs >"$taken"
pr serve --once 2>/dev/null
is "$(record 'specs/*/taken.md' | cut -d'|' -f1); $(cat "$taken")" 'todo; theirs' 'where somebody has the place of a review record it stays theirs, and the decision stands'
finds "the review record '$taken' was edited; it is written once: bring it back" 'a review record that could not be written'
text=$(db "SELECT substr(args, instr(args, '# Review')) FROM effect WHERE kind = 'file-new' AND failed IS NOT NULL")
run pr doctor
like "$OUT$ERR" "file-new '.*taken.*is there already" 'doctor names it'
printf '%s\n' "$text" >"$taken"
pr artifact move --from skeleton-writer specs/todo/taken.md doing >/dev/null
fine 'once its text is there, nothing is found'

review=$(echo reviews/spec/*-user-auth-*-APPROVED.md)
cp "$review" "$WORK/review"
sed -i 's/^Decided by: .*/Decided by: me/' "$review"
finds "the review record '$review' was edited; it is written once: bring it back" 'a review record that was edited'
rm "$review"
finds "the review record '$review' is gone; it is written once: bring it back" 'or removed'
cp "$WORK/review" "$review"
fine 'it is back'

mv "$TODO" "$WORK/spec.md"
finds "the record says 'todo', but there is no 'specs/\\*/user-auth.md'; bring the file back, as by 'git checkout', or make it anew" 'a file that is gone'
cp "$WORK/spec.md" "$TODO"
cp "$WORK/spec.md" "$SPEC"
finds "it is in two states: '$SPEC' and '$TODO'; remove one" 'a file in two states'
rm "$TODO"
finds "the record says 'todo', but the file lies in 'proposed'; move it back, or let who may do so say: postrider artifact move $SPEC proposed --from WHO" 'a file in another state'
mkdir -p specs/todo
mv "$SPEC" "$TODO"
fine 'it lies where it belongs'
if strace -o /dev/null true 2>/dev/null; then
    stuck() { POSTRIDER_TRACED=1 strace -f -qq -o /dev/null -e inject=renameat2:error=EIO "$POSTRIDER_PLAIN_BIN" --home "$HOME_DIR" "$@"; }
    exits 75 'a move that hangs' stuck artifact move --from skeleton-writer "$TODO" doing
    exits 1 'is found' stuck artifact check
    like "$OUT" "on its way to 'doing', and the file can't be moved now; it is tried again by itself" 'with what happens'
else
    pr artifact move --from skeleton-writer "$TODO" doing >/dev/null
fi
fine 'and is done once it can be'

# --- the board ---
for n in one two three-with-a-name-that-is-very-long-indeed-and-goes-on; do echo "$n" >"specs/proposed/$n.md"; done
notify spec-writer review-request specs/proposed/two.md spec-reviewer,platform-lead >/dev/null
notify spec-writer status-update specs/proposed/one.md you CONTEXT=x >/dev/null
notify spec-writer status-update specs/proposed/three-with-a-name-that-is-very-long-indeed-and-goes-on.md you CONTEXT=x >/dev/null
run pr artifact list
is "$(head -1 <<<"$OUT" | tr -s ' ')" 'STATE ARTIFACT HOLDER SINCE WAITS FOR' 'the board: state, artifact, holder, since when, whom it waits for'
is "$(awk 'length > 80' <<<"$OUT")" '' 'fits 80 columns'
is "$(tail -n +2 <<<"$OUT" | awk '{ print $1 }' | uniq | tr '\n' ' ')" 'proposed todo doing ' 'by state, in the order of the work'
is "$(pr --json artifact list | jq -r '.[] | select(.name == "specs/*/two.md") | .waits_for')" 'spec-reviewer,platform-lead' 'under review it waits for its reviewers'
is "$(pr --json artifact list | jq -r '.[] | select(.name == "specs/*/one.md") | .waits_for')" spec-reviewer 'else for who may bring it further'
is "$(pr --json artifact list | jq -r '.[] | select(.name == "specs/*/user-auth.md") | .holder, .waits_for')" $'skeleton-writer\nimplementation-reviewer' 'whoever holds it'
done_testing
