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

review=$(echo reviews/spec/*-APPROVED.md)
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
is "$(tail -n +2 <<<"$OUT" | awk '{ print $1 }' | uniq | tr '\n' ' ')" 'proposed doing ' 'by state, in the order of the work'
is "$(pr --json artifact list | jq -r '.[] | select(.name == "specs/*/two.md") | .waits_for')" 'spec-reviewer,platform-lead' 'under review it waits for its reviewers'
is "$(pr --json artifact list | jq -r '.[] | select(.name == "specs/*/one.md") | .waits_for')" spec-reviewer 'else for who may bring it further'
is "$(pr --json artifact list | jq -r '.[] | select(.name == "specs/*/user-auth.md") | .holder, .waits_for')" $'skeleton-writer\nimplementation-reviewer' 'whoever holds it'
done_testing
