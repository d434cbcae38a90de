#!/usr/bin/env bash
# state read, write, backup: the plan's state as a file, its lock, its backup, and the scripts of that name.
. "$(dirname "$0")/../lib/tap.sh"
command -v jq >/dev/null || skip_all 'no jq'
export POSTRIDER_HOME=/dev/null/none # no plan needs one
project=$WORK/project state=.pilot/state/continuation.json
mkdir "$project" && cd "$project" && git init -q -b main . && git -c user.name=a -c user.email=a@x commit -q --allow-empty -m one
p() { "$PR_BIN" "$@"; }
todos='[{"id":"SC-1","status":"complete","iteration":1,"owner":"coder"},{"id":"SC-2","status":"in_progress","iteration":0,"owner":"coder"}]'

exits 66 'no state is exit 66' p state read
is "$ERR" 'postrider: Continuation state file not found; run: postrider plan execute (/02_execute)' 'and says what helps'
ok 'a state is written' p state write --plan-file .pilot/plan/in_progress/plan.md --todos "$todos" --iteration 1
ok 'to .pilot/state/continuation.json' test -f $state
run p state read
is "$(jq -c . <<<"$OUT")" "$(jq -c . $state)" 'and read'
is "$(jq -r .version $state)" 1.0 'version is the string 1.0'
like "$(jq -r .session_id $state)" '^[0-9a-f]{8}-[0-9a-f]{4}-' 'session_id is a UUID'
is "$(jq -r .branch $state)" main 'branch'
is "$(jq -r .plan_file $state)" .pilot/plan/in_progress/plan.md 'plan_file, relative to the project'
is "$(jq -c '[.todos[] | {id, status, iteration, owner}]' $state)" "$todos" 'todos'
is "$(jq '.iteration_count, .max_iterations' $state | paste -sd' ')" '1 7' 'iterations, of at most 7'
like "$(jq -r .last_checkpoint $state)" '^20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z$' 'last_checkpoint is ISO 8601 in UTC'
is "$(jq -r .continuation_level $state)" normal 'continuation_level'
is "$(jq -r '.revision, .epoch, .status, .total_iterations' $state | paste -sd' ')" '1 0 active 1' 'further members'
is "$(jq -c '.sessions' $state)" '[]' 'nobody owns it yet'

# One session id for the life of the plan, the generation before in .backup.
id=$(jq -r .session_id $state)
ok 'a second write' p state write --iteration 2
is "$(jq -r .session_id $state)" "$id" 'keeps the session id'
is "$(jq .revision $state.backup) $(jq .revision $state)" '1 2' '.backup is the generation before'
ok 'members that we do not know' bash -c "jq '.mine = {\"a\": [1, 2.5]} | .todos[1].colour = \"red\"' $state >t && mv t $state"
ok 'and a write' p state write --todos '[{"id":"SC-2","status":"blocked"},{"id":"SC-1","status":"complete"}]'
is "$(jq -c '.mine, .todos[0].colour, .todos[0].owner' $state | paste -sd' ')" '{"a":[1,2.5]} "red" "coder"' 'are kept, and what a todo does not say'
ok 'the count only grows' p state write --iteration 0
is "$(jq .iteration_count $state)" 2 'by what is written'

# The scripts.
PATH=$(dirname "$PR_BIN"):$PATH
is "$(.pilot/scripts/state_read.sh | jq -c .)" "$(jq -c . $state)" 'state_read.sh'
ok 'state_write.sh' .pilot/scripts/state_write.sh --plan-file a.md --todos "$todos" --iteration 3
is "$(jq -r '.plan_file, .iteration_count' $state | paste -sd' ')" 'a.md 3' 'writes'
ok 'state_backup.sh' .pilot/scripts/state_backup.sh --state-dir .pilot/state
ok 'copies the state to its backup' cmp $state $state.backup
is "$(wc -l <.pilot/scripts/state_read.sh)" 2 'two lines each'
ok 'a state elsewhere' p state write --state-dir "$WORK/other" --plan-file b.md
is "$(p state read --state-dir "$WORK/other" | jq -r .plan_file)" b.md '--state-dir'
ok 'git does not see the state' bash -c '! git status --porcelain -uall | grep -q .pilot/state'

# Bad JSON.
good=$(jq -c . $state.backup)
printf '{"version": "1.0", ' >$state
run p state read
is "$STATUS $(jq -c . <<<"$OUT")" "0 $good" 'a damaged state is read from its backup'
like "$ERR" 'Invalid JSON in continuation state: .*restored from .*continuation.json.backup' 'with a notice'
is "$(jq -c . $state)" "$good" 'and mended'
ok 'what was damaged is kept' test -f $state.damaged
for bad in '' '[]' 'null' '{"version":"1.0","version":"1.0"}' "$(printf '\\xff')" '{}x'; do
    printf '%s' "$bad" >$state
    run p state write --iteration 4
    is "$STATUS $(jq -r .session_id $state)" "0 $id" "'$bad' in the state file is mended by a write"
