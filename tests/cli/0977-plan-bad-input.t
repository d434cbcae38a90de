#!/usr/bin/env bash
# Bad input of plans, one by one at each door: a clear error on one line, and nothing is changed. What else of it there is: cli/0971
# (`state write`), cli/0972 (plans that are imported), cli/0973 (checks), cli/1407 (a project that moves), cli/1505 (MCP).
. "$(dirname "$0")/../lib/tap.sh"
command -v jq >/dev/null || skip_all 'no jq'
export POSTRIDER_HOME=/dev/null/none
unset CLAUDE_CODE_SESSION_ID CODEX_SESSION_ID CLAUDE_PROJECT_DIR MAX_ITERATIONS CONTINUATION_LEVEL
state=.pilot/state/continuation.json
p() { "$PR_BIN" "$@"; }
st() { jq -r "$1" $state | paste -sd' '; }
begin()
{
    rm -rf .pilot
    printf '# P\n- [ ] SC-1: a (check: test -f a)\n- [ ] SC-2: b (after: SC-1)\n' >PLAN.md
    p plan execute --session s PLAN.md >/dev/null
}
hook() { printf '{"session_id":"s","cwd":"%s"}' "$PWD" | p hook "$1"; }
mkdir "$WORK/p" && cd "$WORK/p" || exit 1

# A state that no program of ours wrote: each verb says what is wrong, and leaves it as it is.
begin
cp $state "$WORK/good"
wrong() # WHAT REGEX, the state on stdin
{
    cat >"$WORK/bad"
    local verb
    for verb in 'state read' 'plan show' 'plan next --claim --session s' 'plan mark SC-1 complete' 'plan run -- true' 'plan stop' 'plan continue'; do
        cp "$WORK/bad" $state
        rm -f $state.backup $state.damaged
        run "$PR_BIN" $verb
        isnt "$STATUS" 0 "$1: $verb"
        [[ $ERR =~ $2 && $ERR != *$'\n'* ]] || fail "$1: $verb says it in one line" "$ERR"
        cmp -s $state "$WORK/bad" || fail "$1: $verb changed it"
    done
    cp "$WORK/bad" $state
    run hook stop
    is "$STATUS $OUT" '0 ' "$1: the hook holds nobody"
    cmp -s $state "$WORK/bad" || fail "$1: the hook changed it"
}
wrong 'an empty state' 'Invalid JSON in continuation state.*backup is not there' < <(:)
wrong 'half a state' 'Invalid JSON in continuation state' < <(echo '{"version":"1.0",')
wrong 'a key twice' 'duplicate object key' < <(echo '{"version":"1.0","version":"1.0"}')
wrong 'a plan path with ../' "plan_file: '../../etc/x.md' leads out of the project" < <(jq -c '.plan_file = "../../etc/x.md"' "$WORK/good")
wrong 'an absolute one' 'leads out of the project' < <(jq -c '.plan_file = "/etc/passwd"' "$WORK/good")
wrong 'one with a NUL' '\\u0000' < <(jq -c '.plan_file = "a@b.md"' "$WORK/good" | sed 's/a@b/a\\u0000b/')
wrong 'a todo id twice' "todos\[1\].id: 'SC-1' is there twice" < <(jq -c '.todos[1].id = "SC-1"' "$WORK/good")
wrong 'a ring of after' 'wait for each other in a ring' < <(jq -c '.todos[0].after = ["SC-2"]' "$WORK/good")
wrong 'no limit at all' 'max_iterations' < <(jq -c '.max_iterations = 0' "$WORK/good")
wrong 'a status that is none' "'finished' is none of" < <(jq -c '.todos[0].status = "finished"' "$WORK/good")
wrong 'another version' "version: '2.0' is not '1.0'" < <(jq -c '.version = "2.0"' "$WORK/good")
wrong 'todos that are no list' 'todos: must be an array' < <(jq -c '.todos = "all"' "$WORK/good")
wrong '20,000 todos' 'more than the limit of 10000' < <(printf '{"version":"1.0","plan_file":"p","todos":[%s]}' "$(seq -s, 20001 | sed 's/[0-9]*/{"id":"A&","status":"pending"}/g')")
wrong 'a depth of 3,000' 'Invalid JSON' < <({ printf '{"a":'; head -c 3000 /dev/zero | tr '\0' '['; })

