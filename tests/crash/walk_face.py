#!/usr/bin/python3
"""The crash walk over a face that keeps rows, a view, a timer and a parked job of a role without a brain: tests/face.

    walk_face.py kill|errors|named|twice [EVERY]    as in walk.py

The stages are `serve --once` in which the guest comes and the desk parks; the pass that carries out an order of the
face; the one in which its timer is due; and the one that wakes the desk by its time. Afterwards the guest has stood in
the book once, the view shows what the store has and nothing was taken for a person's edit, both letters of the desk
have left once, and nothing is owed.
"""
import os, sys

os.environ["POSTRIDER_LIBEXEC"] = str(__import__("scene").tool("tests/face"))
import scene, walk

DESK = "desk"
HOURS = (0.1, 0.2, 0.5, 2)  # of the stages
CONFIG = scene.CONFIG + "\n[role desk]\nbrain = none\nmax-attempts = 1000\n"
SAID = ("Please wait.", "You stand in the book.", "Come in.")


def at(hours):
    def stage(home, **how):
        home.run("serve", "--once", **{"hours": hours, **how})
    return stage


def sign(home, msgid):
    home.run("send", "--to", DESK, "--in-reply-to", msgid, "--subject", "Re: visit", stdin="SIGN\n", hours=HOURS[0])


def said(home):
    """What the guest has read, in order of words; each should be there once."""
    texts = [p.read_text(errors="replace") for p in (home.path / "mail" / scene.OWNER).rglob("*")
             if p.parent.name in ("new", "cur") and p.parent.parent.name == scene.OWNER]
    return [sum(words in t for t in texts) for words in SAID]


def state(home):
    return home.query("SELECT j.state, g.state FROM job j JOIN guest g ON g.job = j.id")


class FaceWalk(walk.Walk):
    def make_stages(self):
        first = scene.make_home(self.work / "came")
        (first.path / "postrider.conf").write_text(CONFIG)
        done = first.run("send", "--to", DESK, "--subject", "visit", stdin="Good morning.\n")
        msgid = done.stdout.strip()
        stages = [walk.Stage("coming", first, [msgid], at(HOURS[0]))]
        for name, before, hours in zip(("order", "timer", "waking"), HOURS, HOURS[1:]):
            home = stages[-1].start.copy_to(self.work / name)
            at(before)(home)
            if name == "order":
                sign(home, msgid)
            stages.append(walk.Stage(name, home, [msgid], at(hours)))
        self.end_home = stages[-1].start.copy_to(self.work / "ended")
        at(HOURS[3])(self.end_home)
        return stages

    def works(self):
        problems = self.check(self.end_home)
        self.tap.ok("without a fault the guest is greeted, signs, waits and comes in", problems)
        return not problems

    def check(self, home):
        book = home.path / "guests/book.txt"
        problems = scene.check_store(home)
        problems += [f"job and guest: {s}" for s in [state(home)] if s != [("done", "signed")]]
        problems += [f"the guest has read {n} times '{words}'" for n, words in zip(said(home), SAID) if n != 1]
        problems += [f"the view says {book.read_text()!r}"] * (book.read_text() != "Guests:\n1 signed\n")
        problems += [f"kept as an edit: {p.name}" for p in home.path.glob("guests/*.edited-*")]
        problems += [f"a timer is left: {t}" for t in home.query("SELECT purpose, subject FROM timer")]
        problems += [f"a view is owed: {v}" for v in home.query("SELECT subject FROM view WHERE changed <> rendered")]
        return problems

    def after_fault(self, home, acked):
        """The guest, who has not signed yet, does."""
        if not home.query("SELECT 1 FROM outbox WHERE from_spec = 'you@postrider.local' AND subject = 'Re: visit'"):
            at(HOURS[0])(home)
            sign(home, acked[0])
        return scene.recover(home, hours=3) or self.check(home)


if __name__ == "__main__":
    sys.exit(walk.main(FaceWalk))
