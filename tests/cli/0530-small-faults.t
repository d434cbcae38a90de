#!/usr/bin/env bash
# Things that went wrong once: mail that is written in its place, numbers that came back, an init
# that was killed, and words that were not for people.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"

new=$HOME_DIR/mail/envoy/new
answered() { [ "$(grep -rl "^Subject: Re: $1\$" "$HOME_DIR/mail/you" 2>/dev/null | wc -l)" = 1 ]; }
taken() { sqlite3 -readonly "$HOME_DIR/state/postrider.db" "SELECT count(*) FROM message WHERE file = '$1'"; }
head_of() { printf 'From: you@postrider.local\nTo: envoy@postrider.local\nMessage-ID: <%s@x>\n' "$1"; }

# An init that was killed goes on where it was; a folder of somebody else's is never touched.
"$PR_BIN" --home "$WORK/whole" init >/dev/null
what_is_there() { (cd "$1" && find . -path ./state -prune -o -printf '%p %m\n' | sort); }
if command -v strace >/dev/null && strace -qq -o /dev/null -e trace=none true 2>/dev/null; then
    bin=$PR_BIN
    [ ! -x "$POSTRIDER_PLAIN_BIN" ] || bin=$POSTRIDER_PLAIN_BIN
    wrong=
    died=0
    for call in mkdirat openat renameat2 linkat fsync pwrite64 unlinkat; do
        for n in 1 2 5 12 30; do
            rm -rf "$WORK/half"
            { ASAN_OPTIONS=detect_leaks=0 strace -qq -o /dev/null -e "inject=$call:signal=KILL:when=$n" \
                "$bin" --home "$WORK/half" init >/dev/null; } 2>/dev/null && break
            died=$((died + 1))
            run "$PR_BIN" --home "$WORK/half" status
            [ "$STATUS" = 0 ] || [[ $ERR = *'run: postrider init'* ]] || wrong="$wrong; $call $n: status: $ERR"
            run "$PR_BIN" --home "$WORK/half" init
            [ "$STATUS" = 0 ] || [[ $ERR = *'is a home already'* ]] || wrong="$wrong; $call $n: $ERR"
            [ "$(what_is_there "$WORK/half")" = "$(what_is_there "$WORK/whole")" ] || wrong="$wrong; $call $n: $(diff <(what_is_there "$WORK/whole") <(what_is_there "$WORK/half"))"
        done
    done
    ok "init was killed ($died times)" test "$died" -gt 10
    is "$wrong" '' 'each time a second init makes a whole home of it'
    run "$PR_BIN" --home "$WORK/half" doctor
    is "$STATUS$ERR" 0 'which is well'
else
    skip 'init that is killed' 'can not trace'
fi
mkdir "$WORK/foreign"
echo mine >"$WORK/foreign/file"
exits 73 'a folder of somebody else is refused' "$PR_BIN" --home "$WORK/foreign" init
is "$(ls -A "$WORK/foreign")" file 'and left as it is'
exits 73 'so is a home' "$PR_BIN" --home "$WORK/whole" init

# Mail that somebody writes into new/ in place: not read before it is whole, and in nobody's way.
pr init >/dev/null
printf '\n[trust]\nrequire-auth = none\n' >>"$HOME_DIR/postrider.conf" # so that the owner is believed
start_serve
exec 8>"$new/inplace"
head_of inplace >&8
ok 'mail beside one that is being written is answered' timeout "$WAIT" "$PR_BIN" --home "$HOME_DIR" ask beside
is "$(taken inplace)" 0 'mail that is being written is not taken in'
printf 'Subject: in place\n\nhi\n' >&8
exec 8>&-
ok 'when it is whole it is' wait_for answered 'in place'
head_of linked >"$WORK/linked"
printf 'Subject: linked\n\nhi\n' >>"$WORK/linked"
ln "$WORK/linked" "$new/linked"
ok 'a link is taken in at once' wait_for answered linked
stop_serve
exec 8>"$new/later"
head_of later >&8
ok 'a pass' pr serve --once
is "$(taken later)" 0 'leaves it for the next one'
printf 'Subject: later on\n\nhi\n' >&8
exec 8>&-
ok 'the next one' pr serve --once
ok 'takes it' answered 'later on'

# After a lost store, or with an old one, no job gets a number whose workplace is another's.
numbers() { find "$HOME_DIR/work/envoy" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort -n | tr '\n' ' '; }
cp -a "$HOME_DIR/state" "$WORK/old-state"
before=$(numbers)
last=${before% }
last=${last##* }
echo secret >"$HOME_DIR/work/envoy/$last/in/theirs"
pr ask 'after the copy' >/dev/null
rm -rf "$HOME_DIR/state"
pr ask 'after the loss' >/dev/null
is "$(numbers)" "$before$((last + 1)) $((last + 2)) " 'a lost store: the next job has a place of its own'
rm -rf "$HOME_DIR/state"
cp -a "$WORK/old-state" "$HOME_DIR/state"
pr doctor --accept-backup >/dev/null
pr ask 'after the copy is back' >/dev/null
is "$(numbers)" "$before$((last + 1)) $((last + 2)) $((last + 3)) " 'an old store: so has it there'

# A role that comes later gets the notes that init gives; doctor brings files and store together.
printf '\n[role scout]\naddress = scout@postrider.local\nbrain = default\n' >>"$HOME_DIR/postrider.conf"
notes_of() { (cd "$HOME_DIR/notes/$1" && find . -name '*.md' | sort); }
exits 0 'a role that came later' pr ask --to scout 'are you there'
isnt "$(notes_of envoy)" '' '(init gave some)'
is "$(notes_of scout)" "$(notes_of envoy)" 'has its first notes'
like "$(cat "$HOME_DIR/notes/CONTENTS.md")" 'scout/' 'and they are listed'
first=$(notes_of scout | head -n 1)
rm "$HOME_DIR/notes/scout/$first"
pr ask --to scout 'once more' >/dev/null
not_ok 'one that a person deletes stays away' test -e "$HOME_DIR/notes/scout/$first"
echo 'my own words' >"$HOME_DIR/notes/envoy/mine.md"
exits 0 'doctor' pr doctor
like "$OUT" 'note: notes that people edited, now in the store: 1' 'takes edits of notes in'
echo x >"$HOME_DIR/notes/envoy/bad name!.md"
exits 1 'a file that can be no note' pr doctor
like "$OUT" 'bad name' 'is found'
rm "$HOME_DIR/notes/envoy/bad name!.md"

# Words for people.
printf 'Grüße aus Köln: %s\n' "$(printf 'ö%.0s' {1..80})" >"$WORK/body"
pr send --to bob@elsewhere.example --subject 'Schöne Grüße' <"$WORK/body" >/dev/null
id=$(pr --json outbox list | python3 -c 'import json,sys; print(json.load(sys.stdin)[0]["id"])')
run pr outbox show "$id"
like "$OUT" "Subject: Schöne Grüße" 'outbox show: the subject in plain words'
like "$OUT" "$(cat "$WORK/body")" 'and the text'
unlike "$OUT" '=C3|=\?utf-8' 'nothing is encoded'
run pr outbox show --raw "$id"
like "$OUT" '=C3' '--raw gives the bytes'
pr config set 'brain default' command scripts/none
exits 75 'ask with a brain that is not there' pr ask hello
one_line "$ERR" 'one line'
like "$ERR" "^postrider: job [0-9]+ waits: no program '.*scripts/none'" 'for people'

done_testing