# The state as something else than a file.
for what in 'ln -s /etc/passwd' 'mkdir' 'mkfifo'; do
    rm -rf $state $state.backup
    $what $state
    for verb in 'state read' 'plan next --claim --session s' 'plan run -- true' 'plan execute PLAN.md'; do
        timeout 20 "$PR_BIN" $verb >"$WORK/.out" 2>"$WORK/.err"
        isnt "$?" 0 "$what as the state: $verb"
        is "$(wc -l <"$WORK/.err")" 1 'says so in one line'
    done
    is "$(hook stop; echo $?)" 0 'and the hook lets go'
    rm -rf $state
done
begin
mv .pilot/state "$WORK/elsewhere" && ln -s "$WORK/elsewhere" .pilot/state
exits 65 'a link as the folder of the state' p state read
rm .pilot/state && mv "$WORK/elsewhere" .pilot/state
begin
rm $state.lock && ln -s "$WORK/outside" $state.lock
exits 65 'a link as the lock' p plan mark SC-2 blocked
not_ok 'is not followed' test -e "$WORK/outside"

# PLAN.md
begin
head -c 100000000 /dev/zero | tr '\0' 'x' >PLAN.md
for verb in 'plan next' 'plan continue'; do
    run p $verb
    like "$ERR" 'larger than the limit|too large|larger than' "a PLAN.md of 100 MB: $verb"
done
is "$(hook stop >/dev/null; echo $?)" 0 'holds up no hook'
rm -rf .pilot
exits 65 'nor is it begun' p plan execute PLAN.md
like "$ERR" "'PLAN.md'.*(larger|limit)" 'which is said'
for bad in '- [ ] A-1: x\n- [ ] A-1: y' '- [ ] A-1: x (after: A-2)\n- [ ] A-2: y (after: A-1)' '- [ ] A-1: x\0y' '- [ ] A-1: \xff' '- [ ] A-1: x (after: A-9)'; do
    printf -- "$bad\n" >PLAN.md
    exits 65 "execute refuses '${bad//'\n'/ }'" p plan execute PLAN.md
    not_ok 'and makes nothing' test -e $state
done
exits 65 'a path with ../' p plan execute ../p/../../etc/passwd
exits 66 'a plan that is none' p plan execute nowhere.md
mkdir -p sub.md && exits 65 'a folder as a plan' p plan execute sub.md
begin
for bad in 0x 7x -3 99999999999; do MAX_ITERATIONS=$bad exits 64 "MAX_ITERATIONS='$bad'" p plan run -- true; done
is "$(st .total_iterations)" 0 'nothing was started'

# What hooks are told.
begin
before=$(cat $state)
head -c 100000000 /dev/zero | tr '\0' '[' >"$WORK/huge"
for hook in stop subagent-stop session-start session-end user-prompt task pre-tool; do
    for input in '' '{' '[]' 'null' '{"session_id":"s","session_id":"s"}' '{"session_id":7,"cwd":[]}' '{"session_id":"s","cwd":"/no/such/folder"}' \
        '{"session_id":"s\u0000","cwd":"."}' "{\"session_id\":\"s\",\"cwd\":\"$PWD/../..\"}" 'hello'; do
        printf '%s' "$input" | p hook $hook >"$WORK/.out" 2>"$WORK/.err"
        [ "$? $(wc -c <"$WORK/.out")" = '0 0' ] || fail "hook $hook: '$input'" "$(cat "$WORK/.out" "$WORK/.err")"
        [ "$(wc -l <"$WORK/.err")" -le 1 ] || fail "hook $hook: '$input' says one line" "$(cat "$WORK/.err")"
    done
    p hook $hook <"$WORK/huge" >"$WORK/.out" 2>/dev/null
    is "$? $(cat "$WORK/.out")" '0 ' "hook $hook goes on whatever it is told, 100 MB too"
done
rm "$WORK/huge"
is "$(cat $state)" "$before" 'and nothing is changed'

