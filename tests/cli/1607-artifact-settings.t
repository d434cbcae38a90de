#!/usr/bin/env bash
# Settings of the workflow that can't be meant are refused with the line and the reason; those that may be are warned of.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
workflow_home
cp "$HOME_DIR/postrider.conf" "$WORK/good"
tries() { cp "$WORK/good" "$HOME_DIR/postrider.conf" && printf '%b' "$1" >>"$HOME_DIR/postrider.conf" && run pr config check; }
refuses() { tries "$1"; is "$STATUS" 78 "$3 is refused"; like "$OUT$ERR" "postrider.conf:[0-9]+: .*$2" 'with the line and why'; }

tries '[artifact memo]\npath = memos/{state}/{name}.md\nmoves = open closed test-writer, closed archive-2 holder\n'
is "$STATUS" 0 'sound settings are fine'
unlike "$OUT$ERR" moves 'and nothing is said'
for state in .. . a/b '*' .hidden 'a?'; do
    refuses "[artifact memo]\npath = memos/{state}/{name}.md\nmoves = open $state holder\n" "is no state: letters, digits" "a state '$state'"
done
refuses '[artifact memo]\npath = specs/{state}/{name}.md\n' '\[artifact memo\] has the path of \[artifact spec\] in line [0-9]+' 'one path for two kinds'
tries '[artifact memo]\npath = memos/{state}/{name}.md\nmoves = open closed tst-writer\n'
is "$STATUS" 0 'a gatekeeper whom nobody knows is no error'
like "$OUT$ERR" "postrider.conf:[0-9]+: \[artifact memo\]: moves: nobody here is called 'tst-writer'; did you mean 'test-writer'" 'but said, with the nearest'
brains='[brain a]\ncommand = cat\nmodel = one\n[brain b]\ncommand = cat\nmodel = one\n[artifact memo]\npath = memos/{state}/{name}.md\n[role memo-writer]\nbrain = a\n[role memo-reviewer]\n'
tries "${brains}brain = b\n"
is "$STATUS" 0 'a writer and a reviewer with one model are no error'
like "$OUT$ERR" "postrider.conf:[0-9]+: \[artifact memo\]: 'memo-writer' and 'memo-reviewer' have the same model one, and overlook the same" 'but said'
tries "${brains}brain = default\n"
unlike "$OUT$ERR" 'overlook' 'of two models nothing is said'
tries "${brains}person = yes\n"
unlike "$OUT$ERR" 'overlook' 'nor of a person'
sed -i 's/^\[workflow\]/[workflow]\nindependence = strict/' "$WORK/good"
refuses "${brains}brain = b\n" "have the same model one" 'independence = strict: it'
sed -i 's/^\[workflow\]/[workflow]\nescalate = coordinator, nobdy/' "$WORK/good"
refuses '' "nobody here is called 'nobdy'" 'an escalation to nobody'
done_testing
