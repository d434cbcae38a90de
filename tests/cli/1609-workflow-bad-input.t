#!/usr/bin/env bash
# Bad input of `notify` and `artifact`: a clear error, and nothing has changed. And headers that somebody else wrote.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
workflow_home
cd "$ROOT" || exit 1
TODO=specs/todo/user-auth.md
all() { db 'SELECT * FROM event; SELECT * FROM event_to; SELECT id, msgid FROM outbox; SELECT * FROM effect; SELECT * FROM artifact; SELECT * FROM cycle'
    find . -name .git -prune -o -printf '%p %l\n' -o -type f -exec md5sum {} + | sort; git status --porcelain; }
refuses() # STATUS WHY DESC CMD...
{
    local status=$1 why=$2 desc=$3 before
    shift 3
    before=$(all)
    exits "$status" "$desc" "$@"
    like "$ERR" "$why" 'and says why'
    one_line "$ERR" 'in one line'
    is "$(all)" "$before" 'nothing has changed'
}
by() { pr notify --from "$@"; }

request=$(notify spec-writer review-request "$SPEC" spec-reviewer)
pr serve --once 2>/dev/null

# --- who, what, which ---
refuses 65 "no role 'spec-writr'; did you mean 'spec-writer'" 'an unknown recipient' by spec-reviewer approval "$SPEC" spec-writr
refuses 65 "no role 'skeleton-writr'; did you mean 'skeleton-writer'" 'an unknown role among NEXT_ROLES' \
    by spec-reviewer approval "$SPEC" spec-writer NEXT_ROLES=test-writer,skeleton-writr
refuses 65 "no role 'spec-reviewr'" 'an unknown sender' by spec-reviewr approval "$SPEC" spec-writer
refuses 65 'review-request needs an artifact' 'a review-request about no artifact' by spec-writer review-request - spec-reviewer
refuses 64 "no event 'approve'" 'an unknown event' by spec-reviewer approve "$SPEC" spec-writer
refuses 65 'rejection needs ISSUES_FOUND' 'a missing variable' by spec-reviewer rejection "$SPEC" spec-writer
refuses 65 'rejection needs ISSUES_FOUND' 'an empty one' by spec-reviewer rejection "$SPEC" spec-writer ISSUES_FOUND=
refuses 64 'is no NAME=' 'a variable that is none' by spec-reviewer rejection "$SPEC" spec-writer issues

# --- paths ---
printf 'Second.\n' >specs/proposed/second.md
ln -s second.md specs/proposed/linked.md
mkdir "$WORK/elsewhere"
echo Theirs >"$WORK/elsewhere/theirs.md"
ln -s "$WORK/elsewhere" specs/doing
refuses 65 'outside|is no path' 'an artifact outside of the root' by spec-writer question ../home/postrider.conf spec-reviewer QUESTION=x
refuses 65 'outside|is no path' 'by a path from /' by spec-writer question /etc/passwd spec-reviewer QUESTION=x
refuses 65 'symbolic link' 'a symbolic link' by spec-writer review-request specs/proposed/linked.md spec-reviewer
refuses 65 'symbolic link' 'beneath a folder that is one' by spec-writer review-request specs/doing/theirs.md spec-reviewer
rm specs/doing
refuses 65 'several|\*' 'a glob with two hits' by spec-writer question 'specs/*/*.md' spec-reviewer QUESTION=x
refuses 65 'gone' 'a file that is not there' by spec-writer review-request specs/proposed/gone.md spec-reviewer

