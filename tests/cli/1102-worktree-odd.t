#!/usr/bin/env bash
# Repositories and worktrees in every odd state: each has a clear outcome, and no mail is lost.
. "$(dirname "$0")/../lib/tap.sh"
command -v git >/dev/null || skip_all 'no git'
. "$(dirname "$0")/../lib/git.sh"

newest() { newest_file "$HOME_DIR"/mail/you/new/*; }
job() { db 'SELECT max(id) FROM job'; }
reply() { pr send --to envoy --subject 'Re: x' --in-reply-to "<$(db "SELECT original_msgid FROM job WHERE id = $1")>" <<<'more' >/dev/null; }
role() { pr config set 'role envoy' "$1" "$2"; }
# The job of a mail that can't be worked on: it waits, no attempt counts, and its reason is said. Then it is cancelled.
waits() # DESC REASON
{
    echo x | pr send --to envoy --subject odd >/dev/null
    pr serve --once >/dev/null 2>&1
    is "$(db "SELECT state, attempts FROM job WHERE id = $(job)")" 'queued|0' "$1: the job waits, no attempt counts"
    like "$(pr show "$(job)")" "$2" "$1: the reason is said"
    pr cancel "$(job)" >/dev/null
}

pr init >/dev/null
role retry no
cat >"$HOME_DIR/scripts/agent" <<'S'
#!/bin/sh
cat >/dev/null
echo "$POSTRIDER_JOB $(wc -c <"$0")" >>work.txt
pwd
cat work.txt
S
chmod 700 "$HOME_DIR/scripts/agent"
pr config set 'brain default' command scripts/agent
R=$WORK/project
git_project "$R"
role workdir "$R"

# A worktree that was removed by hand, in three ways.
ok 'a job' pr ask 'first'
T=$HOME_DIR/work/envoy/1/tree
rm -rf "$T"
reply 1 && pr serve --once >/dev/null 2>&1
is "$(wc -l <"$T/work.txt")" 2 'rm -rf: the worktree is made again from its branch'
git -C "$R" worktree remove --force "$T"
reply 1 && pr serve --once >/dev/null 2>&1
is "$(wc -l <"$T/work.txt")" 3 'git worktree remove: likewise'
rm -rf "$R/.git/worktrees"
echo 'not lost' >"$T/uncommitted"
reply 1 && pr serve --once >/dev/null 2>&1
is "$(wc -l <"$T/work.txt")" 4 'the repository has forgotten it: likewise'
ok 'and what was not committed is kept aside' grep -rq 'not lost' "$HOME_DIR/work/envoy/1/old"
rm -f "$T/.git"
reply 1 && pr serve --once >/dev/null 2>&1
is "$(wc -l <"$T/work.txt")" 5 'the file .git is gone: the tree goes on'
rm -f "$T/.git" && git init -q "$T"
reply 1 && pr serve --once >/dev/null 2>&1
is "$(wc -l <"$T/work.txt")" 6 'a repository was made in its place: the tree goes on'
is "$(git -C "$R" show postrider/1:work.txt | wc -l)" 6 'all of it on the branch'
: >"$R/.git/worktrees/tree/index.lock"
reply 1 && pr serve --once >/dev/null 2>&1
is "$(git -C "$R" show postrider/1:work.txt | wc -l)" 7 'a lock that a killed git has left is broken'

# A branch that somebody has checked out elsewhere; one that is gone.
git -C "$R" worktree remove --force "$T"
git -C "$R" checkout -q postrider/1
reply 1 && pr serve --once >/dev/null 2>&1
is "$(git -C "$T" symbolic-ref HEAD)" refs/heads/postrider/1-2 'checked out elsewhere: a second branch goes on from there'
is "$(git -C "$R" show postrider/1-2:work.txt | wc -l)" 8 'with all that was done'
like "$(cat "$(newest)")" 'postrider/1-2' 'and the reply names it'
git -C "$R" checkout -q main
git -C "$R" worktree remove --force "$T"
git -C "$R" branch -q -D postrider/1 postrider/1-2
reply 1 && pr serve --once >/dev/null 2>&1
is "$(wc -l <"$T/work.txt")" 1 'branch and worktree are gone: it begins again from the base'

# A branch of another home.
git -C "$R" branch -q postrider/2 main~0 && git -C "$R" commit -q --allow-empty -m 'Next'
ok 'a job whose branch is taken' pr ask 'second'
is "$(git -C "$HOME_DIR/work/envoy/2/tree" symbolic-ref HEAD)" refs/heads/postrider/2-2 'takes another name'
is "$(git -C "$R" rev-parse postrider/2)" "$(git -C "$R" rev-parse main~1)" 'and leaves that branch alone'

# A lost store: the job comes back by its checkpoint, or not; its folder is there.
python3 -c 'import sqlite3,sys; d=sqlite3.connect(sys.argv[1]); d.execute("DELETE FROM tree WHERE job = 2"); d.commit()' "$HOME_DIR/state/postrider.db"
reply 2 && pr serve --once >/dev/null 2>&1
is "$(git -C "$HOME_DIR/work/envoy/2/tree" symbolic-ref HEAD) $(wc -l <"$HOME_DIR/work/envoy/2/tree/work.txt")" 'refs/heads/postrider/2-2 2' \
    'a row that is lost: the job finds its tree by the folder'

# What the repository is like.
git -C "$R" checkout -q --detach main
ok 'a detached HEAD' pr ask 'detached'
is "$(git -C "$R" rev-parse "postrider/$(job)~1")" "$(git -C "$R" rev-parse HEAD)" 'is the base'
git -C "$R" checkout -q main
role base main~1
ok 'a base' pr ask 'based'
is "$(git -C "$R" rev-parse "postrider/$(job)~1")" "$(git -C "$R" rev-parse main~1)" 'counts'
role base nowhere
waits 'a base that does not exist' "base 'nowhere' names no commit"
sed -i 's/^base = nowhere/base = --help/' "$HOME_DIR/postrider.conf"
waits 'a base that is an option' "base '--help' names no commit"
role base ''
git clone -q --depth 1 "file://$R" "$WORK/shallow"
role workdir "$WORK/shallow"
ok 'a shallow repository' pr ask 'shallow'
like "$(cat "$(newest)")" 'postrider-[0-9]*.patch' 'has its patch'
git clone -q --bare "$R" "$WORK/bare.git"
role workdir "$WORK/bare.git"
ok 'a bare repository' pr ask 'bare'
like "$OUT" "/work/envoy/$(job)/tree" 'has worktrees too'
exits 65 'but nothing to apply to' pr job apply "$(job)"
role workdir "$WORK/nowhere"
like "$(pr status)" "role 'envoy': workdir '$WORK/nowhere' is no folder" 'a workdir that is not there: status names it'
run pr doctor
like "$OUT$ERR" "workdir '$WORK/nowhere' is no folder" 'so does doctor'
git init -q "$WORK/empty"
role workdir "$WORK/empty"
waits 'an empty repository' 'has no commit yet'
role workdir "$R/.git/refs"
waits 'a folder within .git' 'lies within the git folder'
mkdir "$WORK/broken" && mkdir "$WORK/broken/.git"
role workdir "$WORK/broken"
waits 'a damaged repository' 'is no repository that can be used'
git -C "$R" -c protocol.file.allow=always submodule --quiet add "file://$WORK/bare.git" sub 2>/dev/null
git -C "$R" commit -q -m 'Submodule'
role workdir "$R"
ok 'submodules' pr ask 'submodule'
is "$(git -C "$R" ls-tree "postrider/$(job)" sub)" "$(git -C "$R" ls-tree main sub)" 'stay as they are'
mkdir "$R/untracked"
role workdir "$R/untracked"
ok 'a folder that the repository does not keep' pr ask 'untracked'
like "$OUT" "$R/untracked" 'is a folder like any other'
rm -rf "$R/untracked"
role workdir "$R"
mkdir "$WORK/nogit" && for c in sh cat wc pwd env; do ln -s "$(command -v $c)" "$WORK/nogit/$c"; done
echo x | pr send --to envoy --subject odd >/dev/null
PATH=$WORK/nogit "$PR_BIN" --home "$HOME_DIR" serve --once >/dev/null 2>&1
like "$(pr show "$(job)")" 'git is not installed' 'no git: the reason is said'
is "$(db "SELECT state, attempts FROM job WHERE id = $(job)")" 'queued|0' 'and the job waits'
ok 'until there is one' pr continue "$(job)"
pr serve --once >/dev/null 2>&1
is "$(db "SELECT state FROM job WHERE id = $(job)")" done 'then it is done'
if [ "$(id -u)" = 0 ]; then
    git_project "$WORK/other" && chown -R 65534 "$WORK/other"
    role workdir "$WORK/other"
    waits 'a repository of another user' 'belongs to another user'
    git config --file "$GIT_CONFIG_GLOBAL" --add safe.directory "$WORK/other"
    ok 'safe.directory lets us work there' pr ask 'other'
else
    skip 'a repository of another user' 'only root can make one'
fi

# What the program leaves behind.
role workdir "$R"
agent() { cat >"$HOME_DIR/scripts/agent"; }
agent <<'S'
#!/bin/sh
cat >/dev/null
git checkout -q -b feature && echo y >y.txt && git add y.txt && git commit -q -m 'On feature' && echo z >z.txt
echo ok
S
ok 'a program that goes to another branch' pr ask 'feature'
n=$(job)
is "$(git -C "$R" log --format=%s "main..postrider/$n")" $'feature\nOn feature' 'the branch of the job follows'
is "$(git -C "$HOME_DIR/work/envoy/$n/tree" symbolic-ref HEAD)" "refs/heads/postrider/$n" 'and the worktree is on it again'
is "$(git -C "$R" log -1 --format=%s feature)" 'On feature' 'its own branch stays'
agent <<'S'
#!/bin/sh
cat >/dev/null
git checkout -q -b side && echo a >README && git commit -q -am side && git checkout -q - && echo b >README && git commit -q -am ours
git merge side >/dev/null 2>&1
echo stuck
S
ok 'a program that ends within a merge' pr ask 'merge'
like "$OUT" 'Not committed: it left a merge or a rebase unfinished' 'is told of'
like "$OUT" '1 commit on branch' 'with what it had committed'
agent <<'S'
#!/bin/sh
cat >/dev/null
git checkout -q -b side2 && echo a >a2 && git add a2 && git commit -q -m side && git checkout -q - && echo b >b2 && git add b2 && git commit -q -m ours
git merge -q side2 -m merged
printf 'dos\r\nlines\r\n' >dos.txt
echo merged
S
ok 'a program that has merged' pr ask 'merged'
like "$OUT" 'git am --keep-cr postrider-[0-9]+.patch`, as one commit, since there are merges' 'sends one commit'
git clone -q "$R" "$WORK/clone"
patch_of "$(newest)" >"$WORK/m.patch"
ok 'which git am takes' git -C "$WORK/clone" am -q --keep-cr "$WORK/m.patch"
is "$(git -C "$WORK/clone" rev-parse 'HEAD^{tree}')" "$(git -C "$R" rev-parse "postrider/$(job)^{tree}")" 'with the same tree'
agent <<'S'
#!/bin/sh
cat >/dev/null
head -c 3000000 /dev/urandom >big.bin
printf 'x' >"$(printf 'a\033[31mb\nc')"
git init -q inner && echo z >inner/z
git commit -q --allow-empty -m "$(printf 'red \033[31m subject')"
echo big
S
ok 'a patch above 1 MB, and names that are no names' pr ask 'big'
like "$OUT" 'larger than 1 MB and not attached: `git format-patch' 'is only named'
unlike "$OUT" $'\033' 'what the program named is escaped'
like "$OUT" 'inner/ is a repository of its own' 'a repository within is left'
unlike "$(cat "$(newest)")" 'filename="?postrider' 'nothing is attached'
agent <<'S'
#!/bin/sh
cat >/dev/null
rm -rf "$POSTRIDER_WORK/tree"
echo gone
S
ok 'a program that removes its tree' pr ask 'remove it'
like "$OUT" 'gone' 'is answered all the same'

# A folder without git is for one job at a time.
mkdir "$WORK/plain"
role workdir "$WORK/plain"
agent <<S
#!/bin/sh
cat >/dev/null
echo "\$POSTRIDER_JOB begins" >>log
read -r _ <"$WORK/door"
echo "\$POSTRIDER_JOB ends" >>log
echo ok
S
shut_door
start_serve
first=$(($(job) + 1))
for i in 1 2; do echo $i | pr send --to envoy --subject "plain $i" >/dev/null; done
ok 'one of two jobs works in a folder without git' wait_for test -s "$WORK/plain/log"
second_waits() { [ "$(db "SELECT count(*) FROM job WHERE id >= $first AND state = 'queued'")" = 1 ]; }
ok 'the other waits' wait_for second_waits
is "$(db "SELECT max(attempts) FROM job WHERE id >= $first AND state = 'queued'")" 0 'and no attempt counts'
open_door
both_done() { [ "$(db "SELECT count(*) FROM job WHERE id >= $first AND state = 'done'")" = 2 ]; }
ok 'until its turn comes' wait_for both_done
stop_serve
is "$(cut -d' ' -f2 "$WORK/plain/log" | tr '\n' ' ')" 'begins ends begins ends ' 'one after the other'
done_testing
