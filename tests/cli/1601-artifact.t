#!/usr/bin/env bash
# Artifacts: an approval counts for the bytes that were reviewed, file, mail and record change together, moves that were made
# by hand are adopted, and what may not be is refused and changes nothing.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
workflow_home
cd "$ROOT" || exit 1
TODO=specs/todo/user-auth.md
pr artifact list >/dev/null
all() { db "SELECT count(*) FROM event; SELECT count(*) FROM outbox; SELECT count(*) FROM effect; SELECT state, path, holder, cycle FROM artifact; SELECT outcome FROM cycle"; find . -name .git -prune -o -type f -print | sort; }
refuses() # WHY DESC CMD...
{
    local why=$1 desc=$2 before
    shift 2
    before=$(all)
    exits 65 "$desc" "$@"
    like "$ERR" "$why" 'and says why'
    is "$(all)" "$before" 'nothing has changed'
}

# --- example 1 and pattern 1: review, approval, move ---
refuses 'nobody has asked' 'an approval of what nobody sent for review' pr notify --from spec-reviewer approval "$SPEC" spec-writer
request=$(notify spec-writer review-request "$SPEC" spec-reviewer CONTEXT="Focus on error handling patterns")
refuses "wrote 'specs/\\*/user-auth.md'" 'approval by its author' pr notify --from spec-writer approval "$SPEC" spec-writer
refuses 'may not move' 'approval by somebody else' pr notify --from test-writer approval "$SPEC" spec-writer
refuses 'does not go from' 'a state that does not follow' pr notify --from spec-reviewer approval "$SPEC" spec-writer NEXT_STATE=done
refuses 'no state of a spec' 'a state that is none' pr notify --from spec-reviewer approval "$SPEC" spec-writer NEXT_STATE=tdo
refuses 'is under review|leads an approval' 'a move past the review' pr artifact move --from spec-reviewer "$SPEC" todo
mkdir -p specs/todo
echo other >"$TODO"
refuses 'two states' 'a target that exists' pr notify --from spec-reviewer approval "$SPEC" spec-writer
rm "$TODO"
echo 'changed' >>"$SPEC"
refuses 'is not what was sent for review: it has the digest [0-9a-f]{64} now, and had [0-9a-f]{64}' 'approval of changed bytes' \
    pr notify --from spec-reviewer approval "$SPEC" spec-writer
notify spec-writer status-update "$SPEC" spec-writer CONTEXT="Mended" >/dev/null
is "$(db "SELECT recipients FROM event WHERE type = 'status-update'")" 'spec-writer,spec-reviewer' 'a word of the author renews the bytes, and the reviewer gets it'
approval=$(notify spec-reviewer approval "$SPEC" spec-writer NEXT_STATE=todo NEXT_ROLES="skeleton-writer,test-writer")
ok 'the file has moved' test -f "$TODO" -a ! -e "$SPEC"
is "$(record)" "todo|$TODO|spec-reviewer" 'the record says so'
is "$(git status --short | sort | tr '\n' ' ')" "?? reviews/ RM $SPEC -> $TODO " 'and so does the index, as after git mv'
pr serve --once 2>/dev/null
is "$(header "$approval" X-Workflow-State)" todo 'the header too'
is "$(header "$approval" Subject)" '[APPROVAL] user-auth approved' 'its subject'
for role in spec-writer skeleton-writer test-writer; do
    is "$(grep -rlF "Message-ID: $approval" "$HOME_DIR/mail/$role/new" | wc -l)" 1 "$role has it, once"
