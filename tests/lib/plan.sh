# For tests of plan run. Sourced behind tap.sh.
#
#   plan_project NAME [LINE]...  a git repository $WORK/NAME with PLAN.md of these lines, which is the working folder then
#   plan_home                    a home whose first role is envoy
#   agent TEXT                   $WORK/agent: a shell script that keeps what it reads as $WORK/prompt, adds a line to $WORK/starts
#                                and then does TEXT; $n is how often it was started
#   st FILTER                    jq over the state, in one line          starts     how often the agent was started
#   job_state [JOB]              the newest job's state, or that one's    turn       one pass
#   reply TEXT                   a mail of the owner that answers the newest mail about the plan

unset CLAUDE_CODE_SESSION_ID CODEX_SESSION_ID POSTRIDER_PLAN_SESSION MAX_ITERATIONS CONTINUATION_LEVEL
PATH=$(dirname "$PR_BIN"):$PATH
state=.pilot/state/continuation.json
plan_project()
{
    local name=$1
    shift
    mkdir "$WORK/$name" && cd "$WORK/$name" && git init -q -b main . &&
        git -c user.name=a -c user.email=a@x commit -q --allow-empty -m one
    { echo "# $name"; printf -- '- [ ] %s\n' "$@"; } >PLAN.md
    : >"$WORK/starts"
}
plan_home() { rm -rf "$HOME_DIR"; pr init >/dev/null; }
agent()
{
    { printf '#!/bin/sh\ncat >"%s/prompt"\necho start >>"%s/starts"\nn=$(grep -c start "%s/starts")\n' "$WORK" "$WORK" "$WORK"; echo "$1"; } >"$WORK/agent"
    chmod +x "$WORK/agent"
}
st() { jq -r "$1" $state | paste -sd' '; }
starts() { grep -c start "$WORK/starts"; }
turn() { pr serve --once >"$WORK/turn.out" 2>"$WORK/turn.log"; }
job_state() { db "SELECT state FROM job WHERE id = ${1:-(SELECT max(id) FROM job)}"; }
newest_mail() { db "SELECT msgid FROM outbox WHERE subject LIKE 'Re: Plan:%' AND from_spec LIKE 'envoy@%' ORDER BY id DESC LIMIT 1"; }
reply() { printf '%s\n' "$1" | pr send --to envoy --in-reply-to "<$(newest_mail)>" --subject 'Re: Plan: PLAN.md' >/dev/null; }
