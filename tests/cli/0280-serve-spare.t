#!/usr/bin/env bash
# The spare run: one that waits, opened and warm, takes the next job.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"

spares() { local p; for p in $(at_work); do grep -qz -- --spare "/proc/$p/cmdline" 2>/dev/null && echo "$p"; done; }
# waits [OTHER]: one waits that never had a job, and is not OTHER; leaves SPARE
waits()
{
    local p
    for p in $(spares); do
        [ "$p" = "$1" ] || grep -qx "$p" "$WORK/had" || { SPARE=$p && return; }
    done
    return 1
}
owner() { db "SELECT owner_pid FROM job WHERE state = 'running'"; }
none_waits() { ! waits; }
gone() { ! kill -0 "$1" 2>/dev/null; }
: >"$WORK/had"

ok 'init' pr init
slow_brain
ok 'serve' start_serve || done_testing
ok 'a run waits before there is a mail' wait_for waits
first=$SPARE
ok 'a mail' pr ask --no-wait one
ok 'begins' wait_for begun 1
is "$(owner)" "$first" 'the run that waited has its job'
echo "$first" >>"$WORK/had"
ok 'and the next one waits' wait_for waits
second=$SPARE
ok 'a second mail while the first is at work' pr ask --no-wait two
ok 'begins' wait_for begun 2
is "$(db "SELECT owner_pid FROM job ORDER BY id DESC LIMIT 1")" "$second" 'by that one'
echo "$second" >>"$WORK/had"
end_brains
ok 'both are answered' wait_for has_answers 2

ok 'another one waits' wait_for waits
kill -KILL "$SPARE"
ok 'one that is killed is a failure, and not at once replaced' wait_for logged \
    "should not have\" part=\"spare run\" child=$SPARE why=\"killed by signal 9\" next=\"starting again in 1 s\""
ok 'a mail meanwhile' pr ask --no-wait three
ok 'begins all the same' wait_for begun 3
open_gate
ok 'and is answered' wait_for has_answers 3
ok 'later another one waits' wait_for waits "$SPARE"

old=$SPARE
ok 'new settings' pr config set postrider workers 1
ok 'end it' wait_for gone "$old"
ok 'and another one waits' wait_for waits "$old"
only=$SPARE
unlike "$(grep "child=$old" "$WORK/serve.log")" 'should not have' 'which is no failure'
ok 'workers = 1, and a mail' pr ask --no-wait four
ok 'begins' wait_for begun 4
is "$(owner)" "$only" 'by the one that waited'
echo "$only" >>"$WORK/had"
ok 'a mail behind it' pr ask --no-wait five
queued() { [ "$(db "SELECT count(*) FROM job WHERE state = 'queued'")" = 1 ]; }
ok 'is queued' wait_for queued
ok 'while all workers are at work nobody waits' none_waits
open_gate
ok 'the worker takes it next' wait_for begun 5
is "$(owner)" "$only" 'itself'
open_gate
ok 'both are answered' wait_for has_answers 5
ok 'then one waits again' wait_for waits

last=$SPARE account=$(cat "$HOME_DIR/state/account-main.lock")
kill_serve
ok 'when its master is killed it ends' wait_for gone "$last"
ok 'the account does not' kill -0 "$account"
ok 'the next master' start_serve || done_testing
ok 'has a spare run too' wait_for waits "$last"
stop_serve
is "$SERVE_STATUS" 0 'a stop'
is "$(at_work)" '' 'leaves nobody'
is "$(grep -c 'started.*spare' "$WORK/serve.log")" 0 'all that is told of it below debug is its failure'

# By hand, so that each moment can be held.
exits 64 'by hand it needs a pipe' pr run --spare
exits 64 'and no job' pr run --spare 1
mkfifo "$WORK/word"
points=$WORK/points
pointed() { grep -qx "$1" "$points" 2>/dev/null; }
# spare BIN: one that waits at our pipe; leaves BY_HAND; the end of descriptor 8 is its end
spare()
{
    exec 8>&- # with it goes a word that was there
    : >"$points"
    POSTRIDER_TRACED=1 POSTRIDER_POINTS=$points "$1" --home "$HOME_DIR" run --spare 3<"$WORK/word" 8>&- 9>&- 2>>"$WORK/by-hand.log" &
    BY_HAND=$!
    exec 8>"$WORK/word"
    wait_for pointed spare-waits
}
mail() { pr send --to envoy@postrider.local -s "$1" <<<"$1" >/dev/null && pr deliver && pr account main --once; }
cat >"$HOME_DIR/scripts/hello" <<END
#!/bin/sh
cat >/dev/null
echo "old \$(readlink /proc/\$PPID/exe)" >>'$WORK/ran'
echo done
END
sed 's/echo "old/echo "new/' "$HOME_DIR/scripts/hello" >"$HOME_DIR/scripts/other"
chmod +x "$HOME_DIR/scripts/other"

ok 'it waits' spare "$PR_BIN"
exec 8>&-
wait "$BY_HAND"
is "$?" 0 'the end of its pipe ends it'
not_ok 'with no job taken' pointed spare-begins

ok 'it waits' spare "$PR_BIN"
ok 'new settings' pr config set 'brain default' command "$HOME_DIR/scripts/other"
ok 'a mail' mail six
echo >&8
wait "$BY_HAND"
is "$?" 0 'the word'
like "$(cat "$WORK/ran")" '^new ' 'works by the new settings'
is "$(grep -c 'spare-begins' "$points")" 2 'since it began again'
rm "$WORK/ran"

mkdir "$WORK/libexec"
real=$(dirname "$(find -L "$(dirname "$PR_BIN")" -name postrider-mail -type f -perm -u+x | head -n 1)")
for p in "$real"/postrider-* "$(dirname "$PR_BIN")"/src/base/postrider-limit; do [ -d "$p" ] || ln -sf "$p" "$WORK/libexec/"; done
update() { cp "$real/postrider-mail" "$WORK/new" && mv "$WORK/new" "$WORK/libexec/postrider-mail"; }
update
export POSTRIDER_LIBEXEC=$WORK/libexec
ok 'it waits' spare "$PR_BIN"
ok 'an update of the program' update
ok 'a mail' mail seven
echo >&8
wait "$BY_HAND"
is "$?" 0 'the word'
is "$(cat "$WORK/ran")" "new $WORK/libexec/postrider-mail" 'works with the new program'
unset POSTRIDER_LIBEXEC

ok 'it waits' spare "$PR_BIN"
kill -TERM "$BY_HAND"
wait "$BY_HAND"
is "$?" 0 'TERM ends it'
exec 8>&-
done_testing
