#!/usr/bin/python3
"""The crash walk over supervision: two roles talk in circles, one asks the same for the third time, the tries of one fail too often.

    walk_supervise.py kill|errors|named|twice [EVERY]    as in walk.py

Each stage begins just before a role is paused: the pass that takes in the sixth mail, the third question and its delivery, the pass with
the last try. Afterwards that role pauses, once and for what it did; the coordinator has exactly one report of it, which the pause names;
every mail is there once; nothing more is done until a person lets the role go on. The clock stands still but for some minutes.
"""
import re, sys

import scene, walk

NOON = 1795003200  # UTC
PASSES = 8
SPEC = "specs/proposed/auth.md"
CONFIG = scene.CONFIG + """
[workflow]
root = project
errors-per-day = 2

[artifact spec]
path = specs/{state}/{name}.md

[brain talks]
kind = command
command = printf "And then?"

[brain fails]
kind = command
command = false

[role spec-writer]
brain = talks
max-attempts = 1000

[role spec-reviewer]
brain = talks
max-attempts = 1000

[role skeleton-writer]
brain = fails
max-attempts = 1000

[role test-writer]
person = yes
"""
WHY = {"circle": r"spec-(writer|reviewer)\|6 mails went between spec-", "question": r"spec-writer\|it has asked test-writer the same question 3 times",
       "told": r"spec-writer\|it has asked test-writer the same question 3 times", "errors": r"skeleton-writer\|2 of its tries failed today"}


def at(home, minutes, *args, env=None, **how):
    return home.run(*args, env={"POSTRIDER_CLOCK": f"@{NOON + 60 * minutes}"} | (env or {}), **how)


def serve(home, minutes=1, **how):
    at(home, minutes, "serve", "--once", **how)


def notify(home, who, event, to, *args, **how):
    at(home, 0, "notify", "--from", who, event, SPEC, to, *args, **how)


def ask(home, **how):
    notify(home, "spec-writer", "question", "test-writer", "QUESTION=Does it expire?", **how)


def one(home, sql):
    return home.query(sql)[0][0]


def is_paused(home):
    return one(home, "SELECT count(*) FROM role_pause") > 0


def mailboxes(home):
    """Of each mailbox, the Message-IDs and texts of what was delivered to it."""
    for box in (home.path / "mail").iterdir():
        texts = [p.read_text(errors="replace") for p in box.rglob("*") if p.is_file() and p.parent.name in ("new", "cur")
                 and p.parent.parent.name != ".Sent"]
        yield box.name, [re.search("^Message-ID: <(.*)>$", t, re.M)[1] for t in texts], texts


def check(home, name):
    problems = [f"integrity: {row}" for row in home.query("PRAGMA integrity_check") if row != ("ok",)]
    pauses = home.query("SELECT role || '|' || why, report FROM role_pause")
    problems += [f"pauses: {pauses}"] * (len(pauses) != 1 or not re.match(WHY[name], pauses[0][0]))
    told = home.query("SELECT msgid FROM event WHERE type = 'blocker-report'")
    problems += [f"reports in the record: {told}, the pause is {pauses}"] * (told != [(p[1],) for p in pauses])
    for box, ids, texts in mailboxes(home):
        problems += [f"{box} has <{i}> {ids.count(i)} times" for i in set(ids) if ids.count(i) > 1]
        reports = sum("\nX-Event-Type: blocker-report\n" in t for t in texts)
        problems += [f"{box} has {reports} reports"] * (reports != (box == "you"))
    if name == "circle":
        talked = one(home, "SELECT count(*) FROM message WHERE trust = 'role' AND role LIKE 'spec-%'")
        problems += [f"{talked} mails between the two"] * (talked != 6)
    if name == "errors":
        failed = one(home, "SELECT n FROM fault WHERE role = 'skeleton-writer'")
        problems += [f"{failed} tries are counted"] * (failed != 2)
    asked = one(home, "SELECT count(*) FROM event WHERE question <> ''")
    problems += [f"{asked} questions"] * (name in ("question", "told") and asked != 3)
    running = home.query("SELECT id, state FROM job WHERE state NOT IN ('queued', 'done')")
    return problems + [f"jobs: {running}"] * bool(running)


def goes_on(home):
    """A person lets it go on."""
    role = one(home, "SELECT role FROM role_pause")
    done = at(home, 3 * PASSES, "role", "resume", role)
    return [f"{role} can't go on: {done.stderr}"] * (done.returncode != 0 or is_paused(home))


def after_fault(home, name):
    """A question that was not asked is asked again, as its role would."""
    if name == "question" and one(home, "SELECT count(*) FROM event WHERE question <> ''") < 3:
        ask(home)
    for i in range(PASSES):
        serve(home, 10 + i)
    problems = check(home, name)
    for i in range(2):
        serve(home, 60 + i)  # backoffs are over
    return problems or check(home, name) or goes_on(home)


class SuperviseWalk(walk.Walk):
    def make_stages(self):
        first = scene.make_home(self.work / "made")
        (first.path / "postrider.conf").write_text(CONFIG)
        spec = first.path / "project" / SPEC
        spec.parent.mkdir(parents=True)
        spec.write_text("The user logs in.\n")
        serve(first, 0)
        asked = first.copy_to(self.work / "asked")
        for _ in range(2):
            ask(asked)
        told = asked.copy_to(self.work / "told")
        ask(told)
        failed = first.copy_to(self.work / "failed")
        notify(failed, "test-writer", "review-request", "skeleton-writer")
        serve(failed, 0)
        return (walk.Stage("circle", self.before_circle(first), ["circle"], serve), walk.Stage("question", asked, ["question"], ask),
                walk.Stage("told", told, ["told"], serve), walk.Stage("errors", failed, ["errors"], serve))

    def before_circle(self, first):
        """The home whose next pass pauses a role."""
        now = first.copy_to(self.work / "talking")
        notify(now, "spec-reviewer", "review-request", "spec-writer")
        for i in range(30):
            before = now.copy_to(self.work / f"talk-{i}")
            serve(now, 0)
            if is_paused(now):
                return before
        raise RuntimeError("nobody talks in circles")

    def works(self):
        problems = []
        for stage in self.stages:
            home = self.new_home(stage.start)
            stage.run(home)
            problems += [f"{stage.name}: {p}" for p in after_fault(home, stage.name)]
            self.drop(home)
        self.tap.ok("without a fault each of them pauses, and the coordinator hears it once", problems)
        return not problems

    def after_fault(self, home, acked):
        return after_fault(home, acked[0])


if __name__ == "__main__":
    sys.exit(walk.main(SuperviseWalk))
