#!/usr/bin/env bash
# Events of the workflow at the command line: `notify` beside a shell script that does what users had before, and `role inbox` with
# 100,000 events. The script fills the same form, one `sed` for each variable, and puts the mail durably into the Maildir of each
# recipient. On a file system in memory where there is one, so that the programs are measured and not the disk;
# WORKFLOW_BENCH_DIR=DIR measures with that disk instead.
set -u
dir=$(mktemp -d "${WORKFLOW_BENCH_DIR:-$([ -w /dev/shm ] && echo /dev/shm || echo "$TMPDIR")}/workflow.XXXXXX") || exit 2
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 2
export POSTRIDER_HOME=$dir/home
unset POSTRIDER_ROLE
"$POSTRIDER_BIN" init >/dev/null || exit 2
{
    printf '\n[workflow]\nroot = %s/project\n[artifact spec]\npath = specs/{state}/{name}.md\n' "$dir"
    for role in spec-writer spec-reviewer; do printf '[role %s]\nperson = yes\n' "$role"; done
} >>home/postrider.conf
mkdir -p project/specs/proposed project/Workflow/email-templates mail/spec-reviewer/{tmp,new,cur} scripts
echo 'The user logs in.' >project/specs/proposed/auth.md
cat >project/Workflow/email-templates/status-update.txt <<'X'
From: {{FROM_ROLE}}@workflow.local
To: {{TO_ROLE}}@workflow.local
Subject: [STATUS UPDATE] {{ARTIFACT_NAME}}
Date: {{DATE}}
Message-ID: {{MESSAGE_ID}}
In-Reply-To: {{IN_REPLY_TO}}
X-Event-Type: {{EVENT_TYPE}}
X-Artifacts: {{ARTIFACT_PATH}}
X-Workflow-State: {{WORKFLOW_STATE}}

{{FROM_ROLE}} has news.

Artifact: {{ARTIFACT_PATH}}
State: {{WORKFLOW_STATE}}
Date: {{DATE}}

{{CONTEXT}}

Next steps:
{{NEXT_ACTIONS}}

---
Sent by {{FROM_ROLE}} role
X
cat >scripts/notify.sh <<'X'
#!/bin/bash
# scripts/notify.sh EVENT ARTIFACT ROLE [NAME=VALUE]...
event=$1 artifact=$2 role=$3
shift 3
from=${ROLE:-spec-writer}
declare -A vars=([FROM_ROLE]=$from [TO_ROLE]=$role [ARTIFACT_PATH]=$artifact [ARTIFACT_NAME]=$(basename "$artifact" .md)
    [WORKFLOW_STATE]=$(basename "$(dirname "$artifact")") [DATE]=$(date -R) [EVENT_TYPE]=$event [IN_REPLY_TO]= [REFERENCES]=
    [MESSAGE_ID]="<$(date +%Y%m%d%H%M%S).$from@workflow.local>" [REVIEW_TYPE]=$(echo "$artifact" | cut -d/ -f1) [SESSION_ID]=
    [CONTEXT]= [NEXT_STATE]= [NEXT_ROLES]= [NEXT_ACTIONS]= [REVIEWER_COMMENTS]= [ISSUES_FOUND]= [QUESTION]= [BLOCKING]=no
    [BLOCKING_DETAILS]=)
for said in "$@"; do vars[${said%%=*}]=${said#*=}; done
text=$(cat "project/Workflow/email-templates/$event.txt") || exit 1
for name in "${!vars[@]}"; do
    value=$(printf '%s' "${vars[$name]}" | sed 's/[&|\\]/\\&/g')
    text=$(printf '%s' "$text" | sed "s|{{$name}}|$value|g")
done
text=$(printf '%s' "$text" | sed '/^In-Reply-To: *$/d')
box=mail/$role file=$(date +%s).$$.$(hostname)
printf '%s\n' "$text" >"$box/tmp/$file" && sync "$box/tmp/$file" && mv "$box/tmp/$file" "$box/new/$file" && sync "$box/new"
X
chmod +x scripts/*
python3 - "$POSTRIDER_BIN" <<'X'
import os, sqlite3, statistics, subprocess, sys, time
program, missed = sys.argv[1], 0

def took(argv):
    """Milliseconds from the start of the program to its end, without what pipes and threads of Python cost."""
    files = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
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
        a.append(took(floor(n))), b.append(took(subject(n)))
    return statistics.median(a), statistics.median(b)

def line(name, floor, subject, good, goal):
    global missed
    missed += not good
    print(f"{name:34} {floor:8.2f} ms {subject:8.2f} ms {floor / subject:6.1f}x  {goal:22} {'ok' if good else 'MISSED'}")

print(f"{'name':34} {'floor':>11} {'subject':>11} {'ratio':>7}  goal")
said = ["status-update", "specs/proposed/auth.md", "spec-reviewer"]
a, b = race(40, lambda n: ["scripts/notify.sh", *said, f"CONTEXT=Section {n} is done."],
            lambda n: [program, "notify", "--quiet", "--from", "spec-writer", *said, f"CONTEXT=Section {n} is done."])
line("notify, beside a script", a, b, a >= 5 * b, "5 times as fast")

EVENTS, RARE = 100000, 20
db = sqlite3.connect("home/state/postrider.db")
db.execute("INSERT INTO artifact SELECT id + 1, 'specs/*/rare.md', kind, 'blocked', 'specs/blocked/rare.md', author, holder, since_us, "
           "to_state, to_path, mover, cycle, host FROM artifact WHERE id = 1")
db.execute("DELETE FROM event_to"), db.execute("DELETE FROM event")
for n in range(1, EVENTS + 1):
    rare = n % (EVENTS // RARE) == 0
    kind, rank = (("status-update", 9), ("question", 3), ("approval", 9))[n % 3]
    artifact, state = (2, "blocked") if rare else (1, "proposed")
    db.execute("INSERT INTO event VALUES (?, ?, ?, 0, ?, 'spec-writer', 'spec-reviewer', ?, '', ?, '', 0)",
               (n, kind, artifact, f"{n}.bench@workflow.local", state, f"q{n}" if kind == "question" else ""))
    db.execute("INSERT INTO event_to VALUES ('spec-reviewer', ?, ?, ?, ?, ?, ?)", (n, rank, kind, state, artifact, 0))
db.commit()
db.close()
inbox = [program, "role", "inbox", "spec-reviewer", "--limit", str(RARE)]
for name, filters in (("by artifact", ["--artifact", "specs/*/rare.md"]), ("by state", ["--state", "blocked"]),
                      ("by event", ["--event", "question"]),
                      ("by artifact, event", ["--artifact", "specs/*/rare.md", "--event", "question"]),
                      ("by event and state", ["--event", "question", "--state", "blocked"]),
                      ("none", [])):
    rows = len(subprocess.run([*inbox, *filters], stdout=subprocess.PIPE, check=True).stdout.splitlines()) - 1
    a, b = race(30, lambda n: [program, "--version"], lambda n: [*inbox, *filters])
    line(f"inbox, filter: {name} ({rows})", a, b, b < 10, "10 ms at most")
sys.exit(missed > 0)
X
