#!/usr/bin/env bash
# tools/check-layers: the tree keeps the table, and each kind of breach is found.
. "$(dirname "$0")/../lib/tap.sh"
check=$POSTRIDER_SRC/tools/check-layers

exits 0 'the tree holds its layers' "$check"

# A fake tree with one file in it; prints what the tool says about it.
breach()
{
    rm -rf "$WORK/tree"
    mkdir -p "$WORK/tree/docs" "$WORK/tree/$(dirname "$1")"
    cp "$POSTRIDER_SRC/docs/ARCHITECTURE.md" "$WORK/tree/docs/"
    printf '%b\n' "$2" >"$WORK/tree/$1"
    [ -z "${3:-}" ] || { mkdir -p "$WORK/tree/$(dirname "$3")"; printf '%b\n' "$4" >"$WORK/tree/$3"; }
    run "$check" "$WORK/tree"
}
finds()
{
    local want=$1 desc=$2
    shift 2
    breach "$@"
    if [ "$STATUS" = 1 ]; then like "$OUT" "$want" "$desc"; else fail "$desc" "exit $STATUS: $OUT$ERR"; fi
}

breach src/store/db.c '#include "mail/message.h"\n#include <sqlite3.h>'
is "$STATUS" 0 'what the table allows passes'
finds '^src/base/x.c:1: base may not include store/db.h' 'a lower room that includes a higher one' \
    src/base/x.c '#include "store/db.h"'
finds 'steps may not include brain/brain.h' 'a mode that sees a brain' src/steps/x.c '#include "brain/brain.h"'
finds 'report may not include steps/state.h' 'a face that sees a mode' src/report/x.c '#include "steps/state.h"'
finds 'serve may not include mail/message.h' 'the master that parses mail' src/serve/x.c '#include "mail/message.h"'
finds 'mcp may not include engine/run/commit.h' 'more than the one header' src/mcp/x.c '#include "engine/run/commit.h"'
breach src/mcp/x.c '#include "port/port_client.h"'
is "$STATUS" 0 'the one header passes'
finds 'plan/file may not include store/db.h' 'a part with a row of its own keeps that' src/plan/file/x.c '#include "store/db.h"'
finds 'plan/file may not include plan/face.h' 'also where the rest of its room may do more' src/plan/file/x.c '#include "plan/face.h"'
breach src/plan/x.c '#include "plan/file/plan.h"\n#include "store/db.h"'
is "$STATUS" 0 'its room may use it'
finds 'engine may not use GMime' 'GMime outside mail' src/engine/x.c '#include <gmime/gmime.h>'
finds 'engine may not use SQLite' 'SQLite outside store' src/engine/x.c '#include <sqlite3.h>'
finds 'store/sql.h is private to store' 'the driver outside store' src/engine/x.c '#include "store/sql.h"'
finds 'store/row.h is private to store' 'a header that carries the driver' \
    src/engine/x.c '#include "store/row.h"' src/store/row.h '#include "store/sql.h"'
finds 'x.c:1: sqlite3_step: SQLite is for the driver' 'SQLite beside the driver' \
    src/store/x.c 'int f(void *st) { return sqlite3_step(st); }'
finds 'include <sqlite3: SQLite is for the driver' 'its header too' src/store/mail/x.c '#include <sqlite3.h>'
finds 'x.c:1: INSERT OR REPLACE: SQL that a second store does not read' 'SQL of one store alone' \
    src/store/x.c 'const char *s = "INSERT OR REPLACE INTO a VALUES (1)";'
finds 'group_concat\(: SQL that' 'in a header too' src/store/x.h '#define X "SELECT group_concat(a) FROM b"'
finds 'max\(a, : SQL that|max\(a,: SQL that' 'the larger of two' src/store/x.c 'const char *s = "UPDATE a SET b = max(a, ?)";'
finds 'max\(id\) \+ 1: SQL that' 'a number that an insert gives' src/store/x.c 'const char *s = "SELECT max(id) + 1 FROM a";'
breach src/store/x.c 'const char *s = "SELECT max(id), min(coalesce(a, 0)) FROM b";'
is "$STATUS" 0 'the largest of many is fine'
finds 'only the engine calls outbox_put' 'a mode that queues mail' src/steps/x.c 'int f(void) { return outbox_put(0); }'
finds 'MODE_PROGRAM: what a mode does stands in its table' 'an engine that knows a mode by name' \
    src/engine/run/x.c 'int f(int m) { return m == MODE_PROGRAM; }'
finds 'mode ==: what a mode does stands in its table' 'or compares it' src/engine/x.c 'int f(X *a, X *b) { return a->mode == b->mode; }'
finds 'a decision is a loop of txn_again' 'a transaction that can only run once' src/engine/x.c 'int f(void) { return txn_begin(0); }'
finds 'x.c:2: calls system' 'system()' src/cli/x.c '/* system() in a comment is fine */\nint f(void) { return system("x"); }'
finds 'calls popen' 'popen()' src/cli/x.c 'void f(void) { popen("x", "r"); }'
finds 'calls fork' 'fork()' src/base/x.c 'int f(void) { return fork (); }'
finds 'JSON is read by base/json.h' 'lenient JSON' src/cli/x.c 'void f(void) { json_loads("", 0, 0); }'
breach src/cli/x.c 'const char *s = "system(x)"; /* popen(x) */ // fork()'
is "$STATUS" 0 'words in strings and comments are no calls'
finds "room 'attic' is not in the table" 'an unknown room' src/attic/x.c ''
finds "'engine/attic' is not in the table of parts" 'an unknown part' src/engine/attic/x.c ''
finds 'there is a base/x.c too' 'one name in two rooms' src/base/x.c '' src/mail/x.c ''
finds 'run/run_internal.h is for its own folder' 'the inside of another folder' \
    src/engine/in/x.c '#include "engine/run/run_internal.h"'
