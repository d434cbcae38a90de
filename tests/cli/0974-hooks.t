#!/usr/bin/env bash
# hook: what Claude Code and Codex are answered. Who does not own the plan is never held, and nothing of ours stops an agent.
. "$(dirname "$0")/../lib/tap.sh"
command -v jq >/dev/null || skip_all 'no jq'
export POSTRIDER_HOME=/dev/null/none
unset CLAUDE_CODE_SESSION_ID CODEX_SESSION_ID CLAUDE_PROJECT_DIR MAX_ITERATIONS CONTINUATION_LEVEL
state=.pilot/state/continuation.json
p() { "$PR_BIN" "$@"; }
st() { jq -r "$1" $state | paste -sd' '; }
hook() # NAME SESSION [MORE-MEMBERS]
{
    printf '{"session_id":"%s","cwd":"%s","transcript_path":"/x","permission_mode":"default"%s}' "$2" "$PWD" "${3:-}" | p hook "$1"
}
begin()
{
    rm -rf .pilot
    printf '# P\n- [ ] SC-1: a\n- [ ] SC-2: b\n- [ ] SC-3: c (owner: tester) (after: SC-1)\n' >PLAN.md
    p plan execute ${1:+--session "$1"} PLAN.md >/dev/null
}
mkdir "$WORK/p" && cd "$WORK/p" || exit 1

# Ownership.
exits 0 'without a project' hook stop s
is "$OUT$ERR" '' 'there is nothing to say'
begin
for session in s '' null 00000000-0000-0000-0000-000000000000; do
    is "$(hook stop "$session")" '' "session '$session' does not own the plan"
done
is "$(printf '{"cwd":"%s"}' "$PWD" | p hook stop)" '' 'no id at all'
is "$(printf '{"cwd":"%s","session_id":null}' "$PWD" | p hook stop)" '' 'null'
p plan show >/dev/null; p plan next >/dev/null; CLAUDE_CODE_SESSION_ID=s p plan show >/dev/null
CLAUDE_CODE_SESSION_ID=s p plan next >/dev/null
is "$(hook stop s) $(st '.revision')" ' 1' 'looking makes no owner'
CLAUDE_CODE_SESSION_ID=s CLAUDE_PID=$$ p plan next --claim >/dev/null
is "$(st '.sessions[].id, .todos[0].claim.session, .todos[0].claim.pid')" "s s $$" 'claiming does'
CODEX_SESSION_ID=x p plan next --claim >/dev/null
is "$(st '.sessions[].id')" 's x' "also in Codex's sandbox"
run hook stop s
is "$(jq -rc 'keys, .decision' <<<"$OUT" | paste -sd' ')" '["decision","reason"] block' 'an owner is held, in words that both clients take'
is "$(jq -r .reason <<<"$OUT")" "3 of 3 todos of PLAN.md are open: SC-1 (in_progress), SC-2 (in_progress), SC-3. Next: SC-1: a. When it is done: postrider plan mark SC-1 complete. If it can't be done: postrider plan mark SC-1 blocked --why TEXT." 'and told what is next'
is "$(tail -n 1 .pilot/state/log.jsonl | jq -r '[.act, .todo, .owner, .iteration] | join(" ")')" 'block SC-1 coder 1' 'the log says what it works on'
is "$(hook stop fork)" '' 'a fork is another session'

# Let go.
is "$(hook stop s ',"background_tasks":[{"id":"1","type":"subagent","status":"running"}]')" '' 'background tasks will wake it'
like "$(hook stop s ',"background_tasks":[],"session_crons":[]')" block 'none do not'
begin s
for n in 1 2 3; do like "$(hook stop s)" block "held for the ${n}. time"; done
like "$(hook stop s | jq -r .systemMessage)" '^⚠️  NO PROGRESS.*→ Manual review required - continuation paused' 'let go when nothing changed three times'
is "$(st '.status, .why, .iteration_count')" 'paused no progress 3' 'the plan is paused'
p plan continue >/dev/null
for n in 1 2; do hook stop s >/dev/null; done
p plan mark SC-1 complete --session s
for n in 1 2 3; do like "$(hook stop s)" block 'progress begins the count anew'; done
begin s
p plan mark SC-1 blocked --why x; p plan mark SC-2 blocked
like "$(hook stop s | jq -r .systemMessage)" '^⚠️  BLOCKED' 'let go when all that is left is blocked or waits for it'
begin s
for order in stop cancel; do
    p plan $order >/dev/null
    before=$(cat $state)
    is "$(hook stop s)$(hook subagent-stop s ',"agent_id":"a","agent_type":"coder"')" '' "let go after $order"
    is "$(cat $state)" "$before" "and nothing is written after $order"
    p plan continue --session s >/dev/null 2>&1
