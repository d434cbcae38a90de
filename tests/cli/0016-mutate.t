#!/usr/bin/env bash
# make mutate: ten faults on purpose in engine, store, steps and mail, which tests must notice; and what is made of
# mutants. Nothing of the program is built for it but base.
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
        skip 'mutants' "no $tool here"
        done_testing
    fi
done
if ! bwrap --dev-bind / / --proc /proc --unshare-pid --die-with-parent true 2>/dev/null; then
    skip 'mutants' 'bwrap does not work here'
    done_testing
fi

# Ten of the first thirty that `tools/mutate --seed 2` chooses in engine, store, steps and mail, each with a unit test
# that kills it; made of the objects that are there. Where the code of one changes, another of its room takes its place.
cat >"$WORK/list" <<'EOL'
src/engine/run/commit.c commit_settles: if (g_array_index(p->settles, MsgId, i).v == row->id.v) => if (g_array_index(p->settles, MsgId, i).v != row->id.v) by unit/engine-port
src/engine/in/recurrence.c parse_item: if (!g_str_equal(halves[0], "*")) { => if (!g_str_equal(halves[1], "*")) { by unit/engine-recurrence
src/engine/permit/permit_policy.c permit_covers: return g_strdup(command); => return NULL; by unit/engine-permit
src/engine/tree/tree.c fill: return tree_head(t->repo, t->row, &head, error) && … => return !(tree_head(t->repo, t->row, &head, error) && … by unit/engine-tree
src/store/job/pauses.c load: while ((rc = sql_next(st, error)) == 1) => while ((rc = sql_next(st, error)) == 2) by unit/store-waits
src/store/mail/threads.c find_first: for (guint i = 0; i < ids->len && ret->v == 0; i++) => for (guint i = 0; i < ids->len && ret->v != 0; i++) by unit/store-server_ids
src/steps/prompt.c show_mail: if (original && strlen(text) + CONTEXT_FRAME > room) => if (!(original && strlen(text) + CONTEXT_FRAME > room)) by unit/steps-prompt
src/steps/reader.c reader_time: int64_t time_us = 0; => int64_t time_us = 1; by unit/steps-answer
src/mail/compose_raw.c split_bare: (close && close[1 + strspn(close + 1, " \t")])) => (close || close[1 + strspn(close + 1, " \t")])) by unit/mail-compose
src/mail/dsn.c read_qmail: if ((*line)[0] != '<' || len < 4 || !g_str_has_suffix(*line, ">:")) => if ((*line)[1] != '<' || len < 4 || !g_str_has_suffix(*line, ">:")) by unit/mail-dsn
EOL
sources() { (cd "$POSTRIDER_SRC" && sed 's/ .*//' "$WORK/list" | sort -u | xargs cat); }
before=$(sources)
ok 'ten mutants of engine, store, steps and mail' "$mutate" --built --only "$WORK/list"
like "$OUT" $'\n''10 mutants: 10 killed .*, 0 survived, 0 listed with a reason; 0 more' 'are killed, each by its test'
[ $TAP_FAILED = 0 ] || diag "$OUT"
is "$(sources)" "$before" 'nothing of it happened in this tree'
echo 'src/base/text.c text_format_size: if (whole < 10 && tenth > 0) => if (!(whole < 10 && tenth > 0)) by unit/base-template' >"$WORK/one"
ok 'a mutant that a test does not notice' "$mutate" --built --only "$WORK/one"
like "$OUT" 'survived: src/base/text.c:[0-9]+' 'survives it'
sed 's/ by .*//' "$WORK/one" >"$WORK/bare"
exits 1 '--built without a test' "$mutate" --built --only "$WORK/bare"
like "$ERR" 'no unit test behind: src/base/text.c' 'is refused'
exits 2 '--built without a list' "$mutate" --built src/base/text.c
like "$ERR" '--built needs --only LIST' 'too'

# A laboratory: a copy of the tree with a build and a map of its own, for base alone.
cat >"$WORK/list" <<'EOL'
src/base/template.c template_put: g_string_append(out, values->value); => left out
src/base/template.c template_next: while (*end && !name_at(end)); => while (*end || !name_at(end));
src/base/text.c bad_length: while (n < want - 1 && n < len && s[n] >= low && s[n] <= high) { => while (!(n < want - 1 && n < len && s[n] >= low && s[n] <= high)) {
src/base/json.c json_append_int: uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n; => uint64_t rest = n <= 0 ? 0 - (uint64_t)n : (uint64_t)n;
EOL
before=$(sources)
ok 'four mutants' "$mutate" --folder "$WORK/lab" --grace 2 --only "$WORK/list" --tests unit/base-template --tests unit/base-text --tests unit/base-json
diag "$OUT"
like "$OUT" $'\n''4 mutants: 3 killed \(1 failed a test, 1 crashed, 1 hung\), 0 survived, 1 listed with a reason; 0 more' 'three are killed, each by another kind of end'
like "$OUT" 'hung +condition +[0-9]+ src/base/text.c bad_length' 'one that never ends is ended'
like "$OUT" 'listed: src/base/json.c:[0-9]+'$'\n''.*'$'\n''    0 is its own negative' 'the last shows nowhere, and the list says why'
is "$(sources)" "$before" 'nothing of it happened in this tree'

# The same laboratory again.
sed 's/ by .*//' "$WORK/one" >"$WORK/list"
ok 'a test that does not execute the line' "$mutate" --folder "$WORK/lab" --only "$WORK/list" --tests unit/base-template
like "$OUT" 'survived: src/base/text.c:[0-9]+ \(no test executes it\)' 'lets the mutant survive'
done_testing
