#!/usr/bin/env bash
# Notes inside a program agent: through the port of its run, under its claim, and never over what a person wrote.
. "$(dirname "$0")/../lib/tap.sh"

pr init >/dev/null
pr note put shared/plan >/dev/null <<<'The plan of the owner.'
cat >"$HOME_DIR/scripts/hello" <<END
#!/bin/sh
exec 2>&1
p='$PR_BIN'
t() { echo "[\$*]"; "\$p" "\$@"; echo "[status \$?]"; }
echo 'first words' | t note put agent/log
echo 'second words' | t note append agent/log
t note get agent/log
t note get agent/log@1
t --json note get agent/log
echo mine | t note put shared/plan
t note get shared/plan
echo 'An edit of a person.' >>'$HOME_DIR/notes/shared/plan.md'
echo 'over it' | t note put shared/plan
t note get shared/plan@2
t note list agent/
t note search 'second words'
t note history agent/log
t note rename agent/log agent/diary
t note get agent/log
t note get agent/diary
t note delete agent/diary agent/none
echo x | t note put ../../x
echo x | t note put --if-version 3 agent/new
t note check
sed 's/^/file: /' '$HOME_DIR/notes/shared/plan.md'
END
ok 'an agent that keeps notes' pr ask 'keep notes'
SEEN=$OUT
part() { printf '%s\n' "$SEEN" | awk -v want="[$1" 'index($0, want) == 1 {on = 1; next} on && /^\[status/ {print; exit} on'; }

like "$(part 'note put agent/log]')" '^agent/log version 1.*status 0' 'put makes a note'
like "$(part 'note append agent/log]')" '^agent/log version 2.*status 0' 'append adds to it'
like "$(part 'note get agent/log]')" 'first words.*second words.*status 0' 'get reads it'
unlike "$(part 'note get agent/log@1]')" 'second' 'or an older version'
like "$(part '--json note get agent/log]')" '"author": "envoy".*"job": 1.*"text"' 'it is of this job'
like "$(part 'note put shared/plan]')" "conflict: note 'shared/plan' is at version 1, by operator.*status 65" \
    'what it has not read it does not write over'
is "$(printf '%s\n' "$SEEN" | grep -c "conflict: note 'shared/plan'")" 2 'nor what a person wrote since it was read'
like "$(part 'note get shared/plan@2]')" 'The plan of the owner.*An edit of a person.*status 0' 'their edit is a version'
like "$SEEN" 'file: The plan of the owner.
file: An edit of a person.' 'and the file has their words'
like "$(part 'note list agent/]')" 'agent/log +2 .*status 0' 'list'
like "$(part 'note search second words]')" 'agent/log .*status 0' 'search'
like "$(part 'note history agent/log]')" '2 .*envoy.*1 .*envoy.*status 0' 'history'
like "$(part 'note rename agent/log agent/diary]')" 'status 0' 'rename'
is "$(printf '%s\n' "$SEEN" | grep -c "there is no note 'agent/log'")" 1 'the old key is gone'
like "$(part 'note get agent/diary]')" 'first words.*status 0' 'the new one is there'
like "$(part 'note delete agent/diary agent/none]')" "there is no note 'agent/none'.*status 66" \
    'delete; and what is not there is 66'
like "$(part 'note put ../../x]')" 'status 65' 'a key that leads out is none'
like "$(part 'note put --if-version 3 agent/new]')" 'conflict.*status 65' '--if-version is held to'
like "$(part 'note check]')" 'status 69' 'check is for people'
ok 'nothing was written outside' test ! -e "$HOME_DIR/../x.md"

ok 'the job' pr show 1
like "$OUT" 'wrote note agent/log.*appended to note agent/log.*renamed note agent/log.*deleted note agent/diary' \
    'each change is a step of its job'
unlike "$OUT" 'could not change' 'what was refused is none'
is "$(pr note get shared/plan)" 'The plan of the owner.
An edit of a person.' 'and nothing of the owner was lost'
exits 66 'a step through the port keeps no page of its own' pr show 1@1 --context
like "$ERR" 'keeps no record' 'and says so'
n=$(pr --json show 1 | python3 -c 'import json,sys; print(json.load(sys.stdin)["steps"][-1]["n"])')
ok 'but what the program was given is built again' pr show "1@$n" --context
like "$OUT" '=== NEW MAIL 1 OF 1, SENDER IS somebody you work for.*keep notes' 'as it was'

done_testing
