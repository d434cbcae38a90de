#!/usr/bin/env bash
# A face that no line of src names (tests/face): rows at intake, a part of the page, a view, a timer, an order of its
# own, a role without a brain that parks, wakes by time, and comes back from its checkpoint mail after a lost store.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"
export POSTRIDER_LIBEXEC=${PR_BIN%/*}/tests/face
NOW=1790000000
at() { export POSTRIDER_CLOCK=@$((NOW + $1)); } # seconds later
book() { tail -n +2 "$HOME_DIR/guests/book.txt" | tr '\n' ' '; }
turn() { pr serve --once 2>/dev/null; }
visit() { pr send --to "$1" --subject 'visit' <<<'Good morning.'; } # its Message-ID
home()
{
    rm -rf "$HOME_DIR"
    at 0
    pr init >/dev/null
    pr config set 'brain page' command cat
    pr config set 'role envoy' brain page
    pr config set 'role desk' brain none
}

home
visit envoy >/dev/null
turn
ok 'its part stands on the page' you_have 'THE GUEST IS'
ok 'with what it has stored at intake' you_have '^here'
is "$(book)" '1 here ' 'its view is a file'
is "$(db 'SELECT face, state FROM job')" 'guestbook|done' 'the face leads the job'
exits 0 'doctor finds nothing' pr doctor
printf 'mine\n' >"$HOME_DIR/guests/book.txt"

at 700
turn
is "$(book)" '1 greeted ' 'its timer fires, without a job'
is "$(cat "$HOME_DIR/guests/book.txt.edited-1")" 'mine' 'what a person wrote into the view is kept'
exits 1 'and doctor says so' pr doctor
like "$OUT" 'book.txt.edited-1' 'with its name'
rm "$HOME_DIR/guests/book.txt.edited-1"
exits 0 'once' pr doctor

id=$(visit desk)
turn
is "$(job state 2) $(job waiting_for 2)" 'parked the hour' 'a role without a brain parks'
ok 'and says so' you_have 'Please wait.'
pr send --to desk --in-reply-to "$id" --subject 'Re: visit' <<<'SIGN' >/dev/null
turn
is "$(book)" '1 greeted 2 signed ' 'an order of its own is carried out'
ok 'and answered' you_have 'You stand in the book.'
is "$(job state 2)" 'parked' 'and is no mail for the job'
is "$(db "SELECT class, state FROM message WHERE class = 'order'")" 'order|handled' 'but an order'

# --- the store is lost ---
rm -rf "$HOME_DIR/state"
at 800
turn
is "$(job state 2)" 'parked' 'the store is lost: the job is back'
is "$(book)" '2 here ' 'with its rows, as its checkpoint mail has them'
is "$(tail -1 "$HOME_DIR/guests/book.txt.edited-1")" '2 signed' 'a file that the new store does not know is kept'
rm "$HOME_DIR/guests/book.txt.edited-1"
at 4400
turn
is "$(job state 2)" 'done' 'it wakes by its time'
ok 'and decides' you_have 'Come in.'
exits 0 'doctor finds nothing' pr doctor

# --- dead between a view's file and its mark, and what it shows changes before anybody settles ---
home
visit desk >/dev/null
POSTRIDER_DIE_AT=view-written pr serve --once >/dev/null 2>&1
is "$(book)" '1 here ' 'killed when the view was written'
at 700
pr run --timers 2>/dev/null
is "$(book)" '1 greeted ' 'the next one takes its place'
ok 'and nothing is taken for an edit of a person' test ! -e "$HOME_DIR/guests/book.txt.edited-1"

# --- folders that a face watches, kept as a row ---
home
turn
pr config set postrider log-level debug
mkdir -p "$HOME_DIR/guests"
sqlite3 "$HOME_DIR/state/postrider.db" "INSERT INTO watch VALUES ('other', 'guests')"
looks() { grep -c 'msg=started part=run ' "$WORK/serve.log"; }
looked() { [ "$(looks)" -ge "$1" ]; }
unset POSTRIDER_CLOCK
start_serve
ok 'a master that starts has them looked at' wait_for looked 1
before=$(looks)
touch "$HOME_DIR/guests/new"
ok 'and when a file there changes' wait_for looked $((before + 1))
stop_serve

# --- a program that does not know it ---
home
visit desk >/dev/null
turn
env -u POSTRIDER_LIBEXEC "$PR_BIN" --home "$HOME_DIR" continue 1 >/dev/null 2>&1
POSTRIDER_LIBEXEC= pr serve --once 2>"$WORK/err"
ok 'a program without the face leaves its jobs alone' grep -q "led by 'guestbook'" "$WORK/err"
is "$(job state 1)" 'queued' 'they wait'
done_testing
