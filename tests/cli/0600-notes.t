#!/usr/bin/env bash
# `postrider note`: write, read, versions, conditions, search, rename, delete, check.
. "$(dirname "$0")/../lib/tap.sh"

put() { printf '%s' "$2" | pr note put "$1" "${@:3}"; }
field() { python3 -c 'import json,sys; d=json.load(sys.stdin); print(eval(sys.argv[1]))' "$1"; }

pr init >/dev/null

# What a home begins with.
for key in CONTENTS README/links envoy/start envoy/states/{triage,gathering,summarising,working,coding,composing,waiting,complete,escalate}; do
    ok "init writes $key" test -s "$HOME_DIR/notes/$key.md"
done
# They lie as files in the source, and are built in as they are there.
for file in "$POSTRIDER_SRC"/share/notes/{README,ROLE,ROLE/states}/*.md; do
    key=${file#"$POSTRIDER_SRC/share/notes/"}
    is "$(pr note get "$(echo "${key%.md}" | sed 's|^ROLE/|envoy/|')")" "$(sed -e 1d -e 's/{{ROLE}}/envoy/g' "$file")" \
        "as in share/notes/$key"
done
ok 'and all of it is in order' pr note check
is "$OUT" 'all is well' 'check says so'
is "$(find "$HOME_DIR/notes" -name '*.md' -perm /077 | wc -l)" 0 'notes are for their owner alone'

# Writing and reading.
is "$(put projects/x/code $'one\ntwo\n')" 'projects/x/code version 1' 'put'
is "$(cat "$HOME_DIR/notes/projects/x/code.md")" $'one\ntwo' 'the file is there at once'
is "$(put projects/x/code three)" 'projects/x/code version 2' 'put again'
is "$(pr note get projects/x/code)" three 'get is the newest'
is "$(pr note get projects/x/code@1)" $'one\ntwo' 'get KEY@VERSION'
is "$(printf four | pr note append projects/x/code)" 'projects/x/code version 3' 'append'
is "$(pr note get projects/x/code)" $'three\nfour' 'on a line of its own'
printf 'a\0b\377' >"$WORK/odd"
pr note put odd "$WORK/odd" >/dev/null
pr note get odd | cmp - "$WORK/odd" && pass 'bytes come back as they are' || fail 'bytes come back as they are'
is "$(printf '' | pr note put empty; pr note get empty)" 'empty version 1' 'an empty note'
is "$(pr note get --json projects/x/code@2 | field '(d["version"], d["text"], d["author"], d["bytes"])')" \
    "(2, 'three', 'operator', 5)" 'get --json'

is "$(pr show projects/x/code)" $'three\nfour' 'show KEY'
run pr show no-such-thing
like "$STATUS" '^6[46]$' 'show of what is no note'

# Conditions: a conflict shows both versions and changes nothing.
exits 65 'put --if-version that is not the newest' put projects/x/code x --if-version 1
like "$ERR" "conflict: note 'projects/x/code' is at version 3, by operator; this write knew version 1" 'names both'
exits 65 'put --if-version 0 of a note that is there' put projects/x/code x --if-version 0
exits 0 'put --if-version' put projects/x/code five --if-version 3
is "$(pr note get projects/x/code)" five 'is carried out'
is "$(put brand/new x --if-version 0)" 'brand/new version 1' 'put --if-version 0 of a new note'

# Lists.
is "$(pr note list --json brand/ | field '[(n["key"], n["version"], n["bytes"], n["updated"][:2]) for n in d]')" \
    "[('brand/new', 1, 1, '20')]" 'list --json'
like "$(pr note list)" 'envoy/start' 'list'
is "$(pr note list nothing/)" 'no notes' 'an empty list'
is "$(pr note history --json projects/x/code | field '[n["version"] for n in d]')" '[4, 3, 2, 1]' 'history'
is "$(pr note history projects/x/code | wc -l)" 5 'history as a table'

# Search.
put recipes/soup 'Leek and potato; simmer for twenty minutes.' >/dev/null
is "$(pr note search --json potato leek | field '[h["key"] for h in d]')" "['recipes/soup']" 'search'
is "$(pr note search '"potato leek"')" 'nothing found' 'a phrase'
put recipes/soup 'Carrots.' >/dev/null
is "$(pr note search potato)" 'nothing found' 'only the newest version counts'
rm -f "$HOME_DIR"/state/index.db*
like "$(pr note search carrots)" 'recipes/soup' 'a deleted index is made anew'
like "$(pr note search 'nearest key')" 'README/links' 'the way to mend links is found'
exits 0 'odd words are no error' pr note search '"' '*(' 'NEAR(' $'\377'

# CONTENTS follows.
printf -- '- [the soup](recipes/soup)\n- brand/new - a note\n' | pr note append CONTENTS >/dev/null
exits 0 'rename' pr note rename recipes/soup recipes/carrot-soup
like "$(pr note get CONTENTS)" '\[the soup\]\(recipes/carrot-soup\)' 'CONTENTS names the new key'
like "$(cat "$HOME_DIR/notes/CONTENTS.md")" 'recipes/carrot-soup' 'in its file too'
like "$(pr note history recipes/carrot-soup)" 'JOB  WAS.*operator .* recipes/soup$' 'its history says what it was'
is "$(pr note history --json recipes/carrot-soup | field '[n.get("renamed_from") for n in d]')" "['recipes/soup']" 'as JSON'
ok 'its versions are there' test "$(pr note history recipes/soup | wc -l)" -gt 2
ok 'the file is moved' test -f "$HOME_DIR/notes/recipes/carrot-soup.md" -a ! -e "$HOME_DIR/notes/recipes/soup.md"
exits 0 'delete' pr note delete brand/new
unlike "$(pr note get CONTENTS)" 'brand/new' 'CONTENTS loses the line'
ok 'the file is gone' test ! -e "$HOME_DIR/notes/brand/new.md"
exits 66 'get of a deleted note' pr note get brand/new
like "$ERR" 'was deleted in version 2' 'says so'
is "$(pr note get brand/new@1)" x 'its versions stay'
exits 65 'rename to a key that is taken' pr note rename recipes/carrot-soup CONTENTS
exits 66 'rename of none' pr note rename nothing something
exits 66 'delete of none' pr note delete recipes/carrot-soup nothing
is "$(pr note get recipes/carrot-soup)" Carrots. 'all or nothing'

# Check.
put links/a 'See [b](recipes/carot-soup) and [[links/a]].' >/dev/null
printf -- '- recipes/leek-pie\n' | pr note append CONTENTS >/dev/null
exits 1 'check finds' pr note check
like "$OUT" "links/a:1: the link 'recipes/carot-soup' leads nowhere; did you mean 'recipes/carrot-soup'\?" 'a dead link, with the nearest key'
like "$OUT" "CONTENTS:[0-9]+: the line 'recipes/leek-pie' leads nowhere" 'a line of CONTENTS that leads nowhere'
like "$OUT" 'links/a: is not listed in CONTENTS' 'a note that CONTENTS does not list'
is "$(pr note check --json | field 'd["ok"], [f["nearest"] for f in d["findings"] if f.get("target") == "recipes/carot-soup"]')" \
    "(False, ['recipes/carrot-soup'])" 'check --json'

# Wrong input: one line, the right status, nothing changed.
before=$(sqlite3 "$HOME_DIR/state/postrider.db" 'SELECT count(*) FROM note_version')
long=$(printf 'k%.0s' {1..300})
for key in ../../x a//b .x a/ /a "$long" 'a b' $'a\033b' '' 'x.md/y'; do
    for form in put append; do
        exits 65 "$form $(printf %q "$key")" pr note $form "$key"
        one_line "$ERR" 'one line'
        unlike "$ERR" $'\033' 'without escape sequences'
    done
    run pr note get "$key"
    isnt "$STATUS" 0 "get $(printf %q "$key")"
    exits 65 'delete it' pr note delete "$key"
    exits 65 'rename to it' pr note rename envoy/start "$key"
done
exits 66 'a misspelt key' pr note get envoy/states/triag
like "$ERR" "did you mean 'envoy/states/triage'" 'gets the nearest'
exits 66 'a version that is none' pr note get envoy/start@7
for line in 'note' 'note nix' 'note get' 'note get a b' 'note get a@x' 'note put' 'note put a b c' 'note list a b' 'note search' \
    'note history' 'note rename a' 'note delete' 'note check x' 'note put --if-version x a' 'note put --if-version -5 a' \
    'note append --if-version 1 a' 'note search --limit 0 x' 'note serach x'; do
    # shellcheck disable=SC2086
    exits 64 "$line" pr $line
    one_line "$ERR" 'one line'
done
exits 66 'a file that is not there' pr note put a "$WORK/none"
head -c 5000000 /dev/zero >"$WORK/large"
exits 65 'a file that is too large' pr note put a "$WORK/large"
is "$(sqlite3 "$HOME_DIR/state/postrider.db" 'SELECT count(*) FROM note_version')" "$before" 'and nothing was written'
pr note get envoy/start >/dev/full 2>/dev/null
is $? 74 'a full disk behind stdout is noticed'

# Inside a program agent the home is not touched.
exits 75 'inside an agent, notes go through its port' env POSTRIDER_PORT="$WORK/no-port" "$PR_BIN" --home "$HOME_DIR" note put a
is "$(pr note list a)" 'no notes' 'and nowhere else'

done_testing
