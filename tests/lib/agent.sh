# For tests of a role whose brain is a program that keeps a session. Sourced behind tap.sh.
#
#   agent_home [KIND]   a home whose role envoy works by tests/peers/stub-agent, as a claude unless said otherwise
#   agent_does          what the stub does, from stdin: see the head of tests/peers/stub-agent
#   starts              how many of its processes were started          started N   at least so many were
#   prompts N           how many prompts it had; prompt N: the N-th     prompted N  it had at least so many
#   said WORD [N]       a member of the N-th line of its log that has this member (start, session, told, ran, …)
#   session FIELD       of the session row of job 1
#   reply ID BODY       as a mail client sends it
#   you_have TEXT       one of the owner's mails holds this; mails_with TEXT: how many

AGENT=$POSTRIDER_SRC/tests/peers/stub-agent

agent_home()
{
    rm -rf "$HOME_DIR" "$WORK/agent"
    mkdir "$WORK/agent"
    : >"$WORK/agent/script"
    pr init >/dev/null
    pr config set 'brain default' command "$AGENT --script $WORK/agent/script --state $WORK/agent/state"
    pr config set 'brain default' kind "${1:-claude}"
    pr config set 'role envoy' permissions all # what it may do is another test's affair
}
agent_does() { cat >"$WORK/agent/script"; }

said()
{
    python3 - "$WORK/agent/state/calls.jsonl" "$1" "${2:-0}" <<'P'
import json, os, sys
path, word, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
lines = [json.loads(line) for line in open(path)] if os.path.exists(path) else []
found = [line[word] for line in lines if word in line]
if n == 0:
    print(len(found))
elif n <= len(found):
    value = found[n - 1]
    print(value if isinstance(value, str) else " ".join(value) if isinstance(value, list) else json.dumps(value))
P
}
starts() { said start; }
started() { [ "$(starts)" -ge "$1" ]; }
start() { said start "$1"; }
prompts() { said prompt; }
prompted() { [ "$(prompts)" -ge "$1" ]; }
prompt() { said prompt "$1"; }
session() { db "SELECT $1 FROM session WHERE job = 1"; }

reply()
{
    printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: Re: x\nIn-Reply-To: %s\nReferences: %s\n\n%s\n' \
        "$1" "$1" "$2" | pr sendmail -t
}
you_have() { grep -rlq -- "$1" "$HOME_DIR/mail/you/new" 2>/dev/null; }
mails_with() { grep -rl -- "$1" "$HOME_DIR/mail/you/new" 2>/dev/null | wc -l; }
job() { pr --json job list --all | python3 -c 'import json, sys
print(next((j[sys.argv[1]] for j in json.load(sys.stdin) if j["id"] == int(sys.argv[2])), ""))' "$1" "${2:-1}"; }
job_is() { [ "$(job state "${2:-1}")" = "$1" ]; }
