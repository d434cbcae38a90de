#!/usr/bin/env bash
# Notes as files: a person edits, adds, renames and deletes them with whatever is at hand.
. "$(dirname "$0")/../lib/tap.sh"

put() { printf '%s' "$2" | pr note put "$1" "${@:3}"; }
versions() { pr note history --json "$1" | python3 -c 'import json,sys; print(*[(n["version"], n["author"]) for n in json.load(sys.stdin)])'; }

pr init >/dev/null
notes=$HOME_DIR/notes

# Both kinds of editors.
put plan one >/dev/null
printf two >"$notes/plan.md"
is "$(pr note get plan)" two 'written in place'
printf three >"$notes/plan.md~" && mv "$notes/plan.md~" "$notes/plan.md"
is "$(pr note get plan)" three 'renamed into place'
is "$(versions plan)" "(3, 'person') (2, 'person') (1, 'operator')" 'each is a version by the person'
touch "$notes/plan.md"
is "$(versions plan)" "(3, 'person') (2, 'person') (1, 'operator')" 'touched is not edited'

# A write that does not know the edit is a conflict that names both.
printf four >"$notes/plan.md"
exits 65 'a write that knows version 3' put plan x --if-version 3
like "$ERR" "is at version 4, by person; this write knew version 3" 'names both versions'
is "$(cat "$notes/plan.md")" four "and the person's words stay"
is "$(put plan five)" 'plan version 5' 'a write without a condition comes behind it'
is "$(pr note get plan@4)" four 'and loses nothing'

# New files, deleted files, renamed files.
mkdir -p "$notes/ideas" && printf 'an idea' >"$notes/ideas/first.md"
is "$(pr note get ideas/first)" 'an idea' 'a new file is a new note'
printf -- '- [first](ideas/first)\n' | pr note append CONTENTS >/dev/null
mv "$notes/ideas/first.md" "$notes/ideas/best.md"
is "$(pr note get ideas/best)" 'an idea' 'a file that was renamed'
like "$(cat "$notes/CONTENTS.md")" '\[first\]\(ideas/best\)' 'CONTENTS follows'
rm "$notes/ideas/best.md"
exits 66 'a file that was deleted' pr note get ideas/best
like "$ERR" 'was deleted in version 2, by person' 'deletes its note'
unlike "$(cat "$notes/CONTENTS.md")" 'ideas/' 'CONTENTS follows'
is "$(pr note get ideas/best@1)" 'an idea' 'whose versions stay'

# What can't be a note is said, and left alone.
printf x >"$notes/My Idea.md"
printf x >"$notes/picture.png"
exits 1 'check' pr note check
like "$OUT" "'notes/My Idea.md' is not taken as a note" 'finds the file'
unlike "$OUT" 'picture' 'and no others'
is "$(cat "$notes/My Idea.md")" x 'and it stays'
rm "$notes/My Idea.md"

# Nor is it displaced: its owner would not find it again.
put large one >/dev/null
truncate -s 5M "$notes/large.md"
is "$(put large two 2>"$WORK/err")" 'large version 2' 'a note whose file somebody made too large is still written'
like "$(cat "$WORK/err")" "note 'large' can't be written to its file: somebody made it larger than a note may be" 'and why its file is not'
is "$(stat -c %s "$notes/large.md")" 5242880 'the file stays where its owner left it'
pr note delete large >/dev/null 2>&1
is "$(stat -c %s "$notes/large.md")" 5242880 'also when the note is deleted'
rm "$notes/large.md"
put large three >/dev/null
is "$(cat "$notes/large.md")" three 'when it is away, there is room again'
pr note delete large >/dev/null

# Links are not followed, neither to read nor to write.
ln -s "$HOME_DIR/key" "$notes/leak.md"
exits 66 'a link is no note' pr note get leak
rm "$notes/plan.md" && ln -s "$WORK/elsewhere" "$notes/plan.md"
run put plan six
like "$ERR" "note 'plan' can't be written to its file" 'the error names the note'
ok 'and nothing was written through the link' test ! -e "$WORK/elsewhere"
rm "$notes/plan.md" "$notes/leak.md"
put plan seven >/dev/null
is "$(cat "$notes/plan.md")" seven 'a real file takes its place'

# Most files gone at once, or the marker: a disk that is not mounted.
count() { sqlite3 "$HOME_DIR/state/postrider.db" 'SELECT count(*) FROM note WHERE NOT deleted'; }
all=$(count)
mv "$notes/envoy" "$WORK/envoy"
exits 1 'most files are gone' pr note check
like "$OUT" '10 of 13 note files are missing; no note was deleted' 'is a finding'
is "$(count)" "$all" 'and deletes nothing'
mv "$WORK/envoy" "$notes/envoy"
ok 'they are back' pr note get envoy/start
mv "$notes" "$WORK/notes"
exits 1 'the folder is gone' pr note check
like "$OUT" 'is a disk not mounted' 'is a finding'
mkdir "$notes"
exits 1 'an empty folder in its place' pr note check
like "$OUT" 'is a disk not mounted' 'is a finding'
is "$(count)" "$all" 'and deletes nothing'
is "$(pr note get plan)" seven 'the store still has them all'
run pr note check --restore
is "$(cat "$notes/plan.md")" seven '--restore writes them again'
is "$(find "$notes" -name '*.md' | wc -l)" "$all" 'all of them'

# In small: a person's editor has the file open while we write it.
exec 5<>"$notes/plan.md"
printf 'half ' >&5
put plan eight >/dev/null
is "$(cat "$notes/plan.md")" eight 'we write'
printf 'and half' >&5
exec 5>&-
is "$(pr note get plan)" 'half and half' "the person's words arrive when the editor is done"
is "$(cat "$notes/plan.md")" 'half and half' 'and are what the file says'
is "$(pr note get "plan@$(($(pr note history plan | wc -l) - 2))")" eight 'ours is in the history'

# One note among many: no command for it looks at the files of the others. What people do there is seen when it matters.
mkdir "$notes/many"
for n in 1 2 3 4 5 6; do echo "$n" >"$notes/many/n$n.md"; done
pr note list >/dev/null
versions() { db "SELECT group_concat(version, '') FROM (SELECT version FROM note WHERE key LIKE 'many/%' ORDER BY key)"; }
is "$(versions)" 111111 'six notes came as files'
for n in 1 2 3; do echo edited >"$notes/many/n$n.md"; done
echo more | pr note append many/n4 >/dev/null
is "$(cat "$notes/many/n4.md")" '4
more' 'one of them is written'
pr note get many/n5 >/dev/null
pr note rename many/n6 many/n7
pr note delete many/n7
is "$(versions)" 1112122 'and nobody has looked at the others'
echo ours | pr note append many/n1 >/dev/null
is "$(pr note get many/n1)" 'edited
ours' 'who writes one meets what was written there'
is "$(pr note get many/n2)" edited 'so does who reads one'
is "$(versions)" 3212122 'and only that one'
pr note list >/dev/null
is "$(versions)" 3222122 'a list has looked at them all'
pr note delete many/n{1,2,3,4,5} >/dev/null && pr note list >/dev/null # which looks once more at what was displaced

# Without its store, a home gets its notes back from their files.
rm -rf "$HOME_DIR/state"
exits 1 'a lost store' pr note check
like "$OUT" 'notes that came back from their files: 1\.' 'is said'
is "$(pr note get plan)" 'half and half' 'and nothing is lost'

done_testing