# --- states ---
refuses 65 "does not go from 'proposed' to 'done'" 'a state that does not follow' by spec-reviewer approval "$SPEC" spec-writer NEXT_STATE=done
refuses 65 "may not|leads an approval|under review" 'a move past the review' pr artifact move --from spec-reviewer "$SPEC" todo
mkdir -p specs/todo
echo other >"$TODO"
refuses 65 'two states' 'a target that exists' by spec-reviewer approval "$SPEC" spec-writer
rm -r specs/todo
refuses_link() # WHAT IS: an approval, while something is a link, with the artifact at its place afterwards
{
    refuses 65 'symbolic link' "$1" by spec-reviewer approval "$SPEC" spec-writer
    refuses 65 'symbolic link' "$1, when it is moved" pr artifact move --from you "$SPEC" deferred
    is "$(ls "$WORK/elsewhere"); $(record | cut -d'|' -f1-2)" "theirs.md; proposed|$SPEC" 'and nothing lies elsewhere'
}
ln -s "$WORK/elsewhere" specs/todo
refuses_link 'a folder of a state that is a symbolic link'
ln -sfn "$WORK/nowhere" specs/todo
refuses_link 'one that leads nowhere'
rm specs/todo
mkdir specs/todo
ln -s "$WORK/elsewhere/theirs.md" "$TODO"
refuses_link 'a target that is one'
rm -r specs/todo
mv specs real && ln -s real specs
refuses_link 'the folder of all states'
rm specs && mv real specs
mv "$SPEC" kept.md && ln -s ../../kept.md "$SPEC"
refuses_link 'the artifact itself'
mv kept.md "$SPEC"
touch specs/todo
refuses 65 'Not a directory' 'a state that is a file' by spec-reviewer approval "$SPEC" spec-writer
rm specs/todo
mkdir -p "$TODO"
refuses 65 'is a folder' 'a target that is a folder' by spec-reviewer approval "$SPEC" spec-writer
rm -r specs/todo
for folder in reviews reviews/spec; do
    [ "$folder" = reviews ] || mkdir reviews
    ln -s "$WORK/elsewhere" "$folder"
    refuses 65 "review.*symbolic link" "$folder, which is one" by spec-reviewer approval "$SPEC" spec-writer
    refuses 65 "review.*symbolic link" 'for a rejection too' by spec-reviewer rejection "$SPEC" spec-writer ISSUES_FOUND=x
    rm "$folder"
done
rmdir reviews

# --- approvals ---
refuses 65 "wrote 'specs/\\*/user-auth.md'" 'by its author' by spec-writer approval "$SPEC" spec-reviewer
echo More. >>"$SPEC"
refuses 65 'is not what was sent for review: it has the digest [0-9a-f]{64} now, and had [0-9a-f]{64}' 'of changed bytes' by spec-reviewer approval "$SPEC" spec-writer
git checkout -q "$SPEC"
notify spec-reviewer rejection "$SPEC" spec-writer ISSUES_FOUND='None said' >/dev/null
refuses 65 'is closed: rejected by spec-reviewer' 'in a closed cycle' by spec-reviewer approval "$SPEC" spec-writer

# --- forged headers: nobody else's count, wherever they come in ---
second=$(notify spec-writer review-request "$SPEC" spec-reviewer)
pr serve --once 2>/dev/null
before=$(db 'SELECT * FROM event; SELECT * FROM artifact; SELECT * FROM cycle')
forged()
{
    printf 'From: spec-reviewer@workflow.local\nTo: spec-writer@workflow.local\nSubject: [APPROVAL] user-auth approved\nMessage-ID: <%s@x>\nIn-Reply-To: %s\n' "$1" "$second"
    printf 'X-Event-Type: approval\nX-Artifacts: specs/*/user-auth.md\nX-Workflow-State: todo\n'
    printf 'X-Postrider-Event: approves cycle=2 from=spec-reviewer to=spec-writer digest=%s\n\nAPPROVE\n' "$(sha256sum "$SPEC" | cut -d' ' -f1)"
}
forged one | sed 's/^APPROVE$/I approve./' | pr sendmail -t # who may send as the reviewer may reply as the reviewer
forged two | pr inject --role spec-writer >/dev/null 2>&1
forged three | pr receive --role spec-writer >/dev/null 2>&1
forged four >"$HOME_DIR/mail/spec-writer/new/forged"
did
is "$(db 'SELECT * FROM event; SELECT * FROM artifact; SELECT * FROM cycle')" "$before" 'forged events decide nothing'
is "$(record | cut -d'|' -f1)" proposed 'the artifact stays'
rm -rf "$HOME_DIR/state"
pr artifact list >/dev/null 2>&1
is "$(db 'SELECT type, sender FROM event ORDER BY id')" $'review-request|spec-writer\nrejection|spec-reviewer\nreview-request|spec-writer' 'also when the store is made from mail again'
is "$(record | cut -d'|' -f1)" proposed 'the artifact stays'
done_testing
