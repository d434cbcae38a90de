#!/usr/bin/python3
"""The crash walk over retention: the pass that lets go what is left of a job that ended long ago.

    walk_keep.py kill|errors|named|twice [EVERY]    as in walk.py

The job has two rounds of one step each, and a work folder with a deep tree. Afterwards the folder is gone, and of the
steps the last alone has what it said; the rows are there. The folder of a job
that the store does not know stays.
"""
import sys
import scene, walk

LONG = 400 * 24  # hours
BRAIN = "sh -c 'mkdir -p a/b/c && touch a/x a/b/c/y out/z && chmod 500 a/b && printf ok'"


def late(home, **how):
    home.run("serve", "--once", **{"hours": LONG + 2, **how})


def left(home):
    """Of each step: job, number, and whether it has what it was shown, what it said, and its line."""
    return home.query("SELECT job, n, manifest IS NOT NULL, answer IS NOT NULL, did <> '' FROM step ORDER BY job, n")


class KeepWalk(walk.Walk):
    def make_stages(self):
        home = scene.make_home(self.work / "old")
        home.config(BRAIN)
        first = home.send()
        home.run("serve", "--once")
        home.run("send", "--to", scene.ROLE, "--in-reply-to", first, "--subject", "Re: hello", stdin="more\n")
        home.run("serve", "--once")
        (home.path / "work/envoy/999").mkdir()
        home.run("serve", "--once", hours=LONG)
        self.end_home = home.copy_to(self.work / "ended")
        late(self.end_home)
        return [walk.Stage("letting go", home, [first], late)]

    def works(self):
        problems = self.check(self.end_home)
        self.tap.ok("without a fault what is old goes", problems)
        return not problems

    def check(self, home):
        work = home.path / "work"
        problems = scene.check_store(home)
        problems += [f"steps: {s}" for s in [left(home)] if s != [(1, 1, 0, 0, 1), (1, 2, 0, 1, 1)]]
        problems += [f"still there: {p.name}" for p in (work / ".gone", work / "envoy/1") if p.exists()]
        return problems + ["the folder of an unknown job is gone"] * (not (work / "envoy/999").exists())

    def after_fault(self, home, acked):
        late(home, hours=LONG + 4)
        late(home, hours=LONG + 6)
        return self.check(home) or scene.recover(home, hours=LONG + 8)


if __name__ == "__main__":
    sys.exit(walk.main(KeepWalk))
