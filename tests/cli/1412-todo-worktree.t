#!/usr/bin/env bash
# The act `todo` of a job that works in a git worktree: which plan is meant, and where its checks run.
. "$(dirname "$0")/../lib/tap.sh"
command -v jq >/dev/null || skip_all 'no jq'
. "$POSTRIDER_SRC/tests/lib/plan.sh"
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@x GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@x
cat >"$WORK/complete" <<'END'
#!/usr/bin/env python3
import json, os, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(os.environ["POSTRIDER_PORT"])
s.sendall(json.dumps({"verb": "todo", "id": sys.argv[1], "status": "complete"}).encode() + b"\n")
print(s.makefile().readline().strip())
END
chmod +x "$WORK/complete"
# What an agent does to call a todo complete by its port.
complete() { echo "$WORK/complete $1 >>$WORK/said"; }
home_in()
{
    plan_home
    pr config set 'brain default' command "$WORK/agent"
    pr config set postrider ack-after 0
    pr config set 'role envoy' workdir "$1"
    : >"$WORK/starts"
    : >"$WORK/said"
    rm -f "$WORK/where"
}
task() { printf 'Please.\n' | pr send --to envoy --subject task >/dev/null; turn; }
tree() { echo "$HOME_DIR/work/envoy/$1/tree"; }

# The plan of the checkout, the work in the worktree.
plan_project app "SC-1: make a (check: pwd >'$WORK/where'; test -f a)" 'SC-2: make b (after: SC-1)'
mkdir sub && touch sub/keep && git add PLAN.md sub && git commit -q -m plan
"$PR_BIN" plan execute PLAN.md >/dev/null
home_in "$PWD"
agent "$(complete SC-1); touch a; $(complete SC-1); echo done"
task
is "$(job_state)" 'done' 'a job in a worktree' || diag "$(cat "$WORK/turn.log")"
like "$(sed -n 1p "$WORK/said")" "'SC-1' is not complete: its check failed \\(exit 1\\)" 'finds the plan of the checkout, whose check runs'
like "$(sed -n 2p "$WORK/said")" '"ok":true' 'and passes, once the work is there'
is "$(cat "$WORK/where")" "$(tree 1)" 'it ran in the worktree'
is "$(st '.todos[].status')" 'complete pending' 'the plan of the checkout has it'
like "$(cat PLAN.md)" '- \[x\] SC-1' 'and its list is ticked there'
not_ok 'nothing else of the checkout was touched' test -e a
not_ok 'the worktree has no state of its own' test -e "$(tree 1)/.pilot/state"

# A role in a part of the repository: the checks run where the project is in the worktree.
"$PR_BIN" plan cancel >/dev/null; rm -rf .pilot; git checkout -q PLAN.md
"$PR_BIN" plan execute PLAN.md >/dev/null
home_in "$PWD/sub"
agent "touch ../a; $(complete SC-1); echo done"
task
like "$(cat "$WORK/said")" '"ok":true' 'a role that works in a part of the project' || diag "$(cat "$WORK/turn.log")"
is "$(cat "$WORK/where")" "$(tree 1)" 'has its checks run in the root of its worktree'

# A plan that was begun in the worktree.
home_in "$PWD"
"$PR_BIN" plan cancel >/dev/null; rm -rf .pilot; git checkout -q PLAN.md
"$PR_BIN" plan execute PLAN.md >/dev/null
agent "$PR_BIN plan execute PLAN.md >/dev/null; touch a; $(complete SC-1); echo done"
task
like "$(cat "$WORK/said")" '"ok":true' 'a plan that was begun in the worktree'
is "$(jq -r '.todos[0].status' "$(tree 1)/$state") $(st '.todos[0].status')" 'complete pending' 'is the one that is meant'
is "$(cat "$WORK/where")" "$(tree 1)" 'with its checks there'

# No plan anywhere.
"$PR_BIN" plan cancel >/dev/null; rm -rf .pilot; git checkout -q PLAN.md
home_in "$PWD"
agent "$(complete SC-1); echo done"
task
like "$(job_state) $(cat "$WORK/said")" 'done .*this job works on no plan' 'without a plan it is said'

done_testing
