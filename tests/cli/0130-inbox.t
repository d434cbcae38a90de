#!/usr/bin/env bash
# What comes into a mailbox by other ways: strangers, forgeries, odd files, duplicates, huge mail.
. "$(dirname "$0")/../lib/tap.sh"

drop() { cat >"$HOME_DIR/mail/envoy/tmp/$1" && mv "$HOME_DIR/mail/envoy/tmp/$1" "$HOME_DIR/mail/envoy/new/$1"; }
die_at() { POSTRIDER_DIE_AT=$1 pr serve --once; }
field() { pr --json mail show "$1" | python3 -c 'import json,sys; m=json.load(sys.stdin); print(m["'"$2"'"])'; }

pr init >/dev/null
printf 'From: you@postrider.local\nTo: envoy@postrider.local\nMessage-ID: <spoof@x>\nSubject: pay\n\nPay me.\n' | drop 1
printf 'From: x@evil.com\nTo: envoy@postrider.local\nMessage-ID: <stranger@x>\nSubject: hi\n\nhi\n' | drop 2
printf 'From: x@evil.com\nTo: envoy@postrider.local\nMessage-ID: <forged@x>\nX-Postrider-Origin: v1 from=x@evil.com level=operator to=envoy mac=%064d\nSubject: f\n\nx\n' 0 | drop 3
printf '' | drop 4
head -c 2000 /dev/urandom | drop 5
printf 'From: x@evil.com\nTo: envoy@postrider.local\nAuto-Submitted: auto-replied\nMessage-ID: <auto@x>\n\nI am away\n' | drop 6
printf 'From: x@evil.com\nTo: envoy@postrider.local\nSubject: \033]0;pwn\007\033[2J\nMessage-ID: <esc@x>\n\n\033[31mred\n' | drop 7
mkdir "$HOME_DIR/mail/envoy/new/folder"
mkfifo "$HOME_DIR/mail/envoy/new/fifo"
ln -s /etc/passwd "$HOME_DIR/mail/envoy/new/link"
ok 'a pass over it all' pr serve --once
is "$(pr --json job list --all | grep -c '"id"')" 0 'begins no job'
is "$(field '<spoof@x>' state) $(field '<spoof@x>' why | cut -d: -f1)" 'held unproven' 'a spoofed owner is held'
is "$(field '<stranger@x>' state)" held 'a stranger is held'
is "$(field '<auto@x>' state)" ignored 'an automatic mail is ignored'
run pr mail trace '<forged@x>'
like "$OUT" 'forged' 'a forged proof of origin is counted as such'
run pr mail list
unlike "$OUT" $'\033' 'no escape sequence reaches the terminal'
is "$(find "$HOME_DIR/mail/you/new" -type f | wc -l)" 1 'nobody is answered but the owner'
is "$(grep -rl "^Subject: a mail that can't prove its sender" "$HOME_DIR/mail/you/new" | wc -l)" 1 'who hears of the spoofed mail'
ok 'a second pass' pr serve --once
is "$(pr --json mail list --limit 100 | grep -c '"message_id"')" 7 'takes nothing in twice'

# What an MTA pipes to us is judged as mail from outside: by the field of a server that authserv-id names.
piped() # ID SERVER
{
    printf 'Authentication-Results: %s; dmarc=pass header.from=postrider.local\nReceived: from a by mx.local; Sun, 15 Nov 2026 09:30:00 +0000\n%b' "$2" \
        "From: you@postrider.local\nTo: envoy@postrider.local\nMessage-ID: <$1@x>\nSubject: pay\n\nPay me.\n" | pr receive --role envoy
}
printf '\n[trust]\nauthserv-id = mx.local\n' >>"$HOME_DIR/postrider.conf"
ok 'receive of a mail that a foreign server vouches for' piped foreign mx.evil
ok 'and one that ours vouches for' piped ours mx.local
pr serve --once
is "$(field '<foreign@x>' state) $(field '<ours@x>' state)" 'held handled' 'receive vouches for nothing'

rm -r "$HOME_DIR/mail/envoy/new/folder" "$HOME_DIR/mail/envoy/new/fifo" "$HOME_DIR/mail/envoy/new/link"

# The same mail again, under another file name (promise 3).
id=$(printf 'task\n' | pr inject --subject twice)
file=$(grep -l 'Subject: twice' "$HOME_DIR"/mail/envoy/new/*)
cp "$file" "$HOME_DIR/mail/envoy/new/copy"
ok 'the same mail twice' pr serve --once
is "$(grep -rl 'Re: twice' "$HOME_DIR/mail/you/new" | wc -l)" 1 'is answered once'
printf 'From: ann@example.com\nTo: envoy@postrider.local\nMessage-ID: <whole@x>\nSubject: w\n\nwhole\n' >"$WORK/whole"
ok 'inject of a whole message' pr inject "$WORK/whole"
is "$OUT" '<whole@x>' 'keeps its id'
ok 'works' pr serve --once
exits 65 'a second time is refused' pr inject "$WORK/whole"
ok '--again gives it a new id' pr inject --again "$WORK/whole"
isnt "$OUT" '<whole@x>' 'another one'
exits 66 'a file that is not there' pr inject "$WORK/nofile"

# 100 MB: held, not parsed, and nothing else waits for it.
pr serve --once
{ printf 'From: x@y.com\nTo: envoy@postrider.local\nMessage-ID: <big@x>\n\n'; head -c 104857600 /dev/zero | tr '\0' 'a'; } | drop big
printf 'ok\n' | pr inject --subject small >/dev/null
ok 'a pass with a mail of 100 MB' pr serve --once
is "$(grep -rl 'Re: small' "$HOME_DIR/mail/you/new" | wc -l)" 1 'answers the other mail'
run pr --json mail list --state held --limit 100
like "$OUT" 'too_large' 'and holds the big one'
rm "$HOME_DIR/mail/envoy/new/big"

# A mail whose intake is killed again and again from outside is not set aside for that.
for kills in 4 6; do
    printf 'ok\n' | pr inject --subject "unlucky-$kills" >/dev/null
    for n in $(seq "$kills"); do
        exits 137 "kill $n of $kills while a mail is taken in" die_at intake-marked
    done
    ok 'after the kills a pass comes through' pr serve --once
    is "$(grep -rl "Re: unlucky-$kills" "$HOME_DIR/mail/you/new" | wc -l)" 1 'and the unlucky mail is answered'
done

# A mail that kills the parser is found and put aside; its bytes stay (ENGINE 3).
printf 'From: x@y.com\nTo: envoy@postrider.local\nMessage-ID: <poison@x>\n\nboom\n' | drop poison
for _ in 1 2 3 4; do
    exits 137 'killed by a mail' die_at mail-parse
done
ok 'then a child is killed instead' die_at mail-parse
run pr --json mail list --state dead --limit 100
like "$OUT" 'crashes the parser' 'and the mail is set aside'
is "$(grep -rl '^boom' "$HOME_DIR/mail/envoy" | wc -l)" 1 'its bytes stay'
printf 'ok\n' | pr inject --subject innocent >/dev/null
ok 'the next pass' pr serve --once
is "$(grep -rl 'Re: innocent' "$HOME_DIR/mail/you/new" | wc -l)" 1 'answers the next mail'
done_testing
