#!/usr/bin/python3
"""The crash walk over a briefing: it is sent, answered once, then twice, and once by hand.

    walk_briefing.py kill|errors|named|twice [EVERY]    as in walk.py
    walk_briefing.py full [EVERY]    the disk is full from a call on that writes a file of the briefing, its memory, or the store

The stages are `briefing send`; `serve --once` in which the first reply is recorded and answered; the pass with two more
replies; and `respond` by hand. Afterwards the briefing has arrived once, each reply was answered once, thread.md has
every section and is what `rebuild` makes of the store, nothing was taken for a person's edit, and nothing is owed.
"""
import re, sys

import scene, walk

DATE = "2026-02-09"
CONFIG = scene.CONFIG.replace("command = printf ok", "command = printf Answer.") + """
[role carlton]
name = Carlton
brain = default
max-attempts = 1000
"""
BRIEFING = "# Good morning\n\n* 09:00 budget\n"
REPLIES = ("first words", "second words", "third words", "fourth words")
BY_HAND = "Written by hand."


def send(home, **how):
    home.run("briefing", "send", DATE, "-", stdin=BRIEFING, **how)


def turn(home, **how):
    home.run("serve", "--once", **how)


def respond(home, **how):
    home.run("respond", DATE, "-", stdin=BY_HAND + "\n", **how)


def reply(home, text):
    home.run("send", "--to", "carlton", "--in-reply-to", f"<carlton-{DATE}@carlton.local>", "--subject", "Re: Good morning",
             stdin=text + "\n")


def lock(home):
    """Somebody's own lock: the reply is recorded, and no agent begins."""
    (home.path / "reports" / DATE / "responses/.processing").write_text("mine\n")


def letters(home):
    """What the owner has read, without the quotes of a footer."""
    return [p.read_text(errors="replace") for p in (home.path / "mail" / scene.OWNER).rglob("*")
            if p.parent.name in ("new", "cur") and p.parent.parent.name == scene.OWNER]


def whole(thread, date=DATE):
    """What is wrong with a thread.md at any moment: it begins with its title and ends with a line; replies are numbered without
    a gap, each answered one is followed by its response, each section has its text."""
    problems = ["the title is not there"] * (not thread.startswith(f"# Carlton Thread — {date}\n\n## Briefing Sent ("))
    problems += ["its end is not there"] * (not thread.endswith("\n"))
    numbers = [int(n) for n in re.findall(r"^## (?:NEW )?Reply #(\d+) \(.*\)$", thread, re.M)]
    problems += [f"replies {numbers}"] * (numbers != list(range(1, len(numbers) + 1)))
    answered = [int(n) for line in re.findall(r"^## Response to Reply (.*)$", thread, re.M) for n in re.findall(r"#(\d+)", line)]
    settled = [int(n) for n in re.findall(r"^## Reply #(\d+) ", thread, re.M)]
    problems += [f"answered {sorted(answered)}, without a mark {settled}"] * (sorted(answered) != settled)
    problems += ["a section is empty"] * bool(re.search(r"^## .*\n(\n|\Z)", thread, re.M))
    return problems


def check(home, replies):
    """What must be true when all is over; replies: their texts."""
    folder = home.path / "reports" / DATE
    thread = (folder / "thread.md").read_text()
    problems = scene.check_store(home) + whole(thread)
    texts = letters(home)
    briefings = sum(f"Message-ID: <carlton-{DATE}@carlton.local>" in t for t in texts)
    problems += [f"the briefing arrived {briefings} times"] * (briefings != 1)
    responses = home.query("SELECT n FROM report_response ORDER BY n")
    answers = sum("\nAnswer." in t or f"\n{BY_HAND}" in t for t in texts)
    problems += [f"{answers} answers for {len(responses)} responses"] * (answers != len(responses))
    bad = home.query("SELECT n FROM report_reply WHERE settled = 0 OR settled NOT IN (SELECT n FROM report_response)")
    problems += [f"reply {n} is not answered" for (n,) in bad]
    problems += [f"{thread.count(t)} times '{t}' in thread.md" for t in replies
                 if len(re.findall(f"^{t}$", thread, re.M)) != 1]
    problems += ["a mark is left"] * ("## NEW" in thread)
    problems += [f"{p.name} is there" for p in folder.rglob("*") if ".edited-" in p.name or p.name == ".processing"]
    problems += [f"a view is owed: {v}" for v in home.query("SELECT subject FROM view WHERE changed <> rendered")]
    done = home.run("briefing", "rebuild", DATE)
    problems += [f"rebuild: {done.stderr}"] * (done.returncode != 0)
    problems += ["rebuild gives other bytes"] * ((folder / "thread.md").read_text() != thread)
    return problems


