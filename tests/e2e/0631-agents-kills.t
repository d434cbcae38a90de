#!/usr/bin/env bash
# SIGKILL of the agent, of its run and of the master at random moments while the real Claude Code asks, is granted and
# refused: each mail is answered once, nothing granted runs twice, nothing refused runs. AGENT_KILLS says how many.
# A program that was killed is run again after 30 s, 5 min or 30 min; the clock is set on by an hour where all that is left waits so.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/realagent.sh"
need_agent claude
KILLS=${AGENT_KILLS:-8}
TASKS=$((KILLS * 3 / 4))

# The model makes its call until it has seen what became of it. One whose agent was killed behind its last word says that again.
call=$(call "echo %1 >>$WORK/ran; echo RAN-\$((6 * 7))-%1")
model --take 'TASK-(\w+)' < <(
    printf '{"fake": "calls", "calls": [%s], "until": "RAN-42-%%1|the owner says XYZZY"}\n' "$call"
    for ((n = 0; n < 20; n++)); do echo '"Done with %1."'; done
)
agent_home claude
pr config set 'role envoy' permissions ask
pr config set postrider workers 3
: >"$WORK/ran"

# Agent, run or master: kinds are equally likely. Whose they are the home tells: runs outlive the master that started them.
cat >"$WORK/victim" <<'P'
import os, random, sys
top, home = int(sys.argv[1]), sys.argv[2]
kinds = {"master": [top]}
for pid in filter(str.isdigit, os.listdir("/proc")):
    try:
        words = open(f"/proc/{pid}/cmdline", errors="replace").read().split("\0")
        ours = home in words or f"POSTRIDER_WORK={home}/" in open(f"/proc/{pid}/environ", errors="replace").read()
    except OSError:
        continue
    kind = "claude" if os.path.basename(words[0]).startswith("claude") else "run" if "run" in words else None
    if ours and kind:
        kinds.setdefault(kind, []).append(int(pid))
kind = sys.argv[3] if len(sys.argv) > 3 else random.choice(sorted(kinds))
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

# Nothing runs and nobody is to be answered: what is left waits for its next try.
all_wait() { [ "$(db "SELECT count(*) FROM job WHERE state = 'running' OR state = 'queued' AND ready_us <= $(now_us)")" = 0 ] && nothing_open; }
nothing_open() { [ "$(db "SELECT count(*) FROM question WHERE state = 'open'")" = 0 ]; }
now_us() { echo $((($(date +%s) + HOURS * 3600) * 1000000)); }
all_answered_or_wait() { all_answered || all_wait; }
later() { stop_serve; HOURS=$((HOURS + 1)); export POSTRIDER_CLOCK=+$((HOURS * 3600)); start_serve; }

HOURS=0
agent_works() { python3 "$WORK/victim" "$SERVE_PID" "$HOME_DIR" claude | grep -q .; }
declare -A KILLED
start_serve
for ((n = 1; n <= TASKS; n++)); do mail - "Do TASK-t$n." "task $n"; done
for ((k = 1; k <= KILLS; k++)); do
    decide
    WAIT=5 wait_for agent_works
    read -r -t "0.$((RANDOM % 10))$((RANDOM % 10))" -u "$TAP_NEVER" # a random moment
    read -r kind pid < <(python3 "$WORK/victim" "$SERVE_PID" "$HOME_DIR")
    [ -n "$kind" ] || continue
    KILLED[$kind]=$((${KILLED[$kind]:-0} + 1))
    if [ "$kind" = master ]; then
        kill_serve
        start_serve
    else
        kill -KILL "$pid" 2>/dev/null
    fi
done
for kind in "${!KILLED[@]}"; do diag "killed: ${KILLED[$kind]} times $kind"; done
WAIT=240
while wait_for all_answered_or_wait && ! all_answered && [ $HOURS -lt 4 ]; do
    diag "an hour later: $(db "SELECT group_concat(id || ' was tried ' || attempts || ' times', ', ') FROM job WHERE state = 'queued'")"
    later
done
ok "after $KILLS kills every mail is answered" all_answered || diag "$(db 'SELECT id, state, attempts, ready_us, why FROM job')
$(tail -n 40 "$WORK/serve.log")"
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
