#!/usr/bin/python3
"""The crash walk over a panel whose store is lost: `state/` is deleted wherever it died.

    walk_panel_lost.py named [EVERY]    as in walk.py; with POSTRIDER_FEW_POINTS set, of names that mean nothing to it
                                        the first and the last alone

Stage "lost" dies while the panel of walk_panel.py is at work, and then loses its store. Stage "again" begins with a store that was lost,
and dies while it comes back. Afterwards the review is decided once, and whoever is to hear that has one mail. A
request that had not been delivered was asked of nobody.
"""
import os, shutil, sys

import scene, walk, walk_panel

PANEL = "spec-reviewer-panel"
AT_WORK = "ballot-cast"
ITS_OWN = ("panel-opened", "panel-member-asked", AT_WORK, "panel-round", "panel-before-decision", "step-committed", "maildir-moved",
           "file-moving", "file-moved", "file-written", "deliver-filed", "workflow-past", "panel-released", "timer-acted")


def lose(home):
    shutil.rmtree(home.path / "state")


def check(home, delivered):
    problems = scene.check_store(home)
    heard = [walk_panel.mails(home, "spec-writer", words) for words in ("^X-Event-Type: approval", "has ended: approved by")]
    voids = walk_panel.mails(home, "spec-writer", "That panel is void")
    problems += [f"it is void {voids} times"] * (voids > 1)
    if not delivered:
        return problems + [f"heard of what nobody was asked: {heard}"] * (heard != [0, 0])
    problems += [f"the decision was told {heard} times"] * (heard not in ([1, 0], [0, 1]))
    record = home.query("SELECT state, path FROM artifact")
    problems += [f"record: {record}"] * (record != [("todo", "specs/todo/auth.md")])
    cycles = home.query("SELECT n, outcome, decided_by FROM cycle")
    problems += [f"cycles: {cycles}"] * (cycles != [(1, "approved", PANEL)])
    open_ = home.query("SELECT id, state FROM panel WHERE state = 'open'")
    problems += [f"panels: {open_}"] * bool(open_)
    jobs = home.query("SELECT role, state FROM job WHERE state <> 'done'")
    problems += [f"jobs: {jobs}"] * bool(jobs)
    done = home.run("artifact", "check")
    return problems + [f"artifact check: {done.stdout}{done.stderr}"] * (done.returncode != 0)


class LostWalk(walk_panel.PanelWalk):
    def make_stages(self):
        _, request = super().make_stages()
        lost = self.new_home(request.start)
        names = self.names(request)
        lost.run("serve", "--once", env={"POSTRIDER_DIE_AT": str(names.index(AT_WORK) + 1)})
        lose(lost)
        return walk.Stage("lost", request.start, [], walk.serve_once), walk.Stage("again", lost, [], walk.serve_once)

    def names(self, stage):
        few = os.environ.get("POSTRIDER_FEW_POINTS")
        return [name if name in ITS_OWN or not few else "other" for name in super().names(stage)]

    def named(self, stage, n):
        self.loses = stage.name == "lost"
        return super().named(stage, n)

    def after_fault(self, home, acked):
        delivered = walk_panel.mails(home, PANEL, "^X-Event-Type: review-request") or any((home.path / "mail" / PANEL).rglob(".Done/*/*"))
        if self.loses:
            lose(home)
        return scene.recover(home, hours=3) or check(home, delivered)

    def works(self):
        problems = []
        for stage in self.stages:
            self.loses = stage.name == "lost"
            home = self.new_home(stage.start)
            stage.run(home)
            problems += [f"{stage.name}: {p}" for p in self.after_fault(home, [])]
            self.drop(home)
        self.tap.ok("without a fault the panel decides once", problems)
        return not problems


if __name__ == "__main__":
    sys.exit(walk.main(LostWalk))
