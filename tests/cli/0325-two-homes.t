#!/usr/bin/env bash
# One mail folder, one living home: a copy of a home, or the same home on another machine, is refused
# until a person says which of the two counts.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"

copy() { "$PR_BIN" --home "$WORK/copy" "$@"; }
elsewhere() { POSTRIDER_MACHINE_ID=$1; shift; POSTRIDER_MACHINE_ID=$POSTRIDER_MACHINE_ID "$PR_BIN" --home "$HOME_DIR" "$@"; }
mark=$HOME_DIR/mail/.postrider-home
start_of() { sed -n 3p "$1"; }
# The master has its lock a moment before it has left its mark.
marked_serve()
{
    local before
    before=$(start_of "$mark")
    marked() { [ "$(start_of "$mark")" != "$before" ]; }
    start_serve && wait_for marked
}
answers_in() { find "$1/mail/you/new" "$1/mail/you/cur" -type f 2>/dev/null | wc -l; }

pr init >/dev/null
for i in 1 2 3 4 5; do echo "task $i" | pr send --to envoy --subject "task $i" >/dev/null; done
pr deliver && pr account main --once
is "$(pr --json job list | grep -c '"queued"')" 5 'five jobs wait'
ok 'the mail folder has a mark' test -f "$mark"
like "$(cat "$mark")" "$HOME_DIR" 'which names the home'
cp -a "$HOME_DIR" "$WORK/copy"

# The copy, whoever starts it and by which verb.
exits 78 'serve refuses in a copied home' copy serve
like "$ERR" "$HOME_DIR.*$WORK/copy.*serve --take-over" 'names both and the way out'
exits 78 'so does a pass' copy serve --once
like "$(copy status)" 'nothing runs or leaves: the mail of this home is worked by the home' 'status says so'
exits 78 'and account' copy account main --once
exits 78 'and run' copy run
exits 78 'and deliver' copy deliver
exits 78 'and ask' copy ask 'me too'
exits 78 'and timers' copy run --timers
pr serve --once
is "$(answers_in "$HOME_DIR")" 5 'the original answers all five'
is "$(answers_in "$WORK/copy")" 0 'the copy answers nothing'
is "$(copy --json job list | grep -c '"queued"')" 5 'and has begun nothing'
ok 'what only shows still works there' copy status

# Taken over: the copy counts, the original is refused.
start_serve
"$PR_BIN" --home "$HOME_DIR" account main --take-over
is "$(head -n 1 "$HOME_DIR/state/master.lock")" "$SERVE_PID" 'to take over what is ours changes nothing'
stop_serve
is "$SERVE_STATUS" 0 'a clean stop'
exits 0 'account --take-over' copy account main --take-over
like "$(cat "$WORK/copy/mail/.postrider-home")" "$WORK/copy" 'the mark of the copy is its own now'
exits 0 'and it works' copy serve --once
is "$(answers_in "$WORK/copy")" 6 'then it answers, as it was told to'
rm -rf "$WORK/copy"

# A home that was moved.
mv "$HOME_DIR" "$WORK/moved"
exits 78 'a moved home is refused too' "$PR_BIN" --home "$WORK/moved" serve --once
like "$ERR" 'moved here' 'and says what to do'
exits 0 'serve --once --take-over' "$PR_BIN" --home "$WORK/moved" serve --once --take-over
exits 0 'from then on it is at home' "$PR_BIN" --home "$WORK/moved" serve --once
mv "$WORK/moved" "$HOME_DIR" && pr account main --take-over
ln -s "$HOME_DIR" "$WORK/link"
exits 0 'a link to it is the same home' "$PR_BIN" --home "$WORK/link" serve --once

# A mark that is gone, broken, or of another start.
rm "$mark"
exits 0 'a deleted mark is put again' pr serve --once
ok 'it is there' test -s "$mark"
: >"$mark"
exits 0 'an empty one too' pr serve --once
like "$(cat "$mark")" "$HOME_DIR" 'it is whole'
marked_serve
begun=$(start_of "$mark")
isnt "$begun" '-' 'a master writes its start'
rm "$mark"
echo more | pr send --to envoy --subject 'more' >/dev/null
has_mark() { [ -s "$mark" ]; }
ok 'deleted under a master it comes back' wait_for has_mark
ok 'the mail is answered' wait_for has_answers 6
stop_serve
marked_serve
isnt "$(start_of "$mark")" "$begun" 'each start writes a mark of its own'

