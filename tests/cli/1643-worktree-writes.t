#!/usr/bin/env bash
# What a program changes under the path of an artifact in its worktree is written to the artifact when it notifies, and when it
# ends: for whoever may write it, over the bytes that the program began with.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
workflow_home
cd "$ROOT" || exit 1
export SAID=$WORK/said
digest() { sha256sum "$1" | cut -d' ' -f1; }
told() { cat "$HOME_DIR/mail/you/new"/* 2>/dev/null | tr -d '\r' | sed -e :a -e '/=$/{N; s/=\n//; ta}'; }
forget() { rm -f "$HOME_DIR/mail/you/new"/*; }
works() { { echo "SAID=$SAID"; cat; echo 'echo Done.'; } | program_role "$1"; pr config set "role $1" workdir "$ROOT"; } # standard input: what it does
ask() { pr send --to "$1" --subject work <<<'Please.' >/dev/null; did; }
# One more mail to the newest job of a role.
again() { pr send --to "$1" --in-reply-to "$(db "SELECT '<' || msgid || '>' FROM outbox WHERE job = (SELECT max(id) FROM job WHERE role = '$1') ORDER BY id DESC LIMIT 1")" --subject again <<<'More.' >/dev/null; did; }
events() { db "SELECT type || ' ' || sender || ' ' || digest FROM event ORDER BY id"; }

# --- a new one: its writer notifies, and ends ---
works spec-writer <<'END'
echo 'A session ends.' >specs/proposed/sessions.md
postrider notify review-request specs/proposed/sessions.md spec-reviewer >>$SAID 2>&1
echo 'After an hour.' >>specs/proposed/sessions.md
postrider notify status-update specs/proposed/sessions.md spec-reviewer CONTEXT='longer' >>$SAID 2>&1
echo 'Or two.' >>specs/proposed/sessions.md
echo 'notes of mine' >notes.txt
END
ask spec-writer
is "$(cat specs/proposed/sessions.md)" 'A session ends.
After an hour.
Or two.' 'what it has written last lies in the checkout' || diag "$(cat "$SAID")"
first=$(printf 'A session ends.\n' | sha256sum | cut -d' ' -f1) second=$(printf 'A session ends.\nAfter an hour.\n' | sha256sum | cut -d' ' -f1)
is "$(events)" "review-request spec-writer $first
status-update spec-writer $second" 'each event is about the bytes that the program had then'
is "$(db "SELECT author FROM artifact WHERE name LIKE '%sessions.md'")" spec-writer 'it is the author'
ok 'nothing else is copied' test ! -e notes.txt
unlike "$(told)" 'not written' 'and complains of nothing'
like "$(pr job log "$(db "SELECT max(id) FROM job WHERE role = 'spec-writer'")")" "wrote 'specs/proposed/sessions.md'" 'the step says what it wrote'
exits 0 'artifact check is clean' pr artifact check

# --- the holder, in a later state; another turn of the same job goes on from what it wrote ---
notify spec-writer review-request "$SPEC" you >/dev/null
notify you approval "$SPEC" spec-reviewer >/dev/null
did
pr artifact move --from skeleton-writer specs/todo/user-auth.md doing >/dev/null
did
forget
works skeleton-writer <<'END'
echo "The user logs in: $(ls turn.* 2>/dev/null | wc -l)." >specs/proposed/user-auth.md
touch turn.$$
END
ask skeleton-writer
is "$(cat specs/doing/user-auth.md)" 'The user logs in: 0.' 'the holder changes it, wherever it lies by now'
ok 'and where it lay nothing is' test ! -e "$SPEC"
again skeleton-writer
is "$(cat specs/doing/user-auth.md)" 'The user logs in: 1.' 'another turn of the job writes over what the first has written'
unlike "$(told)" 'not written' 'and complains of nothing'

# --- what others have changed is not replaced ---
forget
echo 'By hand.' >>specs/doing/user-auth.md
again skeleton-writer
like "$(cat specs/doing/user-auth.md)" 'By hand' 'what others have written stays'
wrote=$(printf 'The user logs in: 1.\n' | sha256sum | cut -d' ' -f1)
like "$(told | tr '\n' ' ')" "not written: .*has changed: it has the digest $(digest specs/doing/user-auth.md) now, and had $wrote" 'and the answer names both digests'

# --- who may not ---
forget
: >"$SAID"
works test-writer <<'END'
echo 'Mine.' >specs/proposed/user-auth.md
postrider notify question specs/doing/user-auth.md spec-reviewer QUESTION='May I?' >>$SAID 2>&1
echo "exit $?" >>$SAID
END
before=$(cat specs/doing/user-auth.md)
ask test-writer
is "$(cat specs/doing/user-auth.md)" "$before" 'who may not write it changes nothing'
like "$(cat "$SAID")" "may not write 'specs/\\*/user-auth.md'; who may: skeleton-writer.*exit 65" 'its notify is refused, and says who may'
like "$(told | tr '\n' ' ')" "not written: .*may not write" 'so does the answer'

# --- neither an artifact of the record, nor new ---
echo 'Nobody has asked for a review.' >specs/proposed/old.md
git add -A && git commit -qm more
forget
works implementer <<'END'
postrider notify question - spec-reviewer QUESTION='Is it so?' >/dev/null
echo 'Changed.' >specs/proposed/old.md
ln -s /etc/passwd specs/proposed/link.md
echo 'x' >specs/proposed/.hidden; mkdir -p specs/done; echo 'x' >specs/done/late.md
printf '\377' >specs/proposed/odd.md
rm -f specs/proposed/sessions.md
END
ask implementer
is "$(cat specs/proposed/old.md)" 'Nobody has asked for a review.' 'a file that the record does not know is left to the branch'
ok 'a link is none' test ! -e specs/proposed/link.md
like "$(told | tr '\n' ' ')" "late.md' was changed in the worktree, and not written: .*begins in .proposed" 'a new one in a later state is refused'
like "$(told | tr '\n' ' ')" "odd.md' was changed in the worktree, and not written: .*no text in UTF-8" 'so is what is no text'
like "$(told)" 'The work is done, but for this:' 'also where the program has said all that it had to say itself'
unlike "$(told)" "(hidden|link|old)[.]?[md]*' was changed" 'and nothing else is told'
ok 'what was removed there stays' test -e specs/proposed/sessions.md
exits 0 'artifact check is clean' pr artifact check

# --- killed on the way: it is written once, over what the worktree began with ---
forget
git add -A && git commit -qm more --allow-empty
works spec-writer <<'END'
cat $SAID >specs/proposed/sessions.md
END
for point in worktree-read step-composed step-committed file-writing step-settled; do
    echo "$point" >"$SAID"
    pr send --to spec-writer --subject work <<<'Please.' >/dev/null
    POSTRIDER_DIE_AT=$point pr serve --once >/dev/null 2>&1
    [ $point = step-settled ] || isnt "$(cat specs/proposed/sessions.md)" "$point" "killed at $point"
    did
    is "$(cat specs/proposed/sessions.md)" "$point" "then it is written"
    git add -A && git commit -qm "$point"
done
unlike "$(told)" 'not written' 'and nobody is told of anything else'
is "$(db 'SELECT count(*) FROM effect'; ls specs/proposed | grep -c edited)" '0
0' 'nothing is owed, and nothing lies beside'
done_testing
