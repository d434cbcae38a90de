#!/usr/bin/env bash
# Where artifacts of a kind lie: {name} is a file of one folder, {path} of that folder and of those below it. Which kind is
# meant where several fit, and paths that are none.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
workflow_home
cd "$ROOT" || exit 1
cat >>"$HOME_DIR/postrider.conf" <<'END'
[artifact code]
path = src/{path}
states = record
moves = proposed done spec-reviewer
[artifact flat]
path = src/{name}
states = record
[artifact core]
path = src/core/{path}
states = record
[artifact header]
path = src/core/{name}.h
states = record
[artifact page]
path = pages/{state}/{path}.md
moves = proposed todo spec-reviewer
END
exits 0 'a {path} may end a path' pr config check
mkdir -p src/a/b src/core/x pages/proposed/api/v1
for file in src/top.c src/a/b/c.c src/core/x/y.c src/core/z.h pages/proposed/api/v1/login.md pages/proposed/index.md; do echo "$file" >$file; done
kind_of() { pr artifact list >/dev/null; db "SELECT kind || ' ' || name FROM artifact WHERE path = '$1'"; }
sends() { exits 0 "$1 can be reviewed" pr notify -q --from spec-writer review-request "$1" spec-reviewer; is "$(kind_of "$1")" "$2" "and is of its kind"; }
sends src/top.c 'code src/top.c'
sends src/a/b/c.c 'code src/a/b/c.c'
sends src/core/x/y.c 'core src/core/x/y.c'
sends src/core/z.h 'core src/core/z.h'
sends pages/proposed/api/v1/login.md 'page pages/*/api/v1/login.md'
sends pages/proposed/index.md 'page pages/*/index.md'

exits 0 'one with folders below its state is approved' pr notify -q --from spec-reviewer approval 'pages/*/api/v1/login.md' spec-writer
is "$(record 'pages/*/api/v1/login.md' | cut -d'|' -f1,2); $(cat pages/todo/api/v1/login.md)" 'todo|pages/todo/api/v1/login.md; pages/proposed/api/v1/login.md' 'and moves to a folder that is made'
exits 0 'one without a folder of its state too' pr notify -q --from spec-reviewer approval src/a/b/c.c spec-writer
is "$(record src/a/b/c.c | cut -d'|' -f1)" 'done' 'which the record knows'
pr serve --once 2>/dev/null
is "$(find reviews -type f | wc -l)" 2 'both reviews are on file'
exits 0 'and all agrees' pr artifact check
mkdir -p pages/proposed/api/v1 && echo again >pages/proposed/api/v1/login.md
exits 65 'one in two states' pr notify -q --from spec-writer review-request 'pages/*/api/v1/login.md' spec-reviewer
like "$ERR" "two states: 'pages/proposed/api/v1/login.md' and 'pages/todo/api/v1/login.md'" 'is refused with both'
rm pages/proposed/api/v1/login.md

# --- what is none ---
ln -s a src/link
ln -s /etc src/core/etc
n=$(db 'SELECT count(*) FROM event')
for path in src src/a src/a/b src/a/ src//top.c src/./top.c src/../src/top.c src/a/../top.c src/../../x 'src/*' 'src/*/b/c.c' 'src/a/*' 'src/a/*.c' 'pages/*/*/v1/login.md' \
    'pages/*/api/*/login.md' pages/none/index.md pages/proposed/index.txt src/link/b/c.c src/core/etc/passwd src/a/gone.c; do
    exits 65 "'$path' is no artifact" pr notify --from spec-writer review-request "$path" spec-reviewer
done
is "$(db 'SELECT count(*) FROM event')" "$n" 'and nothing was said of any'

# --- in a worktree ---
printf 'built/\n' >.gitignore
git add -A && git commit -qm more
program_role spec-writer <<'END'
echo changed >src/top.c
echo changed >src/a/b/c.c
mkdir -p src/a/new src/a/built
echo new >src/a/new/file.c
echo new >src/a/built/file.o
echo Done.
END
pr config set 'role spec-writer' workdir "$ROOT"
pr send --to spec-writer --subject work <<<'Please.' >/dev/null
did
is "$(cat src/top.c src/a/new/file.c)" $'changed\nnew' 'what a program changes below a folder is written'
is "$(cat src/a/b/c.c)" src/a/b/c.c 'but for what it may not write'
not_ok 'and what .gitignore names' test -e src/a/built

# --- settings that can't be meant ---
cp "$HOME_DIR/postrider.conf" "$WORK/good"
for path in 'x{path}' '{path}/x' 'a/{path}/b' 'a/{path}{path}' '{name}/{path}' 'a/x{path}.c'; do
    { cat "$WORK/good"; printf '[artifact odd]\npath = %s\nstates = record\n' "$path"; } >"$HOME_DIR/postrider.conf"
    exits 78 "path = $path is refused" pr config check
    like "$OUT$ERR" 'postrider.conf:[0-9]+: \[artifact odd\]: path = ' 'with its line'
done
done_testing
