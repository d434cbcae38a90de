#!/usr/bin/env bash
# A program in a git repository: a worktree per job, what it left is committed, the reply has a patch that git am takes.
. "$(dirname "$0")/../lib/tap.sh"
command -v git >/dev/null || skip_all 'no git'
. "$(dirname "$0")/../lib/git.sh"

brain() { cat >"$HOME_DIR/scripts/agent" && chmod 700 "$HOME_DIR/scripts/agent" && pr config set 'brain default' command scripts/agent; }
newest() { newest_file "$HOME_DIR"/mail/you/new/*; }
body() { python3 -c 'import sys,email,email.policy; print(email.message_from_binary_file(open(sys.argv[1],"rb"), policy=email.policy.default).get_body(("plain",)).get_content())' "$(newest)"; }
names() { python3 -c 'import sys,email,email.policy; print(*[a.get_filename() for a in email.message_from_binary_file(open(sys.argv[1],"rb"), policy=email.policy.default).iter_attachments()])' "$(newest)"; }
tree_of() { git -C "$1" rev-parse "$2^{tree}"; }
reply() { pr send --to envoy --subject 'Re: x' --in-reply-to "<$(db "SELECT original_msgid FROM job WHERE id = $1")>" >/dev/null; }

pr init >/dev/null
pr config set 'role envoy' retry no
pr config set 'role envoy' name 'The Envoy'
R=$WORK/project
git_project "$R"
pr config set 'role envoy' workdir "$R"

brain <<'S'
#!/bin/sh
cat >"$POSTRIDER_WORK/prompt"
pwd
git mv src/a.txt src/b.txt
printf 'four\n' >>src/b.txt
git commit -q -am 'Move a and add four'
printf '\000\001\377bin' >src/data.bin
chmod 755 README
printf 'obj\n' >x.o
echo extra >new.txt
echo note >"$POSTRIDER_OUT/note.txt"
S
ok 'a program in a repository' pr ask 'change it'
T=$HOME_DIR/work/envoy/1/tree
like "$OUT" "$T" 'works in a worktree of its own'
is "$(git -C "$R" status --porcelain)" '' 'the repository'"'"'s own folder is untouched'
is "$(git -C "$T" symbolic-ref HEAD)" refs/heads/postrider/1 'on a branch of the job'
is "$(git -C "$R" log --format='%an <%ae> %cn %s' main..postrider/1)" \
    'The Envoy <envoy@postrider.local> The Envoy change it
The Envoy <envoy@postrider.local> The Envoy Move a and add four' 'what it left is committed as the role, behind its own commit'
is "$(git -C "$T" status --porcelain --ignored)" '!! x.o' 'ignored files stay out'
B=$(body)
like "$B" 'src/\{a.txt => b.txt\} \|   1 \+' 'the reply has a diffstat'
like "$B" '4 files changed, 2 insertions' 'with the sum'
like "$B" '2 commits on branch `postrider/1`:' 'and the commits'
like "$B" $'\n    [0-9a-f]{7,} Move a and add four' 'by id and subject'
like "$B" '`git merge postrider/1` takes it over; elsewhere `git am postrider-1.patch`' 'and says how to take it over'
is "$(names)" 'postrider-1.patch note.txt' 'the patch and what lies in out/ are attached'
patch_of "$(newest)" >"$WORK/1.patch"
git clone -q "$R" "$WORK/clone"
ok 'git am takes the patch in a fresh clone' git -C "$WORK/clone" am -q "$WORK/1.patch"
is "$(tree_of "$WORK/clone" HEAD)" "$(tree_of "$R" postrider/1)" 'and has the tree of the branch'
like "$(git -C "$R" diff --summary -M main postrider/1)" 'rename src/\{a.txt => b.txt\}' 'with a rename,'
like "$(git -C "$R" diff --summary -M main postrider/1)" 'mode change 100644 => 100755 README' 'a change of mode'
like "$(git -C "$R" diff --numstat main postrider/1)" '-[[:space:]]-[[:space:]]src/data.bin' 'and a binary file'
like "$(cat "$HOME_DIR/work/envoy/1/prompt")" "Files that you leave in $HOME_DIR/work/envoy/1/out/" 'the page names out/ by its whole path'

# A second round: the same tree goes on; the patch is the whole series again.
brain <<'S'
#!/bin/sh
cat >/dev/null
ls x.o
echo five >>src/b.txt
S
reply 1 <<<'and five'
pr serve --once >/dev/null 2>&1
like "$(body)" 'x.o' 'a later round works in the same tree'
is "$(names)" 'postrider-1-v2.patch' 'and attaches a new version of the patch'
patch_of "$(newest)" >"$WORK/2.patch"
git -C "$WORK/clone" reset -q --hard origin/main
ok 'which is the whole series' git -C "$WORK/clone" am -q "$WORK/2.patch"
is "$(tree_of "$WORK/clone" HEAD)" "$(tree_of "$R" postrider/1)" 'up to the newest'

brain <<'S'
#!/bin/sh
cat >/dev/null
echo 'Nothing to do.'
S
reply 1 <<<'anything else?'
pr serve --once >/dev/null 2>&1
is "$(body | sed '/^-- $/,$d')" 'Nothing to do.' 'where nothing changed nothing is added'
is "$(names)" '' 'nor attached'

# What people have merged is not sent again.
git -C "$R" merge -q postrider/1
brain <<'S'
#!/bin/sh
cat >/dev/null
echo six >>src/b.txt
echo done
S
reply 1 <<<'six'
pr serve --once >/dev/null 2>&1
like "$(body)" '1 commit on branch' 'after a merge the next reply has what is new'
patch_of "$(newest)" >"$WORK/3.patch"
git -C "$WORK/clone" fetch -q && git -C "$WORK/clone" reset -q --hard origin/main
ok 'and its patch fits what was merged' git -C "$WORK/clone" am -q "$WORK/3.patch"
is "$(tree_of "$WORK/clone" HEAD)" "$(tree_of "$R" postrider/1)" 'up to the newest'

# Two jobs at once.
brain <<S
#!/bin/sh
cat >/dev/null
echo "job \$POSTRIDER_JOB" >who.txt
: >"$WORK/at.\$POSTRIDER_JOB"
read -r _ <"$WORK/door"
cat who.txt
S
shut_door
start_serve
echo one | pr send --to envoy --subject one >/dev/null
echo two | pr send --to envoy --subject two >/dev/null
both() { [ -e "$WORK/at.2" ] && [ -e "$WORK/at.3" ]; }
ok 'two jobs work in one repository at once' wait_for both
open_door
done_both() { [ "$(db "SELECT count(*) FROM job WHERE state = 'done'")" = 3 ]; }
ok 'both end' wait_for done_both
stop_serve
is "$(git -C "$R" show postrider/2:who.txt) $(git -C "$R" show postrider/3:who.txt)" 'job 2 job 3' 'each on its own branch'

# commit = no, and a subfolder.
pr config set 'role envoy' commit no
pr config set 'role envoy' workdir "$R/src"
brain <<'S'
#!/bin/sh
cat >/dev/null
pwd
echo left >left.txt
S
ok 'workdir is a folder within the repository' pr ask 'where'
like "$OUT" "$HOME_DIR/work/envoy/4/tree/src" 'it works in that folder of the tree'
is "$(git -C "$R" log --format=%s main..postrider/4)" '' 'commit = no commits nothing'
like "$OUT" 'Not committed: what it left stays in its worktree' 'and says so'
ok 'where it is' test -e "$HOME_DIR/work/envoy/4/tree/src/left.txt"
done_testing
