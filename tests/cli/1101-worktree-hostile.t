#!/usr/bin/env bash
# Nothing of a repository runs because of us: hooks, filters, textconv, external diffs, fsmonitor, signing, merge drivers.
. "$(dirname "$0")/../lib/tap.sh"
command -v git >/dev/null || skip_all 'no git'
. "$(dirname "$0")/../lib/git.sh"

brain() { cat >"$HOME_DIR/scripts/agent" && chmod 700 "$HOME_DIR/scripts/agent" && pr config set 'brain default' command scripts/agent; }
newest() { newest_file "$HOME_DIR"/mail/you/new/*; }
witnesses() { (cd "$WORK/seen" && ls); }

pr init >/dev/null
pr config set 'role envoy' retry no
R=$WORK/project
mkdir "$WORK/seen"
git_project "$R"
printf '* filter=evil diff=evil merge=evil\n' >"$R/.gitattributes"
git -C "$R" add -A && git -C "$R" commit -q -m 'Attributes'
pr config set 'role envoy' workdir "$R"

# A witness is a program that leaves its name, and then does what a harmless one would.
witness() { printf '#!/bin/sh\n: >"%s/seen/%s"\n%s\n' "$WORK" "$1" "$2" >"$WORK/w-$1" && chmod 755 "$WORK/w-$1" && echo "$WORK/w-$1"; }
arm() # the repository, by its settings and hooks
{
    local h
    for h in post-checkout pre-commit commit-msg prepare-commit-msg post-commit post-index-change reference-transaction pre-auto-gc \
        post-merge pre-merge-commit post-rewrite applypatch-msg; do
        cp "$(witness "$h" 'exit 0')" "$R/.git/hooks/$h"
    done
    git -C "$R" config core.fsmonitor "$(witness fsmonitor 'exit 1')"
    git -C "$R" config filter.evil.clean "$(witness clean cat)"
    git -C "$R" config filter.evil.smudge "$(witness smudge cat)"
    git -C "$R" config filter.evil.required true
    git -C "$R" config diff.external "$(witness external 'exit 0')"
    git -C "$R" config diff.evil.command "$(witness command 'exit 0')"
    git -C "$R" config diff.evil.textconv "$(witness textconv 'cat "$1"')"
    git -C "$R" config merge.evil.driver "$(witness driver 'exit 0') %A"
    git -C "$R" config commit.gpgSign true
    git -C "$R" config gpg.program "$(witness gpg 'exit 1')"
    git -C "$R" config log.showSignature true
    git -C "$R" config core.pager "$(witness pager cat)"
    git -C "$R" config core.editor "$(witness editor 'exit 0')"
    git -C "$R" config core.sshCommand "$(witness ssh 'exit 1')"
    git -C "$R" config core.alternateRefsCommand "$(witness alternates 'exit 0')"
    git -C "$R" config sequence.editor "$(witness sequence 'exit 0')"
    git -C "$R" config format.attach true
    git -C "$R" config format.subjectPrefix evil
    git -C "$R" config core.splitIndex true
    git -C "$R" config index.version 4
}
arm
rm -f "$WORK"/seen/*
git -C "$R" checkout -q main 2>/dev/null
git -C "$R" diff HEAD~1 >/dev/null 2>&1
isnt "$(witnesses)" '' 'the witnesses work: git itself calls them'
rm -f "$WORK"/seen/*

brain <<'S'
#!/bin/sh
cat >/dev/null
echo more >>README
printf '\000' >bin
git add README
git commit -q -m 'By the agent' --no-verify -- README 2>&1
echo rest >rest.txt
echo 'It is done.'
S
# What the agent calls itself is its own affair: its filters ran, so what they left is taken away when it ends.
sed -i "s|^echo 'It is done.'|rm -f '$WORK'/seen/clean '$WORK'/seen/smudge; ls '$WORK/seen' >'$WORK/agent'; &|" "$HOME_DIR/scripts/agent"
ok 'a program works there' pr ask 'please'
like "$OUT" 'It is done.' 'and answers'
is "$(cat "$WORK/agent")" '' 'no hook and no signature in what the agent commits'
is "$(witnesses)" '' 'nothing of the repository was run by us'
is "$(git -c log.showSignature=false -C "$R" log --format=%s main..postrider/1)" $'please\nBy the agent' 'both commits are there'
patch_of "$(newest)" >"$WORK/1.patch"
like "$(cat "$WORK/1.patch")" 'Subject: \[PATCH 2/2\] please' 'the patch is as git makes it without settings'
git clone -q "$R" "$WORK/clone"
ok 'and git am takes it' git -C "$WORK/clone" am -q "$WORK/1.patch"
is "$(git -C "$WORK/clone" rev-parse 'HEAD^{tree}')" "$(git -C "$R" rev-parse 'postrider/1^{tree}')" 'with the same tree'

# The agent itself writes the settings, while it works, and bends its own worktree.
rm -f "$WORK"/seen/*
brain <<S
#!/bin/sh
cat >/dev/null
git config filter.late.clean '$(witness late-clean cat)'
git config diff.late.textconv '$(witness late-textconv cat)'
echo '* filter=late diff=late' >.gitattributes
mkdir -p fake/objects fake/refs
cp "\$(git rev-parse --git-dir)/HEAD" fake/HEAD
printf '[core]\n\tfsmonitor = $(witness late-fsmonitor 'exit 1')\n' >fake/config
echo "\$PWD/fake" >"\$(git rev-parse --git-dir)/commondir"
echo 'x' >x.txt
rm -f '$WORK'/seen/*
echo bent
S
ok 'an agent that bends its worktree' pr ask 'bend it'
is "$(witnesses)" '' 'runs nothing outside of itself'
is "$(git -c core.fsmonitor=false -C "$R" show postrider/2:x.txt 2>/dev/null)" x 'and what it left is committed'

# The verbs.
rm -f "$WORK"/seen/*
ok 'job diff' pr job diff 1
like "$OUT" 'rest.txt' 'shows the change'
git -C "$R" -c core.hooksPath=/dev/null -c filter.evil.clean=cat -c filter.evil.smudge=cat reset -q --hard
rm -f "$WORK"/seen/*
ok 'job apply' pr job apply 1
is "$(witnesses)" '' 'neither runs anything of the repository'
is "$(cat "$R/rest.txt")" rest 'and it is merged'
done_testing