# The same home on two machines (NFS without locks between them).
exits 78 'another machine is refused' elsewhere 1111 account main --once
like "$ERR" 'is worked by the home' 'with the reason'
exits 0 'a person gives the home to the other machine' elsewhere 1111 account main --take-over
echo more | pr send --to envoy --subject 'yet more' >/dev/null
gone() { ! kill -0 "$SERVE_PID" 2>/dev/null; }
ok 'the master here stops' wait_for gone
wait "$SERVE_PID"
is "$?" 78 'with 78'
SERVE_PID=
like "$(cat "$WORK/serve.log")" "can't go on, stopping.*is worked by the home" 'and the reason'
exits 78 'and does not start again' pr serve
pr account main --take-over

# A container: machine and path change, the instance stays.
pr config set postrider instance blue
exits 78 'a new name is another instance' pr serve --once
pr account main --take-over
exits 0 'the instance is the same on any machine' elsewhere 2222 serve --once
cp -a "$HOME_DIR" "$WORK/copy"
exits 0 'and in any place' copy serve --once
marked_serve
sed -i "3s/.*/another/" "$mark" # a second container of that name has begun
echo more | pr send --to envoy --subject 'for one of two' >/dev/null
ok 'a second start of the same instance ends the first' wait_for gone
wait "$SERVE_PID"
is "$?" 78 'with 78'
SERVE_PID=
like "$(cat "$WORK/serve.log")" 'a later start of it' 'and the reason'
pr config set postrider instance ''

# Two at the same moment on a folder without a mark: one has it.
for round in 1 2 3 4 5; do
    rm "$mark"
    POSTRIDER_MACHINE_ID=1 "$PR_BIN" --home "$HOME_DIR" account main --take-over & one=$!
    POSTRIDER_MACHINE_ID=2 "$PR_BIN" --home "$HOME_DIR" account main --once 2>/dev/null & two=$!
    wait "$one"; wait "$two"
    POSTRIDER_MACHINE_ID=1 "$PR_BIN" --home "$HOME_DIR" account main --once 2>/dev/null; a=$?
    POSTRIDER_MACHINE_ID=2 "$PR_BIN" --home "$HOME_DIR" account main --once 2>/dev/null; b=$?
    case $a,$b in 0,78 | 78,0) ;; *) break ;; esac
done
is "$round,$((a + b))" '5,78' 'two at the same moment: one is refused, each time'

# Killed while the mark is written.
for point in living-before-mark living-marked; do
    POSTRIDER_DIE_AT=$point pr account main --take-over 2>/dev/null
    pr account main --take-over
    exits 0 "killed at $point, the next start is at home" pr serve --once
done
is "$(find "$HOME_DIR/mail" -maxdepth 1 -type f | wc -l)" 1 'one mark'
exits 78 'a machine without an id' env POSTRIDER_MACHINE_ID= "$PR_BIN" --home "$HOME_DIR" account main --once
like "$ERR" 'no machine-id.*instance' 'is told of the setting'

# A restored home holds everything until a person has stopped the other one.
pr account main --take-over
echo 'open' | pr send --to envoy --subject 'open' >/dev/null && pr deliver && pr account main --once
pr backup "$WORK/bk" >/dev/null
there() { "$PR_BIN" --home "$WORK/there" "$@"; }
exits 0 'restore beside the living home' there restore "$WORK/bk"
like "$OUT" "Stop the home.*\($(uname -n):$HOME_DIR\).*accept-backup" 'says what to stop, and what then'
before=$(answers_in "$WORK/there")
exits 0 'a pass there' there serve --once
is "$(answers_in "$WORK/there")" "$before" 'answers nothing'
like "$(there status)" "nothing runs or leaves: this home was restored.*$HOME_DIR" 'status says why'
exits 0 'the way out is one command' there doctor --accept-backup
there serve --once
is "$(answers_in "$WORK/there")" $((before + 1)) 'then it works'
exits 78 'a backup that is started as it lies is refused' "$PR_BIN" --home "$WORK/bk" serve --once
sed -i '/^place:/d' "$WORK/bk/BACKUP"
rm -rf "$WORK/there"
exits 0 'a backup of an earlier version' there restore "$WORK/bk"
like "$(there status)" 'unknown place' 'is held as well'
done_testing