done

# Branches, and folders.
begin s
git init -q -b other . && git -c user.name=a -c user.email=a@x commit -q --allow-empty -m one
jq '.branch = "main"' $state >t && mv t $state
is "$(hook stop s)" '' 'on another branch nobody is held'
rm -rf .git
mkdir -p sub/dir
is "$(printf '{"session_id":"s","cwd":"%s/sub/dir"}' "$PWD" | p hook stop | jq -r .decision)" block 'from a folder below'
is "$(cd / && printf '{"session_id":"s","cwd":"/"}' | CLAUDE_PROJECT_DIR=$OLDPWD p hook stop | jq -r .decision)" block 'from elsewhere, by the folder that the client began in'

# Our own errors.
begin s
for input in '' '{' '[]' 'null' '{"a":1,"a":2}' "$(printf '\377')"; do
    run eval 'printf "%s" "$input" | p hook stop'
    is "$STATUS$OUT" 0 "'$input' is no input: the agent may go on"
    printf '%s' "$input" | "$PR_BIN" hook stop 2>/dev/null || fail 'exit status'
done
like "$(tail -n 1 .pilot/state/log.jsonl | jq -c '[.act, .hook]')" '\["hook-error","stop"\]' 'which is recorded'
cp $state "$WORK/good" && printf x >$state && rm -f $state.backup
run hook stop s
is "$STATUS$OUT" 0 'a damaged state: the agent may go on'
cp "$WORK/good" $state
exec {held}>$state.lock && flock -x "$held"
run hook stop s
is "$STATUS$OUT" 0 'a lock that is held: the agent may go on'
exec {held}>&-

# subagent-stop
begin s
p plan next --claim --session s >/dev/null
sub() { hook subagent-stop s ",\"agent_id\":\"$1\",\"agent_type\":\"$2\",\"stop_hook_active\":false"; }
is "$(sub a1 tester)" '' 'an agent that works on nothing is let go'
like "$(sub a1 coder)" block 'the owner of a claimed todo is held'
like "$(sub a1 postrider:coder)" block 'also by the name that a plugin gives it'
is "$(sub a1 coder)" '' 'twice'
like "$(sub a2 coder)" block 'each'
is "$(st .iteration_count)" 3 'a block is an iteration'
is "$(hook subagent-stop other ',"agent_id":"a9","agent_type":"coder"')" '' 'of an owner alone'

# session-start, session-end
is "$(hook session-start other ',"source":"startup"')" '' 'a new session is told nothing'
like "$(hook session-start s ',"source":"resume"')" 'You work on a plan and own it. 3 of 3 todos of PLAN.md are open' 'an owner that comes back is told what is open'
like "$(hook session-start s ',"source":"compact"')" 'Next: SC-1: a' 'and what is next'
before=$(st .revision)
hook session-end other ',"reason":"other"'
is "$(st .revision)" "$before" 'the end of a stranger changes nothing'
hook session-end s ',"reason":"other"'
is "$(st '.todos[0].status, (.todos[0] | has("claim"))')" 'in_progress false' 'the end of an owner gives its todos back'
like "$(hook stop s)" block 'and it owns the plan when it comes back'

# user-prompt
prompt() { hook user-prompt "$1" ",\"prompt\":\"$2\"${3:-}"; }
begin s
for words in 'stop' 'please STOP' 'STOP it' '<task-notification>STOP</task-notification>' 'CONTINUE with SC-2' ''; do
    is "$(prompt s "$words")" '' "'$words' is no order"
