#!/usr/bin/env bash
# SIGKILL of the agent, of its run and of the master at random moments while the real Claude Code asks, is granted and
# refused: each mail is answered once, nothing granted runs twice, nothing refused runs. AGENT_KILLS says how many.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/realagent.sh"
need_agent claude
KILLS=${AGENT_KILLS:-8} TASKS=6

# The model makes its call until it has seen what became of it.
call=$(call "echo %1 >>$WORK/ran; echo RAN-\$((6 * 7))-%1")
model --take 'TASK-(\w+)' < <(printf '{"fake": "calls", "calls": [%s], "until": "RAN-42-%%1|the owner says XYZZY"}\n"Done with %%1."\n' "$call")
agent_home claude
pr config set 'role envoy' permissions ask
: >"$WORK/ran"

# One of the master's descendants, or the master itself: what the test has started, and nothing else.
cat >"$WORK/victim" <<'P'
import os, random, sys
parent, name = {}, {}
for pid in filter(str.isdigit, os.listdir("/proc")):
    try:
        stat = open(f"/proc/{pid}/stat").read()
        parent[int(pid)] = int(stat.rpartition(")")[2].split()[1])
        name[int(pid)] = stat[stat.index("(") + 1:stat.rindex(")")]
    except OSError:
        pass
top, found = int(sys.argv[1]), {int(sys.argv[1])}
while more := {p for p, above in parent.items() if above in found} - found:
    found |= more
kinds = {}
for pid in found & set(name):
    kinds.setdefault("master" if pid == top else name[pid], []).append(pid)
kind = sys.argv[2] if len(sys.argv) > 2 else random.choice(sorted(kinds)) if kinds else None
if kind in kinds:
    print(kind, random.choice(kinds[kind]))
P
# Answers every mail that asks, once: tasks with an odd number are granted, the others refused.
cat >"$WORK/decide" <<'P'
import email, email.policy, os, re, sys
box, done = sys.argv[1], sys.argv[2]
seen = open(done).read().split("\n") if os.path.exists(done) else []
for name in sorted(os.listdir(box)):
    mail = email.message_from_binary_file(open(os.path.join(box, name), "rb"), policy=email.policy.default)
    text = mail.get_body(("plain",)).get_content()
    tasks = [int(n) for n in re.findall(r"^\| echo t(\d+) >>", text, re.M)]
    if name in seen or "  APPROVE  " not in text or not tasks:
        continue
    open(done, "a").write(name + "\n")
    words = ["yes" if n % 2 else "no: the owner says XYZZY" for n in tasks]
    one = {"yes": "APPROVE"}.get(words[0], "REJECT: the owner says XYZZY")
    print(mail["Message-ID"] + "\t" + (one if len(tasks) == 1 else ", ".join(f"{i} {w}" for i, w in enumerate(words, 1))))
P
decide()
{
    local id words
    while IFS=$'\t' read -r id words; do mail "$id" "$words" 'Re: may this be done?'; done < <(python3 "$WORK/decide" "$HOME_DIR/mail/you/new" "$WORK/decided")
}
granted() { db "SELECT count(*) FROM question WHERE kind = 'permit' AND state = 'approved' AND payload LIKE '%echo t$1 %'"; }
answered() { newest_mails | xargs -r grep -l "Done with t$1\." | wc -l; }
all_answered() { local n; decide; for ((n = 1; n <= TASKS; n++)); do [ "$(answered $n)" -ge 1 ] || return 1; done; }

agent_works() { python3 "$WORK/victim" "$SERVE_PID" claude | grep -q .; }
start_serve
for ((n = 1; n <= TASKS; n++)); do mail - "Do TASK-t$n." "task $n"; done
for ((k = 1; k <= KILLS; k++)); do
    decide
    WAIT=5 wait_for agent_works
    read -r -t "0.$((RANDOM % 10))$((RANDOM % 10))" -u "$TAP_NEVER" # a random moment
    read -r kind pid < <(python3 "$WORK/victim" "$SERVE_PID")
    [ -n "$kind" ] || continue
    diag "kill $k: $kind"
    if [ "$kind" = master ]; then
        kill_serve
        start_serve
    else
        kill -KILL "$pid" 2>/dev/null
    fi
done
WAIT=${KILL_WAIT:-240}
ok "after $KILLS kills every mail is answered" wait_for all_answered
stop_serve
for ((n = 1; n <= TASKS; n++)); do
    is "$(answered $n)" 1 "task $n: answered once"
    ran=$(grep -cx "t$n" "$WORK/ran") granted=$(granted $n)
    if [ $((n % 2)) = 1 ]; then
        # One that was killed in the middle of its call makes it again, and is asked again.
        ok "granted $granted, ran $ran times" [ "$ran" -ge 1 -a "$ran" -le "$granted" ]
    else
        is "$ran" 0 'refused, it did not run'
    fi
done
done_testing
