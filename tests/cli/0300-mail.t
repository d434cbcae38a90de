#!/usr/bin/env bash
# mail list, show, thread, search and trace: what they print, as text and as JSON.
. "$(dirname "$0")/../lib/tap.sh"

drop() { cat >"$HOME_DIR/mail/envoy/tmp/$1" && mv "$HOME_DIR/mail/envoy/tmp/$1" "$HOME_DIR/mail/envoy/new/$1"; }
# py EXPRESSION: of the JSON in $OUT, as d
py() { printf '%s' "$OUT" | python3 -c 'import json,sys; d=json.load(sys.stdin); print('"$1"')'; }

pr init >/dev/null
run pr mail list
is "$OUT" 'no mail' 'an empty list says so'
run pr --json mail list
is "$(py d)" '[]' 'and is an empty array as JSON'

printf 'print("hi")\n' >"$WORK/tool.py"
printf '\000\001\377' >"$WORK/blob.bin"
pr ask -a "$WORK/tool.py" -a "$WORK/blob.bin" 'the budget of spring' >/dev/null
printf 'From: "Eve \033[2J" <x@evil.example>\nTo: envoy@postrider.local\nSubject: \033]0;pwn\007\302\233 h\303\251\nMessage-ID: <esc@x>\n\n\033[31mred\n' | drop 7
pr serve --once

run pr --json mail list
is "$(py 'len(d)')" 2 'two mails are listed'
is "$(py 'sorted(set("message_id role folder from to subject date thread state why flags trust class job".split())-set(d[0]))')" '[]' \
    'with every member of the contract'
is "$(py 'd[0]["message_id"]')" '<esc@x>' 'the newest first'
is "$(py 'd[0]["folder"], d[0]["state"], d[0]["job"]')" 'INBOX held None' 'held in INBOX'
id=$(py 'd[1]["message_id"]')
is "$(py 'd[1]["state"], d[1]["folder"], d[1]["job"], d[1]["trust"], d[1]["class"]')" \
    'handled Done 1 principal task' 'the first one is done'

run pr mail list --limit 1
is "$(printf '%s\n' "$OUT" | wc -l)" 2 '--limit 1 is a heading and a line'
unlike "$OUT" $'[\033\007\302\233]' 'no escape sequence reaches the terminal'
like "$OUT" '\\u\{9b\}' 'what is left of it is shown escaped'
run pr --json mail list --state held
is "$(py '[m["message_id"] for m in d]')" "['<esc@x>']" '--state'
run pr --json mail list --folder INBOX --role envoy
is "$(py '[m["message_id"] for m in d]')" "['<esc@x>']" '--folder INBOX and --role'
run pr --json mail list --folder Done
is "$(py '[m["job"] for m in d]')" '[1]' '--folder Done'
run pr --json mail list --job 1
is "$(py 'len(d)')" 1 '--job'

for form in "$id" "${id:1:-1}" 1 '#1'; do
    run pr mail show "$form"
    like "$OUT" "Message-ID: $id" "show by '$form'"
done
like "$OUT" 'From: you@postrider.local' 'with From'
like "$OUT" 'state: handled' 'with its state'
like "$OUT" 'the budget of spring' 'with its text'
like "$OUT" 'tool.py +text/x-python +12 B' 'with its attachments'
run pr show "$id"
like "$OUT" "Message-ID: $id" 'the short verb shows mail too'
run pr --json mail show "$id"
is "$(py '[(a["filename"],a["size_bytes"],a["readable"]) for a in d["available_attachments"]]')" \
    "[('tool.py', 12, True), ('blob.bin', 3, True)]" 'attachments as JSON, decoded sizes; a program reads them all'
is "$(py 'd["continuation"], d["trust"], d["text"].strip()')" 'None principal the budget of spring' 'and the rest'
pr mail show --attachment blob.bin 1 >"$WORK/got"
ok '--attachment gives the bytes' cmp "$WORK/got" "$WORK/blob.bin"
exits 66 'an attachment that is not there' pr mail show --attachment nix 1
like "$ERR" "'tool.py', 'blob.bin'" 'names those that are'
pr mail show --raw '<esc@x>' >"$WORK/got"
ok '--raw gives the file' cmp "$WORK/got" "$HOME_DIR/mail/envoy/new/7"
exits 64 '--raw and --attachment together' pr mail show --raw --attachment x 1
run pr mail show '<esc@x>'
unlike "$OUT" $'[\033\007]' 'no escape sequence of a body reaches the terminal'
like "$OUT" '\\x1b\[31mred' 'it is shown escaped'