done
is "$(prompt s STOP ',"agent_id":"a1"')" '' "an agent's prompt is none"
is "$(st .revision)" 1 'and changes nothing'
is "$(prompt s STOP)" '{"decision":"block","reason":"Work stopped. Use /00_continue to resume."}' 'STOP is carried out, with the line that everybody knows'
is "$(st .status)" stopped 'and the work is stopped'
like "$(prompt s ' CONTINUE ')" '^You work on a plan and own it' 'CONTINUE goes on; the agent is told what is open'
is "$(st '.status, .sessions[].id')" 'active s' 'and its session owns the plan'
is "$(prompt s CANCEL | jq -r .reason)" 'Work cancelled. Use /02_execute to start anew.' 'CANCEL'
is "$(prompt s CONTINUE) $(st .status)" ' cancelled' 'is for good'
begin s
is "$(prompt s DONE | jq -r .reason) $(st .status)" 'Work is called done. done' 'DONE'
begin s
CLAUDE_CODE_SESSION_ATTENDED=0 prompt s DONE
is "$(st .status)" active 'not from a client that nobody sits at'
is "$(prompt s /postrider:stop | jq -r .decision) $(st .status)" 'block stopped' "the skill's prompt"
begin s
jq '.iteration_count = 7' $state >t && mv t $state
hook stop s >/dev/null
prompt s /00_continue >/dev/null
is "$(st '.status, .iteration_count')" 'active 0' '/00_continue of a person begins a new count'

# What goes past a check, or undoes a stop, is for the client's own hook to say: not for the agent's command.
claims() { CLAUDE_CODE_SESSION_ID=s CLAUDE_PID=${1:-$$} p plan next --claim >/dev/null; }
begin && claims
for words in DONE CONTINUE; do
    for session in s x; do
        like "$(prompt $session $words | jq -r .systemMessage)" 'no person seems to have typed it.*postrider plan' "$words of $session from a command below the owner is refused"
    done
done
is "$(st '.status, .revision')" 'active 2' 'and changes nothing'
is "$(jq -c 'select(.act == "refused") | [.order, .session]' .pilot/state/log.jsonl | paste -sd' ')" '["done","s"] ["done","x"] ["continue","s"] ["continue","x"]' 'which is in the log'
is "$(prompt x STOP | jq -r .decision) $(st .status)" 'block stopped' 'STOP is for everybody'
prompt s CONTINUE >/dev/null
is "$(st .status)" stopped 'and is undone from outside'
begin && CODEX_SESSION_ID=s p plan next --claim >/dev/null
CODEX_SESSION_ID=s prompt s DONE >/dev/null
is "$(st .status)" active "a command of Codex's model says DONE"
begin s
CLAUDE_CODE_SESSION_ID=s prompt x DONE >/dev/null
POSTRIDER_PLAN_SESSION=run-1 prompt s DONE >/dev/null
POSTRIDER_PORT=/x prompt s DONE >/dev/null
is "$(st .status)" active 'nor in the name of another, nor below plan run or a run of a role'
POSTRIDER_PORT=/x POSTRIDER_ATTENDED=1 CLAUDE_CODE_SESSION_ID=s prompt x DONE >/dev/null
POSTRIDER_ATTENDED=1 POSTRIDER_PLAN_SESSION=run-1 prompt s DONE >/dev/null
is "$(st .status)" active 'nor so, where role run has given a terminal away'
POSTRIDER_PORT=/x POSTRIDER_ATTENDED=1 prompt s DONE >/dev/null
is "$(st .status)" 'done' 'but a person at the terminal of role run says it'
cat >"$WORK/client.py" <<'P'
import json, os, subprocess, sys
env = dict(os.environ, CLAUDE_CODE_SESSION_ID="s", CLAUDE_PID=str(os.getpid()))
subprocess.run([sys.argv[1], "plan", "next", "--claim"], env=env, stdout=subprocess.DEVNULL, check=True)
said = json.dumps({"session_id": "s", "cwd": os.getcwd(), "prompt": sys.argv[2]})
subprocess.run(sys.argv[3:], env=env, input=said.encode(), check=True)
P
client() { PATH=$(dirname "$PR_BIN"):$PATH python3 "$WORK/client.py" "$PR_BIN" DONE "$@"; }
begin
like "$(client postrider hook user-prompt) $(st .status)" 'called done.* done' "the client's own hook says it"
begin
like "$(client sh -c 'postrider hook user-prompt; true') $(st .status)" 'called done.* done' 'by a shell, too'
begin
like "$(client sh -c 'cat | postrider hook user-prompt') $(st .status)" 'no person.* active' 'a shell that feeds it is a command of the agent'

