#!/usr/bin/env bash
# make mutate: ten faults on purpose in base, and what is made of them. Nothing else of the program is built for it.
. "$(dirname "$0")/../lib/tap.sh"
mutate=$POSTRIDER_SRC/tools/mutate

exits 1 'a file that is not there' "$mutate" src/base/nothing.c
is "$ERR" "mutate: no file of C is named 'src/base/nothing.c'" 'is named'
exits 1 'a pattern that fits no file' "$mutate" 'src/base/**.py'
exits 2 'no mutants at all' "$mutate" -n 0 src/base/template.c
like "$ERR" "'0' is not a number from 1 on" 'says so'
exits 2 'no files' "$mutate"
like "$ERR" 'which files' 'says so'
echo 'src/base/template.c template_is: nobody wrote this => nor that' >"$WORK/list"
exits 1 'a mutant that nobody can make' "$mutate" --only "$WORK/list"
is "$ERR" "mutate: no such mutant: $(cat "$WORK/list")" 'is named'
ok 'each row of tests/mutants-survive' "$mutate" --check
all() { "$mutate" --list "$@" 'src/base/**.c'; }
ok 'all mutants of base' test "$(all | wc -l)" -gt 1000
unlike "$(all | grep 'left out$')" ': (g_assert[a-z_]*|CRASH_POINT|[a-z_]*(free|unref)|cleanup_fd|va_start)\(' 'assertions and what releases memory are not left out'
is "$(all | sort | uniq -d)" '' 'no two mutants have one name'
is "$(all --seed 7)" "$(all --seed 7)" 'a seed chooses the same again'
isnt "$(all --seed 8)" "$(all --seed 7)" 'another seed does not'
make() { command make -n -C "$POSTRIDER_SRC" "$@"; }
like "$(make mutate N=3 SEED=4 FILES='src/store/**.c src/mail/dsn.c')" "tools/mutate -n 3 --seed 4 'src/store/\*\*.c' 'src/mail/dsn.c'" 'make mutate hands on what it is told'

for tool in cc meson ninja objdump bwrap; do
    if ! command -v $tool >/dev/null; then
        skip 'ten mutants' "no $tool here"
        done_testing
    fi
done
if ! bwrap --dev-bind / / --proc /proc --unshare-pid --die-with-parent true 2>/dev/null; then
    skip 'ten mutants' 'bwrap does not work here'
    done_testing
fi

cat >"$WORK/list" <<'EOL'
src/base/template.c template_put: g_string_append(out, values->value); => left out
src/base/template.c double_at: return true; => return false;
src/base/template.c template_next: while (*end && !name_at(end)); => while (*end || !name_at(end));
src/base/template.c name_at: while (g_ascii_isalnum(*p) || *p == '_' || *p == '-') => while (g_ascii_isalnum(*p) || *p != '_' || *p == '-')
src/base/template.c template_expand_double: while (*text) { => while (!(*text)) {
src/base/text.c bad_length: while (n < want - 1 && n < len && s[n] >= low && s[n] <= high) { => while (!(n < want - 1 && n < len && s[n] >= low && s[n] <= high)) {
src/base/text.c text_parse_int: : __builtin_add_overflow(0, number, &value)) => : __builtin_add_overflow(1, number, &value))
src/base/json.c append_array: g_string_append_c(out, ','); => left out
src/base/json.c json_parse: if (!value) => if (!(!value))
src/base/json.c append_integer: uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n; => uint64_t rest = n <= 0 ? 0 - (uint64_t)n : (uint64_t)n;
EOL
before=$(cd "$POSTRIDER_SRC" && cat src/base/template.c src/base/text.c src/base/json.c)
ok 'ten mutants' "$mutate" --folder "$WORK/lab" --grace 2 --only "$WORK/list" --tests unit/base-template --tests unit/base-text --tests unit/base-json
diag "$OUT"
like "$OUT" $'\n''10 mutants: 9 killed \(7 failed a test, 1 crashed, 1 hung\), 0 survived, 1 listed with a reason; 0 more' 'nine are killed, by three kinds of end'
like "$OUT" 'hung +condition +[0-9]+ src/base/text.c bad_length' 'one that never ends is ended'
like "$OUT" 'listed: src/base/json.c:[0-9]+'$'\n''.*'$'\n''    0 is its own negative' 'the tenth shows nowhere, and the list says why'
is "$(cd "$POSTRIDER_SRC" && cat src/base/template.c src/base/text.c src/base/json.c)" "$before" 'nothing of it happened in this tree'

# The same laboratory again.
cat >"$WORK/list" <<'EOL'
src/base/text.c text_format_size: if (whole < 10 && tenth > 0) => if (!(whole < 10 && tenth > 0))
EOL
ok 'a test that does not execute the line' "$mutate" --folder "$WORK/lab" --only "$WORK/list" --tests unit/base-template
like "$OUT" 'survived: src/base/text.c:[0-9]+ \(no test executes it\)' 'lets the mutant survive'
done_testing