done
is "$(header "$approval" In-Reply-To)" "<$(db "SELECT msgid FROM event WHERE type = 'status-update'")>" 'in the thread of its cycle'
review=$(echo reviews/spec/*-user-auth-*-APPROVED.md)
like "$(cat "$review")" "Decided by: spec-reviewer.*Decision: $approval" 'a review record was written'
exits 0 'artifact check finds nothing' pr artifact check 'specs/*/user-auth.md'
exits 66 'but not of what nobody knows' pr artifact check specs/proposed/none.md
run pr artifact check
is "$OUT" '' 'and says nothing'
refuses 'is closed: approved by spec-reviewer' 'approval in a closed cycle' pr notify --from spec-reviewer approval "$TODO" spec-writer

# --- pattern 4: the author sends the approval on ---
run pr notify --from spec-writer approval "$TODO" test-writer,implementer
like "$OUT" 'was approved by spec-reviewer' 'it names who decided'
is "$(record)" "todo|$TODO|spec-reviewer" 'and moves nothing'

# --- work begins, is blocked, goes on (example 3, pattern 3) ---
exits 0 'the skeleton writer takes it' pr artifact move --from skeleton-writer "$TODO" doing
is "$(record)" 'doing|specs/doing/user-auth.md|skeleton-writer' 'and holds it'
mkdir specs/blocked
git mv specs/doing/user-auth.md specs/blocked/user-auth.md
exits 1 'a move made by hand is found' pr artifact check
like "$OUT" "the record says 'doing', but the file lies in 'blocked'" 'and named'
blocker=$(notify implementer blocker-report specs/blocked/user-auth.md you BLOCKING_DETAILS="Library incompatible" CONTEXT="Tried adapters")
is "$(record)" 'blocked|specs/blocked/user-auth.md|implementer' 'notify adopts it'
answer=$(notify platform-lead --in-reply-to "$blocker" answer specs/blocked/user-auth.md implementer CONTEXT="Use async" NEXT_ACTIONS="Wait, then retry")
is "$(db "SELECT answer FROM event WHERE type = 'blocker-report'")" "$(tr -d '<>' <<<"$answer")" 'the blocker has its answer'
exits 0 'its holder goes on' pr artifact move --from implementer 'specs/*/user-auth.md' doing
exits 0 'artifact check finds nothing' pr artifact check

# --- An approval after git mv ---
printf 'Second.\n' >specs/proposed/second.md
notify spec-writer review-request specs/proposed/second.md spec-reviewer >/dev/null
mv specs/proposed/second.md specs/todo/second.md
refuses "file lies in 'todo'" 'others do not adopt what needs an approval' pr notify --from spec-writer status-update specs/todo/second.md spec-reviewer CONTEXT=x
exits 0 'an approval adopts the move' pr notify --from spec-reviewer approval specs/todo/second.md spec-writer NEXT_STATE=todo
is "$(record 'specs/*/second.md')" 'todo|specs/todo/second.md|spec-reviewer' 'the record follows'

# --- rejection and a new cycle ---
printf 'Third.\n' >specs/proposed/third.md
notify spec-writer review-request specs/proposed/third.md spec-reviewer >/dev/null
exits 0 'a rejection' pr notify --from spec-reviewer rejection specs/proposed/third.md spec-writer ISSUES_FOUND="No errors named"
like "$OUT" 'Subject: \[REVISION NEEDED\] third requires changes' 'its subject'
is "$(record 'specs/*/third.md')" 'proposed|specs/proposed/third.md|' 'the artifact stays'
ok 'with a review record' test -f reviews/spec/*-third-*-REJECTED.md
echo more >>specs/proposed/third.md
notify spec-writer review-request specs/proposed/third.md spec-reviewer >/dev/null
is "$(db "SELECT n, outcome FROM cycle WHERE artifact = (SELECT id FROM artifact WHERE name LIKE '%third%')")" $'1|rejected\n2|' 'a new cycle'

# --- a state without a folder ---
notify vision-writer review-request VISION.md vision-reviewer >/dev/null
exits 0 'an artifact without a folder is approved' pr notify --from vision-reviewer approval VISION.md vision-writer
is "$(record VISION.md)" 'todo|VISION.md|vision-reviewer' 'the record alone knows its state'

# --- paths that are none ---
is "$(pr artifact log 'specs/*/user-auth.md' | wc -l)" 7 'a glob finds it in any state'
ln -s /etc/passwd specs/proposed/link.md
for path in ../x.md /etc/passwd specs/proposed/../../x.md 'specs/*/*.md' 'specs/proposed/u*.md' README specs/proposed/gone.md specs/proposed/link.md specs/nostate/x.md; do
    exits 65 "'$path' is no artifact" pr notify --from spec-writer review-request "$path" spec-reviewer
done

# --- somebody else was there, between the decision and the move ---
printf 'Fourth.\n' >specs/proposed/fourth.md
notify spec-writer review-request specs/proposed/fourth.md spec-reviewer >/dev/null
POSTRIDER_DIE_AT=file-moving pr notify --from spec-reviewer approval specs/proposed/fourth.md spec-writer >/dev/null 2>&1
is "$(db "SELECT to_state FROM artifact WHERE name LIKE '%fourth%'")" todo 'a move that was decided and not made'
echo theirs >specs/todo/fourth.md
pr serve --once 2>/dev/null
is "$(record 'specs/*/fourth.md')" 'proposed|specs/proposed/fourth.md|' 'somebody else was there: the record stays'
is "$(cat specs/todo/fourth.md)" theirs 'their file too'
is "$(db "SELECT state FROM delivery d JOIN outbox o ON o.id = d.outbox WHERE o.subject LIKE '%fourth approved' GROUP BY state")" held 'the mail is held'
is "$(db "SELECT outcome FROM cycle ORDER BY id DESC LIMIT 1")" '' 'the review is open again'
is "$(grep -rl 'Subject: An artifact was not moved' "$HOME_DIR/mail/spec-reviewer/new" "$HOME_DIR/mail/you/new" | wc -l)" 2 'mover and coordinator hear it'
exits 1 'artifact check says so' pr artifact check

# --- a locked index delays no mail ---
printf 'Fifth.\n' >specs/proposed/fifth.md
git add specs/proposed/fifth.md
notify spec-writer review-request specs/proposed/fifth.md spec-reviewer >/dev/null
touch .git/index.lock
last=$(notify spec-reviewer approval specs/proposed/fifth.md spec-writer)
pr serve --once 2>/dev/null
is "$(header "$last" X-Workflow-State)" todo 'a locked index delays no mail'
is "$(db "SELECT count(*) FROM effect WHERE kind = 'git-index' AND failed IS NULL")" 1 'the index is owed'
rm .git/index.lock
pr serve --once 2>/dev/null
is "$(git ls-files specs | grep fifth)" specs/todo/fifth.md 'and follows later'
done_testing
