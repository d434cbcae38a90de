#!/usr/bin/python3
"""The crash walk over a panel: three members judge a spec, disagree, discuss it, and approve by majority.

    walk_panel.py kill|errors|named|twice [EVERY]    as in walk.py

The stages are `panel review` without settings, and `serve --once` behind a review-request to a panel of the settings.
Afterwards each member has one ballot in each round, the panel has decided once, whoever is to hear that has one mail, and
nothing is owed.
"""
import os, re, sys

import scene, walk

CONFIG = scene.CONFIG + """
[workflow]
root = project

[artifact spec]
path = specs/{state}/{name}.md

[role spec-writer]
person = yes

[brain ann]
command = sh {home}/ann

[brain ben]
command = sh {home}/ben

[brain eve]
command = sh {home}/eve

[panel spec-reviewer-panel]
members = ann, ben, eve
rule = majority
"""
SPEC = "specs/proposed/auth.md"
VERDICTS = {"ann": "approve", "ben": "approve", "eve": "revise"}
MEMBER = """cat >/dev/null
echo '{"verdict": "%s", "assessment": "by %s", "findings": []}'
"""


def review(home, **how):
    home.run("panel", "review", "--members", "ann,ben,eve", "--rule", "majority", str(home.path / "project" / SPEC), **how)


def settle(home):
    """The settings name the home, which is copied from place to place."""
    (home.path / "postrider.conf").write_text(CONFIG.replace("sh {home}/", "sh ../../../"))


def request(home):
    done = home.run("notify", "--from", "spec-writer", "review-request", SPEC, "spec-reviewer-panel")
    if done.returncode:
        raise RuntimeError(done.stderr)


def furnish(home):
    settle(home)
    for name, verdict in VERDICTS.items():
        (home.path / name).write_text(MEMBER % (verdict, name))
    spec = home.path / "project" / SPEC
    spec.parent.mkdir(parents=True)
    spec.write_text("The user logs in.\n")


def mails(home, mailbox, pattern):
    texts = [p.read_text(errors="replace") for p in (home.path / "mail" / mailbox).rglob("*")
             if p.parent.name in ("new", "cur") and p.parent.parent.name == mailbox]
    return sum(bool(re.search(pattern, t, re.M)) for t in texts)


def check(home, requested):
    problems = scene.check_store(home)
    panels = home.query("SELECT state, verdict, round, revealed FROM panel")
    problems += [f"panels: {panels}"] * (panels != [("closed", "approve", 2, 2)])
    ballots = home.query("SELECT round, member, verdict, late FROM ballot ORDER BY round, member")
    want = [(r, n, v, 0) for r in (1, 2) for n, v in enumerate(VERDICTS.values())]
    problems += [f"ballots: {ballots}"] * (ballots != want)
    jobs = home.query("SELECT role, state FROM job WHERE state <> 'done'")
    problems += [f"jobs: {jobs}"] * bool(jobs)
    problems += [f"{n} jobs" for n, in home.query("SELECT count(*) FROM job") if n != 7]
    heard = mails(home, "spec-writer", "^X-Event-Type: approval") if requested else mails(home, "you", "^Subject: .PANEL. auth.md: approve")
    problems += [f"the decision was told {heard} times"] * (heard != 1)
    if requested:
        record = home.query("SELECT state, path FROM artifact")
        problems += [f"record: {record}"] * (record != [("todo", "specs/todo/auth.md")])
        problems += [f"cycle: {c}" for c in home.query("SELECT outcome FROM cycle") if c != ("approved",)]
    done = home.run("panel", "audit", "1")
    return problems + [f"audit: {done.stdout}{done.stderr}"] * (done.returncode != 0)


def after_fault(home):
    requested = bool(home.query("SELECT 1 FROM part WHERE face = 'workflow'")) and bool(home.query("SELECT 1 FROM event"))
    if not requested and not home.query("SELECT 1 FROM job"):
        review(home)
    return scene.recover(home, hours=3) or check(home, requested)


class PanelWalk(walk.Walk):
    def make_stages(self):
        first = scene.make_home(self.work / "made")
        furnish(first)
        asked = first.copy_to(self.work / "asked")
        request(asked)
        return walk.Stage("review", first, [], review), walk.Stage("request", asked, [], walk.serve_once)

    def works(self):
        problems = []
        for stage in self.stages:
            home = self.new_home(stage.start)
            stage.run(home)
            problems += [f"{stage.name}: {p}" for p in after_fault(home)]
            self.drop(home)
        self.tap.ok("without a fault the panel decides", problems)
        return not problems

    def after_fault(self, home, acked):
        return after_fault(home)


if __name__ == "__main__":
    sys.exit(walk.main(PanelWalk))
