#!/usr/bin/python3
"""The crash walk over the workflow: a spec is written, sent for review, approved, which moves it, and delivered.

    walk_workflow.py kill|errors|named|twice [EVERY]    as in walk.py

The stages are `artifact write`, which gives the spec other bytes, `notify review-request`, `notify approval --commit` and `serve --once`. Afterwards file, header and record say the
same, the index of git follows, it is committed once, the review is on file once, and each mail was delivered once to each recipient. What was
not decided yet is said again, as a person would.
"""
import hashlib, os, re, subprocess, sys

import scene, walk

CONFIG = scene.CONFIG + """
[workflow]
root = project

[artifact spec]
path = specs/{state}/{name}.md

[role spec-writer]
person = yes

[role spec-reviewer]
person = yes

[role skeleton-writer]
person = yes
"""
DRAFT, TEXT = "The user logs.\n", "The user logs in.\n"
BEFORE, AFTER = "specs/proposed/auth.md", "specs/todo/auth.md"
WRITE = ("--from", "you", "--if-digest", hashlib.sha256(DRAFT.encode()).hexdigest(), BEFORE)
RECIPIENTS = {"review-request": ("spec-reviewer",), "approval": ("spec-writer", "skeleton-writer")}
os.environ |= {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "T", "GIT_AUTHOR_EMAIL": "t@t",
               "GIT_COMMITTER_NAME": "T", "GIT_COMMITTER_EMAIL": "t@t"}


def git(home, *args):
    return subprocess.run(["git", "-C", home.path / "project", *args], capture_output=True, text=True, check=True).stdout


def write(home, **how):
    home.run("artifact", "write", *WRITE, stdin=TEXT, **how)


def request(home, **how):
    home.run("notify", "--from", "spec-writer", "review-request", BEFORE, "spec-reviewer", **how)


def approve(home, **how):
    commit = ["--commit"] if (home.path / "project/.git").exists() else []
    home.run("notify", "--from", "spec-reviewer", *commit, "approval", BEFORE, "spec-writer", "NEXT_ROLES=skeleton-writer", **how)


def has_event(home, kind):
    return home.query("SELECT 1 FROM part WHERE face = 'workflow'") and home.query("SELECT 1 FROM event WHERE type = ?", kind)


def make_project(home, text=TEXT):
    spec = home.path / "project" / BEFORE
    spec.parent.mkdir(parents=True)
    spec.write_text(text)


def make_repository(home):
    git(home, "init", "-q", "-b", "main", "--template=")
    git(home, "add", "-A")
    git(home, "commit", "-q", "-m", "start")


def check_mail(home, role, kind, state, msgid):
    texts = [p.read_text() for p in (home.path / "mail" / role / "new").glob("*")]
    mine = [t for t in texts if f"Message-ID: <{msgid}>" in t]
    problems = [f"{role} has {len(mine)} of {kind}"] * (len(mine) != 1)
    return problems + [f"{kind}: {t}" for t in mine if not re.search(f"^X-Workflow-State: {state}$", t, re.M)]


def check(home):
    """File, header, record and index say the same; each mail is there once."""
    problems = scene.check_store(home)
    project = home.path / "project"
    there = sorted(str(p.relative_to(project)) for p in (project / "specs").rglob("*")
                   if p.is_file() and not p.name.startswith(".postrider-tmp-"))
    problems += [f"files: {there}"] * (there != [AFTER])
    problems += [f"{AFTER} has other bytes"] * (there == [AFTER] and (project / AFTER).read_text() != TEXT)
    record = home.query("SELECT state, path, to_state FROM artifact")
    problems += [f"record: {record}"] * (record != [("todo", AFTER, "")])
    cycles = home.query("SELECT n, outcome FROM cycle")
    problems += [f"cycles: {cycles}"] * (cycles != [(1, "approved")])
    index = git(home, "ls-files", "specs").split() if (project / ".git").exists() else [AFTER]
    problems += [f"index: {index}"] * (index != [AFTER])
    if (project / ".git").exists():
        commits = git(home, "log", "--format=%s", "--name-status", "--no-renames").split("\n")
        want = ["spec-reviewer: Approve auth spec", "", f"D\t{BEFORE}", f"A\t{AFTER}", "start"]
        problems += [f"commits: {commits}"] * (sorted(commits[:5]) != sorted(want))
    reviews = list((project / "reviews").rglob("*-APPROVED.md"))
    problems += [f"{len(reviews)} reviews on file"] * (len(reviews) != 1)
    events = home.query("SELECT type, state, msgid FROM event ORDER BY id")
    problems += [f"events: {events}"] * ([e[0] for e in events] != list(RECIPIENTS))
    for kind, state, msgid in events:
        for role in RECIPIENTS[kind]:
            problems += check_mail(home, role, kind, state, msgid)
    done = home.run("artifact", "check")
    return problems + [f"artifact check: {done.stdout}{done.stderr}"] * (done.returncode != 0)


def after_fault(home):
    """A git that was killed leaves its locks, which a person removes; what was not decided is said again."""
    for lock in (home.path / "project/.git").rglob("*.lock"):
        lock.unlink()
    if not has_event(home, "review-request"):
        home.run("serve", "--once", hours=2)
        if (home.path / "project" / BEFORE).read_text() == DRAFT:
            write(home)
        request(home)
    if not has_event(home, "approval"):
        approve(home)
    return scene.recover(home, hours=3) or check(home)


class WorkflowWalk(walk.Walk):
    def make_stages(self):
        first = scene.make_home(self.work / "made")
        (first.path / "postrider.conf").write_text(CONFIG)
        make_project(first, DRAFT)
        make_repository(first)
        written = first.copy_to(self.work / "written")
        write(written)
        asked = written.copy_to(self.work / "asked")
        request(asked)
        approved = asked.copy_to(self.work / "approved")
        approve(approved)
        self.end_home = approved.copy_to(self.work / "ended")
        return (walk.Stage("write", first, [], write), walk.Stage("request", written, [], request), walk.Stage("approval", asked, [], approve),
                walk.Stage("delivery", approved, [], walk.serve_once))

    def works(self):
        problems = after_fault(self.end_home)
        self.tap.ok("without a fault the spec is reviewed and moved", problems)
        return not problems

    def after_fault(self, home, acked):
        return after_fault(home)


if __name__ == "__main__":
    sys.exit(walk.main(WorkflowWalk))
