#!/usr/bin/env bash
# --commit: what was decided about an artifact is committed, and nothing else is; no hook runs, nothing is signed.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
workflow_home
cd "$ROOT" || exit 1
TODO=specs/todo/user-auth.md
last() { git log -1 --format="$1"; }

# Hooks, signing and an index with somebody's work in it.
for hook in pre-commit commit-msg prepare-commit-msg post-commit reference-transaction; do
    printf '#!/bin/sh\necho %s >>"%s/ran"\nexit 1\n' "$hook" "$WORK" >".git/hooks/$hook"
done
chmod 700 .git/hooks/*
git config commit.gpgSign true
git config gpg.program /bin/false
echo theirs >others.txt
git -c core.hooksPath=/dev/null add others.txt
printf 'Of theirs.\n' >>VISION.md
echo 'not added' >new.txt

notify spec-writer review-request "$SPEC" spec-reviewer >/dev/null
is "$(last %s)" start 'without --commit nothing is committed'
echo 'Revised.' >>"$SPEC"
notify spec-writer status-update "$SPEC" spec-reviewer CONTEXT=Mended --commit >/dev/null
is "$(last %s)" 'spec-writer: Update user-auth spec' 'a word of the author, with the bytes that it is about'
is "$(git show "HEAD:$SPEC")" $'The user logs in.\nRevised.' 'they are those of now'
if strace -o /dev/null true 2>/dev/null; then
    approval=$(POSTRIDER_TRACED=1 strace -f -y -qq -e trace=fsync,fdatasync -o "$WORK/calls" "$POSTRIDER_PLAIN_BIN" --home "$HOME_DIR" notify --quiet --from spec-reviewer approval "$SPEC" spec-writer NEXT_STATE=todo --commit)
    is "$(grep -cE 'sync\([0-9]+<.*/\.git/objects/' "$WORK/calls") $(grep -cE 'sync\([0-9]+<.*/\.git/refs/heads/main' "$WORK/calls")" '3 1' 'two trees, the commit and the branch are flushed'
else
    approval=$(notify spec-reviewer approval "$SPEC" spec-writer NEXT_STATE=todo --commit)
fi
like "$approval" '^<' 'an approval'
is "$(last %s)" 'spec-reviewer: Approve user-auth spec' 'is committed with these words'
is "$(last '%an <%ae>, %cn')" 'spec-reviewer <spec-reviewer@workflow.local>, spec-reviewer' 'by who approved'
is "$(git show --format= --name-status --no-renames HEAD | sort)" $'A\t'"$TODO"$'\nD\t'"$SPEC" 'these paths only'
is "$(git status --short | sort | tr '\n' ' ')" ' M VISION.md ?? new.txt ?? reviews/ A  others.txt ' 'what others have staged stays staged, and what they changed changed'
is "$(cat "$WORK/ran" 2>/dev/null)" '' 'no hook has run'
exits 0 'a move' pr artifact move --commit --from skeleton-writer "$TODO" doing
is "$(last %s)" 'skeleton-writer: Move user-auth spec to doing' 'is committed too'
is "$(db 'SELECT count(*) FROM effect')" 0 'and nothing is owed'

# A move by hand, adopted and committed; a file that git did not know; one without a folder of its state.
mkdir -p specs/blocked
git mv specs/doing/user-auth.md specs/blocked/user-auth.md
notify implementer blocker-report specs/blocked/user-auth.md you BLOCKING_DETAILS=x --commit >/dev/null
is "$(git show --format=%s --name-status --no-renames HEAD | sort | tr '\n' ' ')" $' A\tspecs/blocked/user-auth.md D\tspecs/doing/user-auth.md implementer: Block user-auth spec ' 'a move made by hand is committed whole'
printf 'New.\n' >specs/proposed/new.md
notify spec-writer review-request specs/proposed/new.md spec-reviewer --commit >/dev/null
is "$(git show HEAD:specs/proposed/new.md)" New. 'a file that git did not know'
notify vision-writer review-request VISION.md vision-reviewer --commit >/dev/null
is "$(last %s) $(git show --format= --name-only HEAD)" 'vision-writer: Request review of VISION vision VISION.md' 'an artifact that stays where it is'
n=$(git rev-list --count HEAD)
notify vision-writer status-update VISION.md vision-reviewer CONTEXT=x --commit >/dev/null
is "$(git rev-list --count HEAD)" "$n" 'what is committed already is not committed again'

# It waits for who is in the way, and comes then, once.
touch .git/MERGE_HEAD
notify spec-reviewer approval specs/proposed/new.md spec-writer --commit >/dev/null
is "$(git rev-list --count HEAD) $(test -f specs/todo/new.md && echo moved)" "$n moved" 'in the middle of a merge nothing is committed, and the move is made'
rm .git/MERGE_HEAD
touch .git/index.lock
pr serve --once 2>/dev/null
is "$(git rev-list --count HEAD)" "$n" 'nor while the index is locked'
rm .git/index.lock
pr serve --once 2>/dev/null
is "$(git rev-list --count HEAD) $(last %s)" "$((n + 1)) spec-reviewer: Approve new spec" 'then it is, once'

printf 'Revised.\n' >specs/proposed/REVISED.md
notify spec-writer review-request specs/proposed/REVISED.md spec-reviewer >/dev/null
notify spec-reviewer rejection specs/proposed/REVISED.md spec-writer ISSUES_FOUND=x >/dev/null

# Changed before it could be committed: nobody's bytes are, and a person hears it.
touch .git/index.lock
pr artifact move --commit --from skeleton-writer specs/todo/new.md doing >/dev/null
echo more >>specs/doing/new.md
rm .git/index.lock
pr serve --once 2>/dev/null
is "$(last %s)" 'spec-reviewer: Approve new spec' 'a file that was changed meanwhile is not committed'
like "$(cat "$HOME_DIR"/mail/you/new/*)" "'specs/doing/new.md' was changed meanwhile" 'and the coordinator hears it'
run pr doctor
like "$OUT$ERR" 'git-commit .*was changed meanwhile' 'doctor names it'

# Two see at the same time that it is owed: the second one finds it made.
touch .git/index.lock
pr artifact move --commit --from spec-reviewer specs/proposed/REVISED.md deferred >/dev/null
rm .git/index.lock
mkdir "$WORK/bin"
cat >"$WORK/bin/git" <<END
#!/bin/sh
PATH=$PATH
case "\$*" in *"rev-parse --verify -q HEAD^{commit}"*) echo >>"$WORK/asked" ;; esac
if [ "\$(wc -l <"$WORK/asked")" = 2 ] && mkdir "$WORK/once" 2>/dev/null; then "$PR_BIN" --home "$HOME_DIR" notify -q question - you QUESTION=x >/dev/null; fi
exec git "\$@"
END
chmod +x "$WORK/bin/git"
n=$(git rev-list --count HEAD)
PATH=$WORK/bin:$PATH pr serve --once 2>/dev/null
ok 'somebody else was there meanwhile' test -d "$WORK/once"
is "$(git rev-list --count HEAD) $(last %s)" "$((n + 1)) spec-reviewer: Move REVISED spec to deferred" 'two who see that it is owed commit it once'

