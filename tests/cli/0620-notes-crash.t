#!/usr/bin/env bash
# Dying at every point of writing, renaming and deleting a note, and of taking in a person's edit: afterwards
# no words are lost, nothing is half, and files and store say the same.
. "$(dirname "$0")/../lib/tap.sh"

put() { printf '%s' "$2" | pr note put "$1"; }
bodies() { sqlite3 "$HOME_DIR/state/postrider.db" "SELECT coalesce(CAST(body AS TEXT), '(deleted)') FROM note_version WHERE key = '$1' ORDER BY version"; }
newest() { sqlite3 "$HOME_DIR/state/postrider.db" "SELECT version, coalesce(CAST(body AS TEXT), '(deleted)') FROM note_version WHERE key = '$1' ORDER BY version DESC LIMIT 1"; }

# What must be so after recovery: sync twice, then every live note is its file, and nothing lies about.
settled()
{
    pr note list >/dev/null && pr note list >/dev/null || return 1
    python3 - "$HOME_DIR" <<'END'
import sqlite3, sys
from pathlib import Path
notes = Path(sys.argv[1]) / "notes"
db = sqlite3.connect(f"file:{sys.argv[1]}/state/postrider.db?mode=ro", uri=True)
want = {f"{key}.md": body for key, body in db.execute(
    "SELECT n.key, v.body FROM note n JOIN note_version v ON v.key = n.key AND v.version = n.version WHERE NOT n.deleted")}
have = {str(f.relative_to(notes)): f.read_bytes() for f in notes.rglob("*") if f.is_file() and f.name != ".postrider"}
problems = [name for name in want.keys() | have.keys() if want.get(name) != have.get(name)]
problems and sys.exit(print(f"files and store differ: {problems}") or 1)
END
}

pr init >/dev/null
# A small home: what init wrote is not what is tested, and takes its time.
for key in $(pr note list --json | python3 -c 'import json,sys; print(*[n["key"] for n in json.load(sys.stdin)])'); do keys+=("$key"); done
pr note delete "${keys[@]}"
put a 'a one' >/dev/null
put b 'b one' >/dev/null
printf -- '- [a](a)\n- b\n' | pr note put CONTENTS >/dev/null
pr note list >/dev/null
cp -a "$HOME_DIR" "$WORK/start"

# walk NAME COMMAND CHECK: COMMAND dies at its 1st, 2nd, … point, until it comes to its end.
walk()
{
    local name=$1 n=0 problems='' why status
    while :; do
        n=$((n + 1))
        rm -rf "$HOME_DIR" && cp -a "$WORK/start" "$HOME_DIR"
        POSTRIDER_DIE_AT=$n $2 >/dev/null 2>"$WORK/err"
        status=$?
        [ $status -eq 137 ] || break
        why=$(settled) && why=$($3) || problems+="point $n: $why
"
    done
    diag "$name: $((n - 1)) points"
    [ $status -eq 0 ] || problems+="without dying: exit $status: $(cat "$WORK/err")
"
    if [ -z "$problems" ] && [ $n -gt 3 ]; then
        pass "$name: died at $((n - 1)) points, nothing was lost"
    else
        fail "$name" "$n points
$problems"
    fi
}

do_put() { put a 'a two'; }
check_put()
{
    case $(bodies a) in
    'a one' | $'a one\na two') ;;
    *) echo "versions of a: $(bodies a)"; return 1 ;;
    esac
}
walk 'put' do_put check_put

do_edit() { printf 'a edited' >"$HOME_DIR/notes/a.md"; pr note list; }
check_edit() { [ "$(bodies a)" = $'a one\na edited' ] || { echo "versions of a: $(bodies a)"; return 1; }; }
walk "a person's edit" do_edit check_edit

# Ours is committed and owed when the edit is found: both are versions, the person's is the newest.
do_both()
{
    (unset POSTRIDER_DIE_AT; pr note list) >/dev/null
    POSTRIDER_DIE_AT=txn-after-commit put a 'a two' >/dev/null 2>&1
    printf 'a edited' >"$HOME_DIR/notes/a.md"
    pr note list
}
check_both() { [ "$(bodies a)" = $'a one\na two\na edited' ] || { echo "versions of a: $(bodies a)"; return 1; }; }
walk 'an edit that meets a write' do_both check_both

do_rename() { pr note rename a z; }
check_rename()
{
    local contents
    contents=$(pr note get CONTENTS)
    case $(newest a)/$(newest z) in
    '1|a one/') [ "$contents" = $'- [a](a)\n- b' ] ;;
    '2|(deleted)/1|a one') [ "$contents" = $'- [a](z)\n- b' ] ;;
    *) false ;;
    esac || { echo "a: $(newest a), z: $(newest z), CONTENTS: $contents"; return 1; }
}
walk 'rename, with CONTENTS' do_rename check_rename

do_delete() { pr note delete b; }
check_delete()
{
    local contents
    contents=$(pr note get CONTENTS)
    case $(newest b) in
    '1|b one') [ "$contents" = $'- [a](a)\n- b' ] ;;
    '2|(deleted)') [ "$contents" = $'- [a](a)' ] ;;
    *) false ;;
    esac || { echo "b: $(newest b), CONTENTS: $contents"; return 1; }
}
walk 'delete, with CONTENTS' do_delete check_delete

# What an exchange displaced and nobody has looked at.
do_displaced() { printf 'their words' >"$HOME_DIR/notes/.postrider-swap-0123456789abcdef-a.md"; pr note list; }
check_displaced() { [ "$(bodies a)" = $'a one\ntheir words' ] || { echo "versions of a: $(bodies a)"; return 1; }; }
walk 'a displaced file' do_displaced check_displaced

done_testing
