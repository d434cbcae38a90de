#!/usr/bin/env bash
# The disk of the project is full when a plan is begun, claimed, marked, stopped or run: a clear error, the state and its log as
# they were, and with room again it goes on. The disk is one of our own, so this is for root alone; each call: crash/walk-plan-errors.t.
. "$(dirname "$0")/../lib/tap.sh"
command -v jq >/dev/null || skip_all 'no jq'
mkdir "$WORK/fs"
[ "$(id -u)" = 0 ] && mount -t tmpfs -o size=256k none "$WORK/fs" 2>/dev/null || skip_all 'no right to mount a small disk'
trap 'umount -l "$WORK/fs" 2>/dev/null; tap_end' EXIT
export POSTRIDER_HOME=/dev/null/none
unset CLAUDE_CODE_SESSION_ID CODEX_SESSION_ID POSTRIDER_PLAN_SESSION MAX_ITERATIONS CONTINUATION_LEVEL
p() { "$PR_BIN" "$@"; }
state=.pilot/state/continuation.json
fill() { head -c 1m /dev/zero >"$WORK/fs/fill" 2>/dev/null; for n in 1 2 3 4; do : 2>/dev/null >>"$WORK/fs/fill$n"; head -c 4096 /dev/zero 2>/dev/null >"$WORK/fs/fill$n"; done; }
room() { rm -f "$WORK"/fs/fill*; }
mkdir "$WORK/fs/p" && cd "$WORK/fs/p" || exit 1
{ echo '# P'; for n in $(seq 60); do echo "- [ ] SC-$n: make it"; done; } >PLAN.md
cp PLAN.md "$WORK/plan"

fill
not_ok 'a plan is not begun' p plan execute PLAN.md
like "$ERR" 'No space left' 'which is said'
ok 'its file is whole' cmp PLAN.md "$WORK/plan"
not_ok 'and there is no state' test -s $state
room
ok 'with room it is' p plan execute PLAN.md
cp $state "$WORK/state" && cp .pilot/state/log.jsonl "$WORK/log"
fill
for words in 'next --claim --session s' 'mark SC-1 complete' 'stop' 'continue'; do
    not_ok "plan $words" p plan $words
    like "$ERR" 'No space left' 'fails, and says so'
    ok 'the state is as it was' cmp $state "$WORK/state"
    ok 'and the log has no part of a line' cmp .pilot/state/log.jsonl "$WORK/log"
done
is "$(printf '{"session_id":"s","cwd":"%s"}' "$PWD" | p hook stop 2>/dev/null; echo $?)" 0 'a hook lets the agent go'
is "$(p plan next)" "$(printf 'SC-1: make it\nowner: coder\nwhen it is done: postrider plan mark SC-1 complete')" 'looking works'
room
like "$(p plan next --claim --session s)" 'SC-1: make it' 'with room a todo is taken'
ok 'and marked' p plan mark SC-1 complete --session s
is "$(jq -r '[.todos[0].status, .revision] | join(" ")' $state) $(jq -s 'map(.revision) == [1, 2, 3]' .pilot/state/log.jsonl)" 'complete 3 true' 'each once'
ok 'the box is ticked' grep -q 'x. SC-1' PLAN.md

# plan run: the agent fills the disk.
rm -rf .pilot
printf '# P\n- [ ] SC-1: make a (check: test -f a)\n' >PLAN.md
cat >"$WORK/agent" <<X
#!/bin/sh
cat >/dev/null
echo start >>'$WORK/starts'
[ -e '$WORK/full' ] && { touch a; exit 0; }
touch '$WORK/full'
head -c 1m /dev/zero >'$WORK/fs/fill' 2>/dev/null
head -c 4096 /dev/zero >'$WORK/fs/fill1' 2>/dev/null
exit 0
X
chmod +x "$WORK/agent"
not_ok 'a run whose agent fills the disk' p plan run PLAN.md -- "$WORK/agent"
like "$ERR" 'No space left' 'ends, and says why'
is "$(jq -r '[.status, .iteration_count] | join(" ")' $state) $(wc -l <"$WORK/starts")" 'active 1 1' 'nobody is started without being counted'
room
ok 'with room plan run goes on' p plan run -- "$WORK/agent"
is "$(jq -r '[.status, .iteration_count] | join(" ")' $state) $(wc -l <"$WORK/starts")" 'complete 2 2' 'to the end'
done_testing
