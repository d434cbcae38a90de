#!/usr/bin/env bash
# plan: from a goal to a closed plan, and all that a person or an agent can say on the way.
. "$(dirname "$0")/../lib/tap.sh"
command -v jq >/dev/null || skip_all 'no jq'
export POSTRIDER_HOME=/dev/null/none
unset CLAUDE_CODE_SESSION_ID CODEX_SESSION_ID MAX_ITERATIONS CONTINUATION_LEVEL
state=.pilot/state/continuation.json
p() { "$PR_BIN" "$@"; }
project() { mkdir "$WORK/$1" && cd "$WORK/$1" && git init -q -b main . && git -c user.name=a -c user.email=a@x commit -q --allow-empty -m one; }
st() { jq -r "$1" $state | paste -sd' '; }
stop() { printf '{"session_id":"%s","cwd":"%s","hook_event_name":"Stop","stop_hook_active":false,"background_tasks":[]}' "$1" "$PWD" | p hook stop; }
at_terminal() { python3 -c 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' "$@"; }
has_terminal() { python3 -c 'import os; os.openpty()' 2>/dev/null; }

# Example 1: the normal flow.
project one
cat >list.md <<'X'
- [ ] SC-1: Create auth service
- [ ] SC-2: Add login route
- [ ] SC-3: Hash passwords
- [ ] SC-4: Write login tests (owner: tester)
- [ ] SC-5: Describe login (owner: documenter) (after: SC-2)
X
run p plan new --goal 'Implement user authentication' list.md
is "$STATUS $OUT$ERR" '0 .pilot/plan/pending/implement-user-authentication.md' 'a plan from a goal lies in pending'
exits 66 'there is no state before execute' p plan show
ok 'execute creates the state' p plan execute --session one
is "$(st .plan_file) $(ls .pilot/plan/pending | wc -l)" '.pilot/plan/in_progress/implement-user-authentication.md 0' 'and moves the plan to in_progress'
is "$(st '.todos[].status')" 'pending pending pending pending pending' 'five todos'
is "$(st '.todos[].owner')" 'coder coder coder tester documenter' 'with their owners'
id=$(st .session_id)
for n in 1 2 3 4 5; do
    is "$(p --json plan next --claim --session one | jq -r .id)" "SC-$n" "SC-$n begins"
    is "$(st ".todos[$((n - 1))] | .status, .iteration")" 'in_progress 0' 'and is in progress'
    p plan mark "SC-$n" complete --session one || fail 'mark'
    [ "$n" = 5 ] || like "$(stop one)" '"decision":"block"' "no stop after SC-$n"
done
is "$(st '.status, .iteration_count')" 'complete 4' 'all complete'
is "$(st '.todos[] | .iteration')" '1 1 1 1 1' 'one try each'
like "$(st '.todos[0].completed_at')" '^20.*Z$' 'with the time of its end'
is "$(stop one)" '' 'and the agent may stop'
exits 66 'nothing is next' p plan next --claim --session one
is "$OUT" '<CODER_COMPLETE>' 'the completion marker'
run p plan next --owner tester
is "$OUT" '<TESTER_COMPLETE>' 'of every owner'
is "$(grep -c '^- \[x\] SC-' .pilot/plan/in_progress/*.md)" 5 'the boxes in PLAN.md are ticked'
ok 'close' p plan close
ok 'moves the plan to done' test -f .pilot/plan/done/implement-user-authentication.md
is "$(st .status)" closed 'and says so'
is "$(st .session_id)" "$id" 'one session id for the life of the plan'
exits 65 'a closed plan is not continued' p plan continue
run p plan list
like "$OUT" 'implement-user-authentication.md +closed +5 +5' 'list has it'

# Example 2: an interruption.
project two
printf '# Two\n- [ ] SC-1: a\n- [ ] SC-2: b\n- [ ] SC-3: c\n- [ ] SC-4: d\n' >PLAN.md
ok 'a plan that lies elsewhere' p plan execute --session lost PLAN.md
is "$(st .plan_file) $(ls -d PLAN.md)" 'PLAN.md PLAN.md' 'stays there'
for n in 1 2; do p plan next --claim --session lost >/dev/null; p plan mark "SC-$n" complete --session lost; done
p plan next --claim --session lost >/dev/null
printf '{"session_id":"lost","cwd":"%s","reason":"other"}' "$PWD" | p hook session-end
is "$(st '.todos[2] | .status, .claim')" 'in_progress null' 'the session is lost, SC-3 in progress'
run p plan continue --session new
like "$OUT" 'next: SC-3: c' 'continue resumes at SC-3'
is "$(p --json plan next --claim --session new | jq -r .id)" SC-3 'which the new session gets'
like "$(stop new)" 'block' 'and which holds it'
is "$(stop '')$(stop other)" '' 'an empty id and a stranger are not held'
ok 'execute goes on with an open plan' p plan execute --session new
printf '# X\n- [ ] SC-1: a\n' >other.md
exits 75 'and does not begin another one meanwhile' p plan execute other.md

# Example 3: the limit.
project three
printf '# Three\n- [x] SC-1: a\n- [x] SC-2: b\n- [x] SC-3: c\n- [ ] SC-4: d\n' >PLAN.md
for bad in 0x 0 -1 7.5 1e3 99999999 ' ' seven; do
    MAX_ITERATIONS=$bad exits 64 "MAX_ITERATIONS='$bad' is refused" p plan execute PLAN.md
done
not_ok 'and nothing is made' test -e .pilot
CONTINUATION_LEVEL=rude exits 64 'so is a level that is none' p plan execute PLAN.md
ok 'without it' p plan execute --session s PLAN.md
is "$(st .max_iterations) $(st '.todos[].status')" '7 complete complete complete pending' 'the limit is 7; ticked boxes are complete'
p plan next --claim --session s >/dev/null
for n in 1 2 3; do stop s >/dev/null; done
is "$(st '.iteration_count, .total_iterations, .todos[3].iteration')" '3 3 3' 'each block is an iteration'
jq '.iteration_count = 7 | .sessions[0].idle = 0' $state >t && mv t $state
limit='⚠️  MAX ITERATIONS REACHED (7/7)
→ Manual review required - continuation paused

Remaining todos:
  - SC-4

Use /00_continue to resume after review'
is "$(stop s | jq -r .systemMessage)" "$limit" 'the limit, word for word'
is "$(st '.status, .why')" 'paused max iterations reached' 'the plan is paused'
is "$(stop s)" '' 'and nobody is held'
exits 75 'no todo is given away' p plan next --claim --session s
is "$OUT" "<CODER_BLOCKED>
$limit" 'the answer of the agent'
exits 77 'an agent does not give itself more' p plan continue --session s
exits 0 'a person continues' env MAX_ITERATIONS=9 "$PR_BIN" plan continue
is "$(st '.status, .iteration_count, .max_iterations, .total_iterations')" 'active 0 9 3' 'with a new count and the limit of now; the sum is kept'
like "$(stop s)" block 'and it really goes on'

# Example 4: the way out.
is "$(p plan stop)" 'Work stopped. Use /00_continue to resume.' 'stop, word for word'
is "$(st '.status, .epoch, (.sessions | length)')" 'stopped 1 0' 'the state is saved, and nobody owns the plan'
is "$(stop s)" '' 'nobody is held'
exits 75 'nothing is given away' p plan next --claim
exits 77 'the agent that was stopped does not go on by itself' p plan continue --session s
exits 77 'nor by execute' p plan execute --session s
ok 'continue' p plan continue
p plan next --claim --session s >/dev/null
like "$(stop s)" block 'goes on'
is "$(p plan cancel)" 'Work cancelled. Use /02_execute to start anew.' 'cancel'
before=$(cat $state)
is "$(stop s)" '' 'nobody is held after a cancel'
exits 65 'continue refuses' p plan continue
exits 65 'nothing is given away' p plan next --claim
exits 65 'or marked' p plan mark SC-4 complete
exits 65 'or written' p state write --iteration 9
is "$(cat $state)" "$before" 'the state is kept as it was'
ok 'execute starts anew' p plan execute PLAN.md
is "$(st '.status, .iteration_count, .total_iterations, .epoch')" 'active 0 0 3' 'at zero'
rm $state
exits 66 'a state that was deleted' p plan next
is "$(stop s)" '' 'holds nobody'
not_ok 'and no hook writes it back' test -e $state

# Done; a person's alone.
p plan execute --session s PLAN.md >/dev/null
exits 65 'close refuses while todos are open' p plan close
is "$ERR" 'postrider: 1 todos are not complete: SC-4' 'and names them'
exits 77 'done is for a person' p plan done
if has_terminal; then
    CLAUDE_CODE_SESSION_ID=s exits 77 'and not for one below the session that owns the plan' at_terminal "$PR_BIN" plan done
    exits 0 'at a terminal' at_terminal "$PR_BIN" plan done
    is "$(st '.status, .todos[3].status')" 'done pending' 'open todos stay as they are'
    is "$(tail -n 1 .pilot/state/log.jsonl | jq -c '[.act, .open]')" '["done",["SC-4"]]' 'and are listed as forced'
    ok 'close then accepts' p plan close
else
    skip 'at a terminal' 'none can be opened here'
fi

# Levels.
project levels
printf '# L\n- [ ] SC-1: a\n- [ ] SC-2: b\n- [ ] SC-3: c\n' >PLAN.md
for level in aggressive normal; do
    CONTINUATION_LEVEL=$level p plan execute --session s PLAN.md >/dev/null
    p plan next --claim --session s >/dev/null && p plan mark SC-1 complete --session s
    is "$(st '.continuation_level, .status')" "$level active" "$level goes on after a todo"
    like "$(stop s)" block "$level does not stop"
    p plan cancel >/dev/null
    printf '# L\n- [ ] SC-1: a\n- [ ] SC-2: b\n- [ ] SC-3: c\n' >PLAN.md
done
CONTINUATION_LEVEL=polite p plan execute --session s PLAN.md >/dev/null
p plan next --claim --session s >/dev/null && p plan mark SC-1 complete --session s
is "$(st '.continuation_level, .status, .why')" 'polite paused SC-1 is complete, 2 to go' 'polite pauses after each todo'
is "$(stop s)" '' 'lets go'
exits 75 'and waits for the user' p plan next --claim --session s
exits 77 'who decides' p plan continue --session s
ok 'to go on' p plan continue
is "$(p --json plan next --claim --session s | jq -r .id)" SC-2 'with the next todo'

# The log.
is "$(p --json plan log | jq -r '[.[] | .act] | unique | join(" ")')" 'block cancel claim continue execute mark' 'what happened is in the log'
is "$(p --json plan log | jq '[.[] | select(.act == "mark")] | all(.session == "s" and .branch == "main" and .todo == "SC-1" and .owner == "coder" and .todo_status == "complete" and (.session_id | length) == 36)')" true 'with session, branch, todo, owner and outcome'

# Findings.
project findings
printf -- '- [ ] SC-1: Change src/a.c and src/b.c\n- [ ] SC-2: Write it all (30 min)\n- [ ] SC-3: Take 15 minutes for README.md\n- [ ] SC-4: Wire `Login` to `Session`\n- [ ] SC-5: 2 hours of work\n' >big.md
findings='SC-1 names 2 files or components (src/a.c, src/b.c): make a todo of each
SC-2 takes more than 15 minutes: make several todos of it
SC-4 names 2 files or components (Login, Session): make a todo of each
SC-5 takes more than 15 minutes: make several todos of it'
found() { sed -n 's/^postrider: finding: //p' <<<"$ERR"; }
run p plan new --name big big.md
is "$STATUS $(found)" "0 $findings" 'todos that are too big are findings of new'
run p plan import --name again big.md
is "$STATUS $(found)" "0 $findings" 'of import'
run p plan execute big.md
is "$STATUS $(found)" "0 $findings" 'and of execute'
p plan cancel >/dev/null

# Import.
cat >tasks.md <<'X'
# Tasks
## Phase 1
- [ ] T001 Create project structure
- [ ] T002 [P] [US1] Add the model in src/user.py
- [ ] T003 [P] Add the route
- [ ] T004 Write the docs
- [x] T005 [P] Clean up
X
file=$(p plan import tasks.md 2>/dev/null)
is "$(grep '^- ' "$file")" '- [ ] T001: Create project structure
- [ ] T002: Add the model in src/user.py (after: T001)
- [ ] T003: Add the route (after: T001)
- [ ] T004: Write the docs (after: T001, T002, T003)
- [x] T005: Clean up (after: T004)' "import takes spec-kit's tasks.md"
cat >beads.json <<'X'
[{"id":"app-1","title":"Build","status":"closed","priority":1,"issue_type":"task"},
 {"id":"app-2","title":"Test\nit","status":"open","assignee":"tester","dependencies":[{"issue_id":"app-2","depends_on_id":"app-1","type":"blocks"},{"issue_id":"app-2","depends_on_id":"x-9","type":"blocks"},{"issue_id":"app-2","depends_on_id":"app-1","type":"related"}]}]
X
file=$(p plan import --goal 'From beads' beads.json)
is "$(cat "$file")" '# From beads

- [x] app-1: Build
- [ ] app-2: Test it (owner: tester) (after: app-1)' 'and bd list --json'
printf '# Mine\n\nSome text.\n\n- [ ] first\n  - [ ] SC-1: second\n- [ ] third\n\n```\n- [ ] no todo\n```\n' >mine.md
file=$(p plan import mine.md)
is "$(cat "$file")" "$(printf '# Mine\n\nSome text.\n\n- [ ] SC-2: first\n  - [ ] SC-1: second\n- [ ] SC-3: third\n\n```\n- [ ] no todo\n```')" 'a Markdown list keeps its text; its todos get ids'
for bad in '[]' '[{"id":"a b","title":"x"}]' '{"a":1}' '[{]' 'no list' $'- [ ] A-1: x\n- [ ] A-1: y' $'- [ ] A-1: x (after: A-2)\n- [ ] A-2: y (after: A-1)' $'- [ ] A-1: x (after: A-7)'; do
    printf '%s' "$bad" >bad
    exits 65 "import refuses '${bad//$'\n'/ }'" p plan import bad
done
exits 66 'and what is not there' p plan import nowhere
printf -- '- [ ] A-1: x\0y\n' >bad
exits 65 'and a NUL' p plan import bad
exits 65 'execute refuses it too' p plan execute bad
exits 65 'and a path that leads out' p plan execute ../findings/big.md
exits 66 'several plans and no name' p plan execute
like "$ERR" 'there are 5 plans in .pilot/plan/pending: say which one' 'are too many'

# The first minute: a goal in words, and a plan that has nothing but the example of a todo.
project first
exits 66 'a goal where a file is meant' p plan new 'Build a parser'
like "$ERR" "no file 'Build a parser'; a goal in words: postrider plan new --goal 'Build a parser'" 'is answered with the way'
ok 'a plan from a goal' p plan new --goal 'Build a parser'
exits 65 'its example is no todo' p plan execute
like "$ERR" 'has no todos: a todo is a line such as' 'and what a todo is, is said'

# The five troubles, and what is said to do about each.
project troubles
p plan new --goal Troubles >/dev/null
printf '# T\n- [ ] SC-1: a\n- [ ] SC-2: b\n' >PLAN.md
exits 66 'without a state' p plan next
like "$ERR" 'Continuation state file not found.*/02_execute' 'execute is named'
ok 'and creates it' p plan execute --session s PLAN.md
p plan next --claim --session s >/dev/null
echo x >$state
run p plan show
like "$STATUS $ERR" '^0 .*Invalid JSON in continuation state.*restored from .*continuation.json.backup' 'a damaged state is restored from its backup'
echo x >$state && echo y >$state.backup
exits 70 'both damaged' p plan execute PLAN.md
rm $state
ok 'without the state execute begins anew' p plan execute --session s PLAN.md
p plan cancel >/dev/null
MAX_ITERATIONS=7 ok 'an agent that goes on for ever: execute with a limit' p plan execute --session s PLAN.md
p plan next --claim --session s >/dev/null
is "$(st .max_iterations) $(for n in 1 2 3 4 5 6 7 8 9; do stop s; done | grep -c '"decision":"block"')" '7 3' 'is held no more than three times without progress'
p plan continue >/dev/null
jq '.todos[].status = "complete"' $state >t && mv t $state
is "$(PATH=$(dirname "$PR_BIN"):$PATH .pilot/scripts/state_read.sh | jq -r '.todos[].status' | paste -sd' ')" 'complete complete' 'a state that was updated by hand'
ok 'and continue, which looks at it anew' p plan continue
is "$(st .status)$(stop s)" complete 'let the agent stop'
p plan cancel >/dev/null
rm $state $state.backup
sed -i 's/\[x\]/[ ]/' PLAN.md
p plan execute --session s PLAN.md >/dev/null
git checkout -q -b dev
for verb in 'plan next --claim' 'plan continue' 'plan mark SC-1 complete'; do
    exits 65 "another branch: $verb" p $verb
    like "$ERR" "Branch mismatch error: the plan belongs to 'main', and 'dev' is checked out; git checkout main, or start fresh: rm .pilot/state/continuation.json" 'names both, and both ways out'
done
git checkout -q main
ok 'one way out' p plan next --claim
git checkout -q dev
rm .pilot/state/continuation.json
ok 'and the other' p plan execute PLAN.md
for trouble in 'Continuation state file not found' 'Invalid JSON in continuation state' 'Agent continues indefinitely' 'Todos marked complete but agent continues' 'Branch mismatch error'; do
    ok "docs/plans.md has: $trouble" grep -qi "^| .*$trouble" "$POSTRIDER_SRC/docs/plans.md"
done

# By hand.
project hand
printf '# H\n- [ ] SC-1: a\n- [ ] SC-2: b\n' >PLAN.md
p plan execute --session s PLAN.md >/dev/null
ok 'plan mark' p plan mark SC-1 complete
sed -i 's/\[ \] SC-2/[x] SC-2/' PLAN.md
ok 'a box that a person ticked' p plan continue
is "$(st '.status, .todos[].status')" 'complete complete complete' 'counts at continue'
is "$(stop s)" '' 'and the agent may stop'
ok 'a todo opens again' p plan mark SC-2 pending
is "$(st .status) $(grep -c '\[x\]' PLAN.md)" 'active 1' 'and so does the plan; its box is empty again'
printf -- '- [ ] SC-3: c\n' >>PLAN.md
is "$(p --json plan next --claim | jq -r .id) $(st '.todos | length')" 'SC-2 3' 'a todo that a person adds is one'
exits 64 'a status that is none' p plan mark SC-1 compleet
like "$ERR" "did you mean 'complete'" 'the nearest is named'
exits 65 'a todo that is none' p plan mark SC-11 complete
ok 'blocked' p plan mark SC-3 blocked --why 'no key'
is "$(st '.todos[2] | .status, .why')" 'blocked no key' 'with a reason'
run p plan show
like "$OUT" 'SC-3 +blocked +coder +0 +c +no key' 'show says so'
is "$(p --json plan show | jq -c '[.open, .todos[2].note]')" '[2,"no key"]' 'as JSON, too'
if has_terminal; then
    run at_terminal "$PR_BIN" plan show
    like "$OUT" '██████░░░░░░░░░░░░░░ 1 of 3 complete' 'with a bar on a terminal'
fi

done_testing
