#!/usr/bin/env bash
# Message-IDs in lists are as short as they can be, and every verb that takes an ID takes them so.
. "$(dirname "$0")/../lib/tap.sh"

pr init >/dev/null
pr ask hello >/dev/null
pr ask again >/dev/null
full() { pr --json mail list --folder Sent | python3 -c "import json, sys
print(next(m['message_id'] for m in json.load(sys.stdin) if m['subject'] == '$1'))"; }
short() { pr mail list --folder Sent | grep "  $1\$" | cut -d ' ' -f 1; }

id=$(full 'Re: hello')
cut=$(short 'Re: hello')
like "$id" '^<.*@postrider\.local>$' '--json has the whole id'
like "$cut" '^[a-z2-7]{8,}$' 'a list has its tag, shortened'
like "$id" "\\.$cut" 'to where it begins'
is "$(pr mail list --folder Sent | cut -d ' ' -f 1 | sort | uniq -d)" '' 'no two are alike'

for verb in 'mail show' 'mail trace' 'mail thread' 'show' 'outbox show'; do
    ok "$verb takes it" pr $verb "$cut"
    is "$OUT" "$(pr $verb "$id")" 'as the whole id'
done
in=$(pr --json mail show 1 | python3 -c 'import json, sys; print(json.load(sys.stdin)["message_id"])')
in_cut=$(expr "$in" : '<[0-9]*\.[0-9]*\.\(........\)')
is "$(pr mail trace "$in_cut")" "$(pr mail trace "$in")" 'of mail that came in, too'
is "$(pr mail trace "${in%@*}")" "$(pr mail trace "$in")" 'the beginning of the whole id will do'
exits 0 'send --in-reply-to takes it' pr send --to envoy --subject 'Re: hello' --in-reply-to "$cut"
like "$(pr mail show --raw "$(expr "$OUT" : '<\(.*\)>')")" "In-Reply-To:[[:space:]]*$id" 'and writes the whole one'
COLUMNS=100 run pr job log 1
unlike "$OUT" '@postrider.local>' 'job log at a terminal has short ones'
like "$OUT" "answered $cut" 'which are the same'

# Several that begin alike.
stamp=$(expr "$id" : '<\([0-9]*\)\.')
exits 65 'one that may be several' pr mail show "$stamp."
like "$ERR" "'$stamp\\.' may be any of .*<$stamp\\.[0-9]+\\..*@postrider.local> <$stamp" 'lists them'
one_line "$ERR" 'in one line'
for id in one two; do
    printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: %s\nMessage-ID: <a-long-beginning-%s@far.example>\n\nx\n' \
        $id $id | pr receive --role envoy
done
pr serve --once 2>/dev/null
exits 65 'of others' pr mail show a-long-beginning
exits 0 'one letter tells them apart' pr mail show a-long-beginning-t
like "$OUT" 'Subject: two' 'and it is the right one'
exits 66 'none' pr mail show no-such-id
exits 66 'too short to look for' pr mail show abc
exits 66 'a text that is none' pr mail show $'\xff\xfe\xfd\xfc\xfb'
exits 0 'doctor --release takes it' pr doctor --release a-long-beginning-o

done_testing