# Locks, folders, disks.
begin
bash -c "flock -x 9; kill -KILL \$\$" 9>$state.lock 2>/dev/null & wait $! 2>/dev/null
ok 'a lock that a dead shell held is free' p plan mark SC-2 blocked
{ flock -x 9 && exec {TAP_LOCK}>&9; } 9>$state.lock
echo "{\"session_id\":\"s\",\"cwd\":\"$PWD\"}" >"$WORK/in"
run sh -c "exec timeout 30 '$PR_BIN' hook stop <'$WORK/in'"
is "$STATUS $OUT" '0 ' 'a hook does not wait for ever for a lock that somebody holds'
like "$ERR" 'locked' 'and says so'
exec {TAP_LOCK}>&-
mkdir "$WORK/ro"
if passable 2>/dev/null && chmod 755 "$WORK" && cp -r "$PWD" "$WORK/ro/p" && chmod -R a+rX "$WORK/ro" && as_other test -r "$WORK/ro/p/$state"; then
    before=$(cat "$WORK/ro/p/$state")
    for verb in 'plan mark SC-1 complete' 'plan next --claim --session x' 'plan stop' 'state write --iteration 3' 'plan run -- true'; do
        run as_other sh -c "cd '$WORK/ro/p' && exec env POSTRIDER_HOME=/dev/null/none '$PR_BIN' $verb"
        isnt "$STATUS" 0 "a folder that is read-only: $verb"
        is "$(wc -l <"$WORK/.err")" 1 'says so in one line' || diag "$ERR"
    done
    ok 'it can be read' as_other sh -c "cd '$WORK/ro/p' && exec env POSTRIDER_HOME=/dev/null/none '$PR_BIN' plan show"
    is "$(cat "$WORK/ro/p/$state")" "$before" 'and stays as it was'
else
    skip 'a folder that is read-only' 'nobody else to try it'
fi

FAULT=$(dirname "$POSTRIDER_PLAIN_BIN")/tests/crash/fault
if [ -x "$FAULT" ] && "$FAULT" --log "$WORK/points" true 2>/dev/null; then
    plain() { "$POSTRIDER_PLAIN_BIN" "$@"; }
    for what in ENOSPC EIO; do
        begin
        plain plan mark SC-2 blocked >/dev/null
        cp -r .pilot "$WORK/before"
        "$FAULT" --log "$WORK/points" "$POSTRIDER_PLAIN_BIN" plan mark SC-2 pending
        n=$(wc -l <"$WORK/points")
        bad=0
        for i in $(seq "$n"); do
            for from in at from; do
                rm -rf .pilot && cp -r "$WORK/before" .pilot
                said=$("$FAULT" --$from "$i=$what" "$POSTRIDER_PLAIN_BIN" plan mark SC-2 pending 2>&1 >/dev/null) # by a pipe, which is never full
                status=$?
                now=$(st '.todos[1].status')
                # It says that it failed, or it happened; and what lies there is whole.
                if [ $status = 0 ] && [ "$now" != pending ]; then bad=$((bad + 1)) && diag "$from $i: acknowledged, and $now"; fi
                [ $status = 0 ] || [ "$(wc -l <<<"$said")" = 1 ] && [[ $status = 0 || -n $said ]] || { bad=$((bad + 1)) && diag "$from $i: $status: $said"; }
                jq -e . $state >/dev/null || { bad=$((bad + 1)) && diag "$from $i: no JSON"; }
                plain plan mark SC-2 pending >/dev/null 2>&1 && [ "$(st '.todos[1].status')" = pending ] || { bad=$((bad + 1)) && diag "$from $i: does not go on"; }
                printf '{"session_id":"s","cwd":"%s"}' "$PWD" | "$FAULT" --$from "$i=$what" "$POSTRIDER_PLAIN_BIN" hook stop >/dev/null 2>&1 ||
                    { bad=$((bad + 1)) && diag "$from $i: the hook failed"; }
            done
        done
        is "$bad" 0 "$what at each of $n points: said, nothing acknowledged is lost, and it goes on afterwards"
        rm -rf "$WORK/before"
    done
else
    skip 'a full disk' 'no fault injection here'
fi

done_testing