# task
begin s
task() { hook task "$1" ",\"hook_event_name\":\"$2\",\"task_id\":\"7\",\"task_subject\":\"$3\",\"task_description\":\"\""; }
moved() { hook task s ",\"hook_event_name\":\"PostToolUse\",\"tool_name\":\"TaskUpdate\",\"tool_input\":{\"taskId\":\"7\",\"status\":\"$1\"},\"tool_response\":{\"success\":true,\"taskId\":\"7\",\"statusChange\":{\"from\":\"pending\",\"to\":\"$1\"}}"; }
task other TaskCompleted 'SC-1: a'
is "$(st '.todos[0].status')" pending 'tasks of a stranger move nothing'
task s TaskCreated 'SC-1: a' && moved in_progress
is "$(st '.todos[0] | .status, .claim.session')" 'in_progress s' 'a task that begins takes its todo'
moved pending
is "$(st '.todos[0].status')" pending 'and gives it back'
task s TaskCompleted 'SC-1'
is "$(st '.todos[0].status')" complete 'a task that is complete completes it'
task s TaskCompleted 'SC-3: c' && task s TaskCreated 'Something else' && task s TaskCompleted 'SC-99: x'
is "$(st '.todos[].status')" 'complete pending complete' 'other tasks are other tasks'

# pre-tool
rm -rf .pilot
printf '# P\n- [ ] SC-1: a (check: make test)\n- [ ] SC-2: b\n' >PLAN.md
p plan execute --session s PLAN.md >/dev/null
tool() # WANT DESC SESSION NAME INPUT
{
    run hook pre-tool "$3" ",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"$4\",\"tool_input\":$5"
    is "$STATUS" "$1" "$2"
}
tool 2 'an owner does not write the state' s Write "{\"file_path\":\"$PWD/.pilot/state/continuation.json\",\"content\":\"{}\"}"
like "$ERR" 'use postrider plan mark or postrider state write' 'and is told what to do instead'
tool 2 'by a path with dots' s Edit "{\"file_path\":\"$PWD/src/../.pilot/state/log.jsonl\",\"old_string\":\"a\",\"new_string\":\"b\"}"
tool 2 'by a command' s Bash '{"command":"jq .todos=[] x >.pilot/state/continuation.json"}'
tool 2 'as a list, as Codex has it' s Bash '{"command":["sh","-c","rm .pilot/state/continuation.json"]}'
tool 2 'by a patch' s apply_patch '{"input":"*** Update File: .pilot/state/continuation.json"}'
tool 0 'but reads it' s Read "{\"file_path\":\"$PWD/.pilot/state/continuation.json\"}"
tool 0 'by a command, too' s Bash '{"command":"cat .pilot/state/continuation.json"}'
tool 0 'a stranger is not our business' other Write "{\"file_path\":\"$PWD/.pilot/state/continuation.json\",\"content\":\"{}\"}"
tool 2 'an owner does not change a check' s Edit "{\"file_path\":\"$PWD/PLAN.md\",\"old_string\":\"make test\",\"new_string\":\"true\"}"
like "$ERR" 'the check of SC-1 was fixed' 'and is told which'
tool 2 'or take it out' s Write "{\"file_path\":\"$PWD/PLAN.md\",\"content\":\"- [ ] SC-1: a\\n\"}"
tool 2 'or give one to another todo' s MultiEdit "{\"file_path\":\"$PWD/PLAN.md\",\"edits\":[{\"old_string\":\"SC-2: b\",\"new_string\":\"SC-2: b (check: true)\"}]}"
patch() { jq -cn --arg t "$(printf '*** Begin Patch\n*** Update File: %s\n@@\n%s\n*** End Patch' "$1" "$2")" '{input: $t}'; }
tool 2 'by a patch, as Codex has it' s apply_patch "$(patch PLAN.md $'-- [ ] SC-1: a (check: make test)\n+- [ ] SC-1: a (check: true)')"
like "$ERR" 'the check of SC-1 was fixed' 'which is told'
tool 2 'by a whole path' s apply_patch "$(patch "$PWD/src/../PLAN.md" $'-- [ ] SC-2: b\n+- [ ] SC-2: b (check: true)')"
tool 2 'by a new file in its place' s apply_patch "$(patch PLAN.md '+- [ ] SC-1: a' | sed 's/Update File/Add File/')"
tool 2 'by a patch in a command' s Bash "$(patch PLAN.md $'-- [ ] SC-1: a (check: make test)\n+- [ ] SC-1: a' | sed 's/"input":"/"command":"apply_patch /')"
tool 0 'a patch may tick' s apply_patch "$(patch PLAN.md $'-- [ ] SC-1: a (check: make test)\n+- [x] SC-1: a (check: make test)')"
tool 0 'and change another file' s apply_patch "$(patch a.md '+- [ ] SC-1: a (check: true)')"
bash() { tool "$1" "$2: $3" s Bash "$(jq -cn --arg t "$3" '{command: $t}')"; }
for words in 'sed -i s/make.test/true/ PLAN.md' 'echo x >PLAN.md' "printf x >> './PLAN.md'" 'ls; tee PLAN.md <x' "python3 -c \"open('PLAN.md','w')\"" \
    $'cat <<E >PLAN.md\nx\nE' $'python3 - <<E\nopen(\'PLAN.md\', \'w\')\nE' "sh -c 'rm PLAN.md; true'"; do
    bash 2 'nor by a command' "$words"