run pr --json outbox list --all
sent=$(py '[m["message_id"] for m in d if m["from"].startswith("envoy")][0]')
run pr --json mail show "$sent"
is "$(py 'd["folder"], d["state"], d["message_id"]=="'"$sent"'", "budget" in d["text"]')" 'Sent sent True True' 'our own mail is shown too'
sqlite3 "$HOME_DIR/state/postrider.db" 'UPDATE outbox SET bytes = NULL'
run pr mail show "$sent"
like "$OUT" 'the budget of spring' 'from its copy, when its bytes were forgotten'

run pr mail thread "$id"
like "$OUT" 'you@postrider.local: the budget of spring \[handled\]' 'the thread begins with the question'
like "$OUT" '└─ .*envoy@postrider.local.*: Re: the budget of spring \[sent\]' 'and the answer hangs below'
run pr --json mail thread "$sent"
is "$(py 'd[0]["message_id"]=="'"$id"'", d[0]["replies"][0]["message_id"]=="'"$sent"'"')" 'True True' 'the same from the answer, as JSON'
# A late reply whose parent nobody has: References still tell where it belongs.
printf 'From: x@evil.example\nTo: envoy@postrider.local\nSubject: Re: b\nMessage-ID: <late@x>\nIn-Reply-To: <lost@x>\nReferences: %s <lost@x>\n\nlate\n' "$id" | drop 8
pr serve --once
run pr mail thread '<late@x>'
like "$OUT" '└─ x@evil.example: Re: b' 'a missing parent is bridged'

run pr mail trace "$id"
like "$OUT" 'received .*handled' 'trace tells what was decided'
run pr --json mail trace '<esc@x>'
is "$(py 'd[0]["what"], d[0]["role"], "why" in d[0]')" 'received envoy True' 'as JSON too'
run pr mail trace "$sent"
like "$OUT" 'to you@postrider.local: sent' 'and of mail that left'

run pr --json mail search budget from:you
is "$(py '[m["message_id"] for m in d]')" "['$id']" 'search finds it'
run pr --json mail search '"budget of" subject:spring'
is "$(py '[m["message_id"] for m in d]')" "['$sent', '$id']" 'by phrase and subject, and the answer with it'
run pr mail search 'budget from:nobody'
is "$OUT" 'no mail' 'or nothing'
for q in '"' 'NEAR(' '*' 'a AND' ':' 'since:never' $'\377\376' "$(printf 'x%.0s' {1..3000})"; do
    exits 0 "nothing that is typed is an error" pr mail search "$q"
done
rm "$HOME_DIR"/state/index.db*
run pr --json mail search budget
is "$(py 'len(d)')" 2 'the index may be deleted at any time'

rm "$HOME_DIR/mail/envoy/new/8"
exits 0 'a mail whose file is gone is still shown' pr mail show '<late@x>'
like "$OUT" 'is gone' 'and says so'
exits 66 'but it has no bytes' pr mail show --raw '<late@x>'

exits 66 'an unknown id' pr mail show '<nobody@x>'
like "$ERR" "^postrider: no mail '<nobody@x>'; see: postrider mail list$" 'is one clear line'
exits 66 'an unknown number' pr mail show 99
exits 66 'a number that is none' pr mail thread 99999999999999999999
exits 64 'an empty id' pr mail show ''
exits 64 'no id' pr mail show
exits 64 'two ids' pr mail trace 1 2
exits 64 'no query' pr mail search
exits 64 'a wrong word' pr mail shwo 1
like "$ERR" "did you mean 'show'" 'gets the nearest one'
exits 64 'a wrong state' pr mail list --state hold
like "$ERR" "did you mean 'held'" 'gets the nearest one'
exits 66 'a wrong role' pr mail list --role envoi
like "$ERR" "did you mean 'envoy'" 'gets the nearest one'
for limit in -1 0 1e9 x '' 99999999999999999999; do
    exits 64 "--limit '$limit'" pr mail list --limit "$limit"
done
exits 64 'an operand that list does not take' pr mail list foo
exits 0 'a huge limit' pr mail list --limit 1000000000
exits 0 'a repeated option: the last counts' pr mail list --limit 5 --limit 1
is "$(printf '%s\n' "$OUT" | wc -l)" 2 'indeed'
exits 0 '-- ends the options' pr mail show -- 1

done_testing