def sent(home):
    return home.query("SELECT count(*) FROM report_reply")[0][0]


class BriefingWalk(walk.Walk):
    def make_stages(self):
        first = scene.make_home(self.work / "made")
        self.settings(first)
        stages = [walk.Stage("send", first, [], send)]
        for name, run, before in (("reply", turn, lambda h: reply(h, REPLIES[0])),
                                  ("two replies", turn, lambda h: [reply(h, t) for t in REPLIES[1:3]]),
                                  ("by hand", respond, lambda h: (reply(h, REPLIES[3]), lock(h), turn(h)))):
            last = stages[-1]
            home = last.start.copy_to(self.work / name.replace(" ", "-"))
            last.run(home)
            before(home)
            stages.append(walk.Stage(name, home, [], run))
        self.end_home = stages[-1].start.copy_to(self.work / "ended")
        respond(self.end_home)
        return stages

    def settings(self, home):
        (home.path / "postrider.conf").write_text(CONFIG)

    def works(self):
        problems = self.after_fault(self.end_home, [])
        self.tap.ok("without a fault each reply is answered once", problems)
        return not problems

    def after_fault(self, home, acked):
        """What was not said yet is said: the briefing, and the answer that a person wanted to write."""
        (home.path / "reports" / DATE / "responses/.processing").unlink(missing_ok=True)
        if not home.query("SELECT 1 FROM part WHERE face = 'report'") or not home.query("SELECT 1 FROM report"):
            send(home)
        return scene.recover(home, hours=3) or check(home, REPLIES[:sent(home)])


class FullWalk(BriefingWalk):
    """The agent writes memory.txt too. What it could not write there is its own loss; nothing else is."""
    LIKES = "likes tea"

    def settings(self, home):
        agent = home.path / "scripts/agent"
        agent.write_text(f"#!/bin/sh\ncat >/dev/null\necho {self.LIKES} >>reports/memory.txt\nprintf Answer.\n")
        agent.chmod(0o755)
        (home.path / "postrider.conf").write_text(CONFIG.replace("command = printf Answer.", "command = scripts/agent"))

    def works(self):
        written = (self.end_home.path / "reports/memory.txt").read_text().count(self.LIKES)
        self.tap.ok("without a fault memory.txt has a line of each turn", [f"{written} lines"] * (written != 2))
        return super().works()

    def tries(self, stage):
        points = super().tries(stage)
        files = [n for n, call, about in points if "/reports/" in about and not call.startswith("mkdir")]
        return [p for p in points if p[0] in files or (files[0] < p[0] < files[-1] and p[2].endswith("-wal"))]

    def after_fault(self, home, acked):
        problems = super().after_fault(home, acked)
        note = home.run("note", "get", "reports/memory").stdout
        file = (home.path / "reports/memory.txt").read_text() if (home.path / "reports/memory.txt").exists() else ""
        problems += [f"memory.txt is {file!r}, the note {note!r}"] * (file.strip() != note.strip())
        return problems + [f"memory: {line}" for line in file.splitlines() if line != self.LIKES]


if __name__ == "__main__":
    full = sys.argv[1:2] == ["full"]
    walk.WALKS["full"] = lambda w, every: w.walk("full disk", every)
    sys.exit(walk.main(FullWalk if full else BriefingWalk))
