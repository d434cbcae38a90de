#!/usr/bin/python3
"""The crash walk over a panel whose text was rejected: its members say what must change, the primary writes it anew, and it goes to
review again.

    walk_panel_revise.py kill|errors|named|twice [EVERY]    as in walk.py
    walk_panel_revise.py named-lost [EVERY]                 `state/` is deleted wherever it died

Afterwards the file has the new text, the next review is open, and the reviewer has one request for it. No review is open twice, and
nothing is owed.
"""
import shutil, sys

import scene, walk, walk_panel

CONFIG = walk_panel.CONFIG.replace("[panel spec-reviewer-panel]", "[panel spec-writer-panel]").replace("rule = majority\n", "") + """
[role spec-reviewer]
person = yes
"""
SPEC = "specs/proposed/auth.md"
TEXT = "# auth\n\nA session ends after an hour.\n"
MEMBER = r"""case $(cat) in
*'write all of it anew'*) printf '%s\n' '{"summary": "an hour", "text": "# auth\n\nA session ends after an hour."}' ;;
*'You are the primary: decide'*) echo '{"summary": "it ends", "text": "A session ends."}' ;;
*) echo 'An idea.' ;;
esac
"""


def must(home, *words):
    done = home.run(*words)
    if done.returncode:
        raise RuntimeError(f"{words}: {done.stdout}{done.stderr}")


def check(home):
    problems = scene.check_store(home)
    text = (home.path / "project" / SPEC).read_text()
    problems += [f"the file: {text}"] * (text != TEXT)
    cycles = home.query("SELECT n, author, outcome FROM cycle ORDER BY n")
    problems += [f"cycles: {cycles}"] * (cycles != [(1, "spec-writer-panel", "rejected"), (2, "spec-writer-panel", "")])
    heard = walk_panel.mails(home, "spec-reviewer", "^X-Postrider-Event: opens cycle=2")
    problems += [f"{heard} requests"] * (heard != 1)
    open_ = home.query("SELECT id, state FROM panel WHERE state = 'open'")
    problems += [f"panels: {open_}"] * bool(open_)
    jobs = home.query("SELECT role, state FROM job WHERE state <> 'done'")
    problems += [f"jobs: {jobs}"] * bool(jobs)
    done = home.run("artifact", "check")
    return problems + [f"artifact check: {done.stdout}{done.stderr}"] * (done.returncode != 0)


class ReviseWalk(walk.Walk):
    loses = False

    def make_stages(self):
        home = scene.make_home(self.work / "rejected")
        (home.path / "postrider.conf").write_text(CONFIG.replace("sh {home}/", "sh ../../../"))
        for name in walk_panel.VERDICTS:
            (home.path / name).write_text(MEMBER)
        (home.path / "project").mkdir()
        must(home, "panel", "write", "--sections", "Only", str(home.path / "project" / SPEC), "Sessions must end.")
        must(home, "serve", "--once")
        must(home, "notify", "--from", "spec-reviewer", "rejection", SPEC, "spec-writer-panel", "ISSUES_FOUND=When?")
        must(home, "deliver")
        return (walk.Stage("lost" if self.loses else "rejected", home, [], walk.serve_once),)

    def after_fault(self, home, acked):
        if self.loses:
            shutil.rmtree(home.path / "state")
        return scene.recover(home, hours=3) or check(home)

    def works(self):
        problems = []
        for stage in self.stages:
            home = self.new_home(stage.start)
            stage.run(home)
            problems += [f"{stage.name}: {p}" for p in self.after_fault(home, [])]
            self.drop(home)
        self.tap.ok("without a fault it is revised", problems)
        return not problems


if __name__ == "__main__":
    if sys.argv[1] == "named-lost":
        sys.argv[1] = "named"
        ReviseWalk.loses = True
    sys.exit(walk.main(ReviseWalk))