done
like "$ERR" 'change PLAN.md by a tool that edits files' 'it is told how'
for words in 'rm -rf .pilot' 'cd x && rm -r ../.pilot/' 'mv .pilot /tmp/x' 'rm -rf ./.pilot/*' 'find .pilot -delete'; do
    bash 2 'an owner does not take the state away' "$words"
done
for words in 'cat PLAN.md >/dev/null' 'rm x; grep SC PLAN.md | tee y' 'postrider plan execute PLAN.md >/dev/null' 'sed -n 1p PLAN.md' 'ls .pilot; rm x' 'rm .pilotage' 'git add PLAN.md'; do
    bash 0 'a command that only reads is fine' "$words"
done
for words in 'sed -Ei s/a/b/ PLAN.md' 'sed -ni p PLAN.md' 'sed -ri.bak s/a/b/ PLAN.md' 'sudo rm -f PLAN.md' 'X=1 rm PLAN.md' 'cp /tmp/x PLAN.md' \
    'cp docs/PLAN.md .' 'mv PLAN.md x' 'cd docs && rm ../PLAN.md' "rm $PWD/PLAN.md" 'rm PLAN*' 'git checkout HEAD~1 -- PLAN.md' 'git restore PLAN.md' \
    'echo "$(rm PLAN.md)"' 'find . -name PLAN.md -delete' "perl -pi -e 's/a/b/' PLAN.md" $'bash <<E\necho x >PLAN.md\nE' \
    $'patch -p1 <<E\n--- a/PLAN.md\n+++ b/PLAN.md\nE' $'git apply <<E\n--- a/PLAN.md\n+++ b/PLAN.md\nE' 'dd if=x of=PLAN.md' 'bash -lc "tee PLAN.md"' \
    $'rm a \\\n PLAN.md' 'if true; then rm PLAN.md; fi' 'ls 2>PLAN.md' 'ls &>PLAN.md' "python3 -c \"import shutil; shutil.rmtree('.pilot')\"" ; do
    bash 2 'nor by another' "$words"
done
for words in $'git add PLAN.md src && git commit -m "$(cat <<\'EOF\'\ntools: Don\'t install the "plugin" twice\n\nrm PLAN.md >PLAN.md\nEOF\n)"' \
    $'rm -f a.o && git commit -F - <<EOF\nmoved todos -> PLAN.md; tee PLAN.md\nEOF' 'grep -rn patch --exclude-dir=.pilot .' 'grep -rn patch --exclude-dir .pilot .' \
    'rsync -a --exclude .pilot src/ dst/' 'rsync -a src/ dst/ --exclude .pilot' 'python3 -m black --exclude=.pilot .' "find . -path ./.pilot -prune -o -name '*.o' -delete" \
    'cp PLAN.md /tmp/' 'python3 tools/x.py PLAN.md' 'grep -n install PLAN.md' 'rm docs/PLAN.md' 'sed -i s/a/b/ docs/PLAN.md' 'cd docs && rm PLAN.md' \
    'git commit -m "moved todos -> PLAN.md"' 'grep -rn "hook user-prompt" docs' $'echo x >y\nPLAN.md' 'ls # >PLAN.md' 'find . -name PLAN.md -exec cat {} +' \
    "awk '/SC/ { print \$2 }' PLAN.md" "python3 -c \"print(open('PLAN.md').read())\"" 'jq .todos .pilot/state/continuation.json >/tmp/x' \
    $'cat >notes.md <<E\nrm -rf .pilot; sed -i d PLAN.md\nE' 'git restore --staged PLAN.md' 'git rm --cached PLAN.md' 'ln -s PLAN.md plan' 'make install && cat PLAN.md'; do
    bash 0 'what changes neither is fine' "$words"