finds 'engine may not include wire/imap.h' 'a wire in the engine' src/engine/x.c '#include "wire/imap.h"'
breach src/remote/x.c '#include "wire/imap.h"'
is "$STATUS" 0 'the mirror may use one'
breach src/base/1.h ''
for n in $(seq 60); do : >"$WORK/tree/src/base/f$n.h"; done
run "$check" "$WORK/tree"
like "$OUT" "'base' has more than 60 files" 'a folder nobody can read'
finds 'includes name their room' 'an include without its room' src/base/x.c '#include "text.h"'
ok 'every file is compiled with base.h' /usr/bin/python3 -c '
import json, sys
sys.exit(not all("-include " in c["command"] and "base/base.h" in c["command"] for c in json.load(open(sys.argv[1]))))' \
    "$(dirname "$PR_BIN")/compile_commands.json"
for call in 'strcpy(d, s)' 'sprintf(d, "%s", s)' 'system(s)' 'strtok(d, s)'; do
    printf '#include <string.h>\nvoid f(char *d, const char *s);\nvoid f(char *d, const char *s) { %s; }\n' "$call" >"$WORK/x.c"
    exits 1 "which lets no $call pass" cc -Werror -fsyntax-only -include "$POSTRIDER_SRC/src/base/banned.h" "$WORK/x.c"
done
finds 'x.h:2: a list of Step is no bare GPtrArray' 'a bare list of structs' src/store/x.h 'typedef struct X {\n    GPtrArray *steps; /* of Step, oldest first */\n} X;'
finds 'a list of Step is no bare GPtrArray' 'also in a call' src/store/x.h '/* Oldest first; elements are\n * Step. */\nbool x(GPtrArray **ret);'
breach src/store/x.h 'typedef struct X {\n    GPtrArray *ids; /* of char * */\n} X;\n/* Integrity; elements are char *. */\nbool x(GPtrArray **ret);'
is "$STATUS" 0 'strings may be one'

# What the pages name is there.
named() { /usr/bin/python3 "$(dirname "$0")/named_paths.py" "$@"; }
is "$(named "$POSTRIDER_SRC")" '' 'each file that ARCHITECTURE and CONTRIBUTING name exists'
mkdir -p "$WORK/named/src/base" "$WORK/named/src/mail"
touch "$WORK/named/src/base/err.h" "$WORK/named/src/mail/part.h"
printf '%s\n' '| a | `src/base/err.h`; `part.h` | `part.h` |' '`base/err.h`, src/base, tests/cli/NNNN-name.t' 'src/base/gone.h' >"$WORK/named/page"
is "$(named "$WORK/named" page)" "page:1: 'part.h' is not there (src/base/part.h)
page:3: 'src/base/gone.h' is not there (src/base/gone.h)" 'one that does not would be found, and one in another folder than it seems'

# Tests speak of behaviour: the numbers that requirements and bad inputs had stand in tests/README.md alone.
numbered()
{
    grep -rnE "(['\"(]|# |/\* |\{\")[CEFJLMPSTW][0-9]{1,3}((, | and | to |[:;.]|\)| [a-z])|$)" "$@" --include='*.t' --include='*.py' --include='*.[ch]' |
        grep -vE '/homes/|noqa|- \[.\] T00[0-9]|=\?'
}
is "$(numbered "$POSTRIDER_SRC/tests")" '' 'no test is called by the number of a requirement'
mkdir "$WORK/numbered"
printf "%s\n" "is 1 1 'E""12: a mail goes out'" "# T""4, T""5: forged" "is 1 1 'UTF-8 and 12 mails'" >"$WORK/numbered/a.t"
is "$(numbered "$WORK/numbered" | wc -l)" 2 'and one that is would be found'

# The map has every row of the three lists, and each test that it names exists.
rows() { /usr/bin/python3 "$(dirname "$0")/named_rows.py" "$@"; }
is "$(rows "$POSTRIDER_SRC/tests/README.md")" '' 'each row of the lists stands in tests/README.md, and each test that it names exists'
mkdir "$WORK/rows"
sed -e 's/\bW2''1\b/W2''0/; s/cli.1650-init-workflow/cli\/1650-init-none/' "$POSTRIDER_SRC/tests/README.md" >"$WORK/rows/README.md"
ln -s "$POSTRIDER_SRC"/tests/{cli,e2e,crash,soak,unit,fuzz,face,differential} "$WORK/rows"
is "$(rows "$WORK/rows/README.md")" "W2""1 stands in no line
'cli/1650-init-none' is not there" 'a row that is not, and a test that is not, would be found'

done_testing
