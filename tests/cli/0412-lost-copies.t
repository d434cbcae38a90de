#!/usr/bin/env bash
# state/ is lost, and several mails have the id that an answer in Sent names: the answer settles the mail that it
# answered, and nothing else under that id.
. "$(dirname "$0")/../lib/tap.sh"

pr init >/dev/null
done_dir=$HOME_DIR/mail/envoy/.Done/cur
inbox=$HOME_DIR/mail/envoy/cur
answers() { grep -rl "^Subject: Re: " "$HOME_DIR/mail/you/new" 2>/dev/null | wc -l; }
file_of() { grep -l "^Subject: question $1\$" "$done_dir"/*; }
again() { mv "$(file_of "$1")" "$inbox/$1.again:2,S"; }     # as if its move to Done had never been made
same() { cp "$(file_of "$1")" "$inbox/$1.same:2,S"; }       # one more file of it
other() { sed "/^\$/,\$s/question $1/other words $1/" "$2" >"$inbox/$1.other:2,S"; }
rows() { db "SELECT group_concat(folder || ' ' || state || ' ' || coalesce(why, ''), '; ') FROM (SELECT * FROM message WHERE subject = 'question $1' AND role = 'envoy' AND folder <> 'Sent' ORDER BY file LIKE '%.other', id)"; }
id_of() { db "SELECT id FROM message WHERE file = '$1'"; }

for n in alone filed twice open third; do pr ask "question $n" >/dev/null; done
exits 0 'five questions' pr serve --once
is "$(answers)" 5 'are answered'
again alone
other filed "$(file_of filed)"
same twice
again open
other open "$inbox/open.again:2,S"
again third
cp "$inbox/third.again:2,S" "$inbox/third.same:2,S"
other third "$inbox/third.again:2,S"
rm -rf "$HOME_DIR/state"
exits 0 'a new store reads the mailbox' pr serve --once

doubt='history: its id was answered, and several mails have it'
is "$(rows alone)" ' handled history: answered by a mail in Sent' 'the only mail with an answered id is settled'
is "$(rows filed)" "Done handled history: filed as done;  ignored $doubt" 'beside the one in Done other words are not'
is "$(rows twice)" 'Done handled history: filed as done' 'one more file of it is no other mail'
is "$(rows open)" " ignored $doubt;  ignored $doubt" 'which of two open mails was answered nobody knows'
is "$(rows third)" " ignored $doubt;  ignored $doubt" 'and a copy of one of them tells no more'
is "$(db 'SELECT count(*) FROM copy')" 2 'two files are copies'
is "$(db 'SELECT count(*) FROM job')" 0 'no job was begun'
like "$(pr status)" '5 old mails were left alone' 'all that is not settled is listed'

exits 0 'other words are released' pr doctor --release "#$(id_of filed.other)"
exits 0 'and worked' pr serve --once
is "$(answers)" 6 'and answered'
exits 0 'so is one of those in doubt' pr doctor --release "#$(id_of open.again)"
exits 0 'and the other' pr doctor --release "#$(id_of open.other)"
exits 0 'both are worked' pr serve --once
is "$(rows open | grep -o handled | wc -l)" 2 'each for itself'
exits 0 'all is well' pr doctor
done_testing