done
printf x >$state && printf y >$state.backup
exits 70 'both generations damaged' p state read
like "$ERR" 'Invalid JSON in continuation state.*backup is damaged too.*delete .pilot/state/continuation.json and run: postrider plan execute' 'the way out is named'
is "$(cat $state $state.backup)" xy 'and nothing is changed'
rm $state.backup
exits 70 'a damaged state without a backup' p state read
rm $state
exits 66 'without it' p state read
p state write --plan-file a.md --todos "$todos"

# Troubleshooting: "cp .backup" by hand.
p state write --iteration 5
ok 'restored by hand' cp $state.backup $state
is "$(p state read | jq .iteration_count)" 0 'it is taken'
ok 'and written on' p state write --iteration 1
is "$(jq -s '[.[] | .revision // empty] | (. == (sort | unique))' .pilot/state/log.jsonl)" true 'no revision is in the log twice'
is "$(tail -n 1 .pilot/state/log.jsonl | jq -c '[.from < .revision - 1, .act]')" '[true,"write"]' 'and the log says what the write was made from'

# Nothing injects JSON.
evil='x", "status": "cancelled", "y": ".md'
ok 'a path with quotes' p state write --plan-file "$evil"
is "$(jq -r '.plan_file, .status' $state | paste -sd'|')" "$evil|active" 'is a path'

# Bad input changes nothing.
before=$(cat $state)
bad() { # EXIT DESC ARG...
    exits "$1" "$2" p state write "${@:3}"
    [ "$(cat $state)" = "$before" ] || fail "$2: changed the state"
    [[ $ERR != *$'\n'* && $ERR = postrider:* ]] || fail "$2: one line" "$ERR"
}
bad 65 'todos that are no JSON' --todos '[{'
bad 65 'todos that are no list' --todos '{}'
bad 65 'a key twice' --todos '[{"id":"A-1","id":"A-2","status":"pending"}]'
bad 65 'an id twice' --todos '[{"id":"A-1","status":"pending"},{"id":"A-1","status":"pending"}]'
bad 65 'an id that is none' --todos '[{"id":"../x","status":"pending"}]'
bad 65 'a status that is none' --todos '[{"id":"A-1","status":"finished"}]'
bad 65 'a ring' --todos '[{"id":"A-1","status":"pending","after":["A-2"]},{"id":"A-2","status":"pending","after":["A-1"]}]'
bad 65 'after nothing' --todos '[{"id":"A-1","status":"pending","after":["A-9"]}]'
bad 65 'an iteration below zero' --todos '[{"id":"A-1","status":"pending","iteration":-1}]'
bad 65 'a NUL' --todos '[{"id":"A-1","status":"pending","title":"\u0000"}]'
bad 65 'a path that leads out' --plan-file ../x.md
bad 65 'an absolute one' --plan-file /etc/passwd
bad 64 'an iteration that is no number' --iteration 0x
bad 64 'nothing to write'
bad 65 'no path' --plan-file ''
head -c 100000000 /dev/zero | tr '\0' '[' >"$WORK/huge"
big() { "$PR_BIN" state write --todos - <"$WORK/huge"; }
exits 65 '100 MB of todos' big
is "$(cat $state)" "$before" 'changes nothing'
cp "$WORK/huge" $state
cp <(printf '%s' "$before") $state.backup
exits 0 'a state of 100 MB is damage' p state read
rm "$WORK/huge" $state.damaged

# A link, a lock, a folder that can't be written.
mv $state "$WORK/elsewhere" && ln -s "$WORK/elsewhere" $state
exits 65 'a symbolic link as the state' p state read
like "$ERR" 'is a symbolic link' 'is named'
exits 65 'and not written' p state write --iteration 9
rm $state && mv "$WORK/elsewhere" $state
(flock -x 9; kill -KILL $BASHPID) 9>$state.lock 2>/dev/null
ok 'a lock whose holder died is free' p state write --iteration 6
if [ "$(id -u)" != 0 ]; then
    chmod 500 .pilot/state
    run p state write --iteration 7
    isnt "$STATUS" 0 'a folder that is read-only'
    ok 'can be read' p state read
    chmod 700 .pilot/state
fi

# Branches.
git checkout -q -b dev
exits 65 'another branch' p state write --iteration 8
is "$ERR" "postrider: Branch mismatch error: the plan belongs to 'main', and 'dev' is checked out; git checkout main, or start fresh: rm .pilot/state/continuation.json" 'names both, and both ways out'
ok 'reading is fine' p state read
git checkout -q main
ok 'switched back' p state write --iteration 8

# Worktrees have their own; folders below belong to the project.
git -c user.name=a -c user.email=a@x commit -q --allow-empty -m two && git worktree add -q "$project/tree" dev
exits 66 'a work tree has no state of the other one' bash -c "cd tree && '$PR_BIN' state read"
mkdir -p deep/er
ok 'a folder below has' bash -c "cd deep/er && '$PR_BIN' state read"
mv "$project" "$project.moved" && cd "$project.moved"
ok 'a project that was moved' p state write --iteration 9

done_testing
