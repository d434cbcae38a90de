#!/usr/bin/env bash
# What plans cost, beside what users had before: `hook stop` with 1,000 todos beside `postrider --version`, and `state read` and
# `state write` beside bash with jq and flock, which flush nothing. On a file system in memory where there is one, so that the
# programs are measured and not the disk; PLAN_BENCH_DIR=DIR measures with that disk instead.
set -u
command -v jq >/dev/null && command -v flock >/dev/null || { echo 'plan: no jq, or no flock'; exit 0; }
dir=$(mktemp -d "${PLAN_BENCH_DIR:-$([ -w /dev/shm ] && echo /dev/shm || echo "$TMPDIR")}/plan.XXXXXX") || exit 2
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 2
export CLAUDE_CODE_SESSION_ID='' CODEX_SESSION_ID=''

mkdir scripts
cat >scripts/read.sh <<'X'
#!/bin/bash
state=.pilot/state/continuation.json
[ -f "$state" ] || { echo 'Continuation state file not found' >&2; exit 1; }
jq empty "$state" 2>/dev/null || { echo 'Invalid JSON in continuation state' >&2; exit 1; }
cat "$state"
X
cat >scripts/write.sh <<'X'
#!/bin/bash
state=.pilot/state/continuation.json
(
    flock -x 9 || exit 1
    jq empty "$state" || exit 1
    cp "$state" "$state.backup"
    session=$(jq -r .session_id "$state")
    jq -n --arg session "$session" --arg plan "$1" --argjson todos "$2" --argjson n "$3" --arg now "$(date -u +%Y-%m-%dT%H:%M:%SZ)" \
        --arg branch "$(git rev-parse --abbrev-ref HEAD 2>/dev/null)" \
        '{version: "1.0", session_id: $session, branch: $branch, plan_file: $plan, todos: $todos, iteration_count: $n, max_iterations: 7,
          last_checkpoint: $now, continuation_level: "normal"}' >"$state.tmp" && jq empty "$state.tmp" && mv "$state.tmp" "$state"
) 9>"$state.lock"
X
chmod +x scripts/*
python3 - "$POSTRIDER_BIN" "$dir" <<'X'
import json, os, statistics, subprocess, sys, time
program, folder = sys.argv[1:]
missed = 0

def took(argv, given="/dev/null"):
    """Milliseconds from the start of the program to its end, without what pipes and threads of Python cost. given: its input."""
    files = [(os.POSIX_SPAWN_OPEN, 0, given, os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
    start = time.perf_counter()
    status = os.waitpid(os.posix_spawn(argv[0], argv, os.environ, file_actions=files), 0)[1]
    end = time.perf_counter()
    if status:
        sys.exit(f"{argv}: status {status}")
    return (end - start) * 1e3

def race(rounds, floor, subject):
    """Medians of both, taken in turn."""
    a, b = [], []
    for n in range(rounds):
        a.append(floor(n)), b.append(subject(n))
    return statistics.median(a), statistics.median(b)

def line(name, floor, subject, good, goal):
    global missed
    missed += not good
    print(f"{name:34} {floor:8.2f} ms {subject:8.2f} ms {floor / subject:6.1f}x  {goal:22} {'ok' if good else 'MISSED'}")

print(f"{'name':34} {'floor':>11} {'subject':>11} {'ratio':>7}  goal")
todos = [{"id": f"SC-{n}", "status": "pending", "iteration": 0, "owner": "coder"} for n in range(1, 11)]
text = json.dumps(todos)
subprocess.run([program, "state", "write", "--plan-file", "p.md", "--todos", text, "--iteration", "1"], check=True)
a, b = race(30, lambda n: took(["scripts/read.sh"]), lambda n: took([program, "state", "read"]))
line("state read, beside jq", a, b, a >= 10 * b, "10 times as fast")
a, b = race(30, lambda n: took(["scripts/write.sh", "p.md", text, str(n)]),
            lambda n: took([program, "state", "write", "--plan-file", "p.md", "--todos", text, "--iteration", str(n)]))
line("state write, beside jq and flock", a, b, a >= 10 * b, "10 times as fast")

subprocess.run("rm -rf .pilot", shell=True, check=True)
with open("p.md", "w") as f:
    for n in range(1, 1001):
        f.write(f"- [ ] SC-{n}: Write the part of the program that is number {n} (check: make test)\n")
subprocess.run([program, "plan", "execute", "--session", "s", "p.md"], check=True, stdout=subprocess.DEVNULL,
               env={**os.environ, "MAX_ITERATIONS": "1000"})
for session in "s", "another":
    with open(f"{session}.json", "w") as f:
        json.dump({"session_id": session, "cwd": folder}, f)

def version(n):
    return took([program, "--version"])

def stop(n):
    """A todo changes in between, so that it is held each time."""
    subprocess.run([program, "plan", "mark", "SC-1", ("pending", "blocked")[n % 2]], check=True)
    return took([program, "hook", "stop"], "s.json")

a, b = race(100, version, lambda n: took([program, "hook", "stop"], "another.json"))
line("hook stop, 1,000 todos, not owned", a, b, b - a <= 3, "3 ms more at most")
a, b = race(100, version, stop)
line("hook stop, 1,000 todos, held", a, b, b - a <= 3, "3 ms more at most")
sys.exit(missed > 0)
X
