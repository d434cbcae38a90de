#!/usr/bin/env bash
# job diff, job apply: what a job has changed, and taking it over; and [keep] work, which takes worktrees away.
. "$(dirname "$0")/../lib/tap.sh"
command -v git >/dev/null || skip_all 'no git'
. "$(dirname "$0")/../lib/git.sh"

agent() { cat >"$HOME_DIR/scripts/agent" && chmod 700 "$HOME_DIR/scripts/agent"; }
ask() { run pr ask "$1" && [ -z "$ERR" ]; }

pr init >/dev/null
pr config set 'role envoy' retry no
R=$WORK/project
git_project "$R"
printf 'Use tabs.\n' >"$R/CLAUDE.md"
ln -s CLAUDE.md "$R/AGENTS.md"
printf 'In src: no tabs.\n' >"$R/src/AGENTS.md"
git -C "$R" add -A && git -C "$R" commit -q -m 'For agents'
agent <<'S'
#!/bin/sh
cat >"$POSTRIDER_WORK/prompt"
printf 'changed\n' >>src/a.txt
printf '\000\001' >bin
printf 'Use blanks.\n' >CLAUDE.md
echo done
S
pr config set 'brain default' command scripts/agent
exits 66 'no such job' pr job diff 7
ok 'a job outside of git' pr ask 'plain'
exits 66 'has no diff' pr job diff 1
like "$ERR" 'job 1 has not worked in a git repository' 'and says so'
pr config set 'role envoy' workdir "$R"
ok 'a job' pr ask 'first'

# What the project says to agents.
page=$(cat "$HOME_DIR/work/envoy/2/prompt")
like "$page" '=== FILE CLAUDE.md OF THE PROJECT \[[^]]*\] ===
Use tabs.
=== END' 'CLAUDE.md of the base commit is on the page'
unlike "$page" 'AGENTS.md OF THE PROJECT' 'a link to it is not'
ok 'the page can be built again' pr show 2@1 --context
is "$OUT" "$page" 'byte for byte'
pr config set 'role envoy' workdir "$R/src"
ok 'a job in a folder' pr ask 'in src'
page=$(cat "$HOME_DIR/work/envoy/3/prompt")
like "$page" 'Use tabs.*In src: no tabs.' 'is shown what stands in that folder, too'
pr config set 'role envoy' workdir "$R"

# diff
ok 'job diff' pr job diff 2
like "$OUT" $'\n\\+changed' 'has the change'
pr job diff 2 >"$WORK/2.diff"
git clone -q "$R" "$WORK/clone"
ok 'git apply takes what it prints' git -C "$WORK/clone" apply --index "$WORK/2.diff"
is "$(git -C "$WORK/clone" write-tree)" "$(git -C "$R" rev-parse 'postrider/2^{tree}')" 'binary files too'
ok '--stat' pr job diff --stat 2
like "$OUT" '3 files changed' 'is short'
ok '--json' pr --json job diff 2
is "$(echo "$OUT" | python3 -c 'import json,sys; d=json.load(sys.stdin); print(d["job"], d["branch"], "+changed" in d["diff"])')" '2 postrider/2 True' 'has it too'

# apply
echo local >>"$R/README"
exits 75 'apply: not while there are changes' pr job apply 2
like "$ERR" 'changes in .* that are not committed' 'that are not committed'
git -C "$R" add README
exits 75 'nor staged ones' pr job apply 2
git -C "$R" reset -q --hard
echo mine >"$R/bin"
exits 65 'nor over a file that nobody added' pr job apply 2
is "$(cat "$R/bin")" mine 'which stays'
rm "$R/bin"
is "$(git -C "$R" status --porcelain)" '' 'and nothing has changed'
touch -d yesterday "$R/README"
ok 'apply' pr job apply 2
like "$OUT" 'merged postrider/2 into main' 'says so'
is "$(git -C "$R" rev-parse main)" "$(git -C "$R" rev-parse postrider/2)" 'the branch moves'
is "$(git -C "$R" status --porcelain)" '' 'index and files follow'
ok 'again' pr job apply 2
like "$OUT" 'main has all of postrider/2 already' 'there is nothing to do'
git -C "$R" reset -q --hard HEAD~1
git -C "$R" commit -q --allow-empty -m 'Meanwhile'
ok 'apply where both went on' pr job apply 2
is "$(git -C "$R" log -1 --format='%P %an %s')" "$(git -C "$R" rev-parse main~1) $(git -C "$R" rev-parse postrider/2) Ann Merge branch 'postrider/2'" \
    'is a merge by the person'
is "$(git -C "$R" status --porcelain)" '' 'and clean'
git -C "$R" reset -q --hard HEAD~1
printf 'other\n' >>"$R/src/a.txt" && git -C "$R" commit -q -am 'Other'
before=$(git -C "$R" rev-parse main)
exits 65 'a conflict' pr job apply 2
like "$ERR" 'conflicts in src/a.txt; nothing has changed' 'is named'
is "$(git -C "$R" rev-parse main) $(git -C "$R" status --porcelain)" "$before " 'and nothing has'
git -C "$R" checkout -q --detach
exits 65 'no branch is checked out' pr job apply 2
git -C "$R" checkout -q main
exits 66 'apply of a job without a branch' pr job apply 1

# keep
DAY=86400
later() { for s in 0 7200; do POSTRIDER_CLOCK=+$(($1 * DAY + s)) pr serve --once >/dev/null 2>&1; done; }
later 13
ok 'after 13 days the worktree is there' test -e "$HOME_DIR/work/envoy/2/tree/README"
later 15
not_ok 'after 15 days it is gone' test -e "$HOME_DIR/work/envoy/2"
is "$(git -C "$R" worktree list | wc -l)" 1 'the repository has forgotten it'
ok 'its branch stays' git -C "$R" rev-parse -q --verify refs/heads/postrider/2
ok 'and so does its diff' pr job diff 2
POSTRIDER_CLOCK=+$((16 * DAY)) pr send --to envoy --subject 'Re: first' --in-reply-to "<$(db 'SELECT original_msgid FROM job WHERE id = 2')>" <<<more >/dev/null
POSTRIDER_CLOCK=+$((16 * DAY)) pr serve --once >/dev/null 2>&1
is "$(git -C "$HOME_DIR/work/envoy/2/tree" symbolic-ref HEAD)" refs/heads/postrider/2 'a later mail has the worktree made again'
git -C "$R" branch -q -D postrider/3
exits 66 'a branch that somebody deleted' pr job diff 3
mv "$R" "$R.moved"
exits 78 'a repository that is gone' pr job diff 2
done_testing