# By settings: what is sent for review, and every move, whoever makes it.
pr config set workflow commit yes
printf 'Always.\n' >specs/proposed/always.md
notify spec-writer review-request specs/proposed/always.md spec-reviewer >/dev/null
is "$(last %s)" 'spec-writer: Request review of always spec' 'by settings, what is sent for review is committed'
notify spec-reviewer question specs/proposed/always.md spec-writer QUESTION='Always?' >/dev/null
is "$(last %s)" 'spec-writer: Request review of always spec' 'a question is not'
notify spec-reviewer approval specs/proposed/always.md spec-writer >/dev/null
pr artifact move --from skeleton-writer specs/todo/always.md doing >/dev/null
is "$(git log -2 --format=%s)" $'skeleton-writer: Move always spec to doing\nspec-reviewer: Approve always spec' 'each move is'
program_role implementer <<'END'
postrider notify --commit status-update specs/doing/always.md spec-writer CONTEXT=x 2>"$POSTRIDER_OUT/said"; echo "exit $?"
postrider artifact move --commit specs/doing/always.md blocked; echo "exit $?"
postrider artifact move specs/doing/always.md blocked; echo "exit $?"
END
pr send --to implementer --subject x <<<'go on' >/dev/null
did
is "$(grep -rhoE '^exit [0-9]+' "$HOME_DIR/mail/you/new" | head -n 3 | tr '\n' ' ')" 'exit 77 exit 77 exit 0 ' 'an agent commits by settings alone'
is "$(last %s)" 'implementer: Move always spec to blocked' 'and its moves are'
pr config set workflow commit no

# Where there is no repository nothing can be committed, and nothing happens.
rm -rf .git
n=$(db 'SELECT count(*) FROM event')
exits 65 'without a repository it is refused' pr notify --commit --from spec-writer status-update VISION.md you CONTEXT=x
like "$ERR" 'is in no git repository' 'with the reason'
is "$(db 'SELECT count(*) FROM event')" "$n" 'and nothing is said'
exits 64 'without an artifact too' pr notify --commit question - you QUESTION=x
done_testing