done
bash 0 'nor is it looked into too deep' "$(printf '%5000s' '' | tr ' ' '(')"
tool 2 'a list of words is a command' s Bash '{"command":["rm","-rf",".pilot"]}'
tool 0 'in which a word with blanks is one word' s Bash '{"command":["git","commit","-m","rm it; rm .pilot"]}'
tool 2 'a patch is no way into the state' s apply_patch "$(patch .pilot/state/log.jsonl '+x')"
tool 2 'a patch goes on behind the end of a file' s apply_patch "$(patch PLAN.md $'*** End of File\n@@\n-- [ ] SC-1: a (check: make test)  \n+- [ ] SC-1: a')"
like "$ERR" 'the check of SC-1 was fixed' 'blanks at the end hide nothing'
tool 2 'it does not move the plan away' s apply_patch "$(patch PLAN.md $'*** Move to: old.md\n@@\n-# P\n+# Q')"
like "$ERR" 'stays where it is' 'and says so'
tool 2 'nor another file into its place' s apply_patch "$(patch new.md $'*** Move to: PLAN.md\n@@\n-a\n+b')"
tool 0 'a move of other files is fine' s apply_patch "$(patch a.md $'*** Move to: docs/PLAN.md\n@@\n-a\n+b')"
tool 2 'a list that could not be read any more' s Edit "{\"file_path\":\"$PWD/PLAN.md\",\"old_string\":\"SC-2: b\",\"new_string\":\"SC-1: b\"}"
like "$ERR" 'could not be read afterwards' 'is refused with its fault'
bash 2 'an owner types no prompts' 'echo x | postrider hook user-prompt'
bash 2 'in no shell' "sh -c 'echo x | postrider hook user-prompt'"
tool 0 'a stranger may change it' other Bash '{"command":"sed -i d PLAN.md"}'
sed -i 's/make test/make check/' PLAN.md
tool 0 'what a person changed may stay' s Edit "{\"file_path\":\"$PWD/PLAN.md\",\"old_string\":\"SC-1: a\",\"new_string\":\"SC-1: A\"}"
tool 2 'and lets no other check be changed' s Edit "{\"file_path\":\"$PWD/PLAN.md\",\"old_string\":\"SC-2: b\",\"new_string\":\"SC-2: b (check: true)\"}"
like "$ERR" 'the check of SC-2' 'it says which'
tool 2 'nor that one again' s Edit "{\"file_path\":\"$PWD/PLAN.md\",\"old_string\":\"make check\",\"new_string\":\"true\"}"
tool 0 'but put back' s Edit "{\"file_path\":\"$PWD/PLAN.md\",\"old_string\":\"make check\",\"new_string\":\"make test\"}"
sed -i 's/make check/make test/' PLAN.md
tool 0 'it may tick and add' s Edit "{\"file_path\":\"$PWD/PLAN.md\",\"old_string\":\"- [ ] SC-2: b\",\"new_string\":\"- [x] SC-2: b\\n- [ ] SC-3: c (check: true)\"}"
tool 0 'and write everything else' s Write "{\"file_path\":\"$PWD/a.c\",\"content\":\"(check: x)\"}"
run eval 'POSTRIDER_PORT=/nonexistent hook pre-tool s ",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"rm -r .pilot\"}"'
is "$STATUS" 2 'in a run with a port the plan denies first'
like "$ERR" 'use postrider plan mark' 'in its own words'
is "$OUT" '' 'and nobody is asked'
run eval 'POSTRIDER_PORT=/nonexistent hook pre-tool s ",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"}"'
like "$STATUS$OUT" '^0.*deny' 'what the plan does not deny, the run judges'
p plan cancel >/dev/null
tool 0 'after a cancel nothing is denied' s Write "{\"file_path\":\"$PWD/.pilot/state/continuation.json\",\"content\":\"{}\"}"

done_testing
