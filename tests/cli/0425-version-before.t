#!/usr/bin/env bash
# A home of the version before (schema 8, tests/golden/home-8) goes on: two parked jobs of a role in steps, and
# the mail of a program that nobody has worked on; with its store, and from its checkpoint mails alone.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"

export POSTRIDER_CLOCK=@1790000100
old_home() # [without its store]
{
    rm -rf "$HOME_DIR"
    pr init >/dev/null
    rm -rf "$HOME_DIR/state"
    cp -R "$POSTRIDER_SRC/tests/golden/home-8/." "$HOME_DIR/"
    find "$HOME_DIR/mail" -name new -o -name cur | while read -r d; do mkdir -p "${d%/*}"/{new,cur,tmp}; done
    chmod 600 "$HOME_DIR/key"
    [ "$1" ] || { mkdir -m 700 "$HOME_DIR/state"; (umask 077; sqlite3 "$HOME_DIR/state/postrider.db" <"$HOME_DIR/store.sql"); }
    rm "$HOME_DIR/store.sql"
}
faces() { db "SELECT id, face FROM job ORDER BY id" | tr "\n" " "; }
goes_on()
{
    pr serve --once 2>/dev/null
    is "$(job state 2) $(job total_iterations 2)" 'done 3' "$1: the job that was parked at its limit goes on"
    ok "$1: with what it had written down" grep -q 'two' <(pr show 2@3 --context)
    is "$(job state 1)" 'parked' "$1: the one that asked waits for an answer"
    steps '{}' '{"status":"complete","current_phase":"complete","send_emails":[{"body":"The blue one, then."}]}'
    pr continue 1 'the blue one' >/dev/null
    pr serve --once 2>/dev/null
    is "$(job state 1)" 'done' "$1: and goes on by a word"
    ok "$1: with its words" you_have 'The blue one, then.'
    ok "$1: the program has answered" you_have 'hello'
    exits 0 "$1: doctor finds nothing" pr doctor
}

old_home
is "$(faces)" '1|steps 2|steps 3|steps ' 'a store of the version before'
goes_on 'with the store'
is "$(faces)" '1| 2| 3| ' 'a plain conversation has no face'

old_home 'no store'
goes_on 'from mail alone'
is "$(faces)" '1| 2| 3| ' 'nor has one that came back from a checkpoint of the version before'

done_testing
