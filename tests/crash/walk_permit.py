#!/usr/bin/python3
"""SIGKILL while an agent asks for a permission and while it gets one.

    walk_permit.py named [EVERY]         the run dies at each CRASH_POINT that it reaches; where one is reached more than
                                         twice, every EVERY-th time between; at each name too, in whichever process
    walk_permit.py random N              the agent, or run and master in one, die at N random moments; a pass that was over
                                         before is made again. Kills under a real master: kills_agent.py

The agent is tests/peers/stub-agent as Claude Code. A mail asks for something that needs a yes: a line in a file. There are
three stages: the pass in which the agent asks; the pass in which the yes is taken in and used; the same with a no. Whatever died,
afterwards the owner, who says yes to whatever is asked (or no), has

 (1) one answer to the mail, by a job that is done;
 (2) no more lines in the file than yeses given, and with one yes or more at least one line;
 (3) after a no no line at all;
 (4) nothing that is owed, and a sound store.
"""
import os, random, shutil, signal, subprocess, sys
from collections import Counter
from pathlib import Path
import scene
from tap import Tap
from walk import some

ROOT = Path(__file__).resolve().parent.parent.parent
QUESTIONS = 12  # that the owner answers at most
LONGEST, LIFE = 30, 0.35  # seconds: of a pass; behind the appearance of whoever is killed

CONFIG = scene.CONFIG.replace("kind = command\ncommand = printf ok", """kind = claude
command = {agent}
env = STUB_SCRIPT={script}""").replace("max-attempts = 1000", "max-attempts = 1000\nallow = true")

# The line is written by the tool call alone, and the turn before it ends is long enough to be killed in.
SCRIPT = """bash true
bash echo line >>{lines}
result It is done.
---
bash echo line >>{lines}
result It is done.
---
bash echo line >>{lines}
result It is done.
---
bash echo line >>{lines}
result It is done.
"""


class World:
    """A home that is always at one path: an agent's session belongs to a folder."""

    def __init__(self, work):
        self.work = work
        self.home = scene.Home(work / "home")
        self.lines = work / "home" / "lines"

    def make(self):
        scene.make_home(self.home.path)
        agent = self.home.path / "agent"
        agent.write_text(f'#!/bin/sh\nexec {ROOT}/tests/peers/stub-agent --state {self.home.path}/stub "$@"\n')
        agent.chmod(0o755)
        script = self.home.path / "script"
        script.write_text(SCRIPT.format(lines=self.lines))
        (self.home.path / "postrider.conf").write_text(CONFIG.format(agent=agent, script=script))
        if not self.home.send("please"):
            raise RuntimeError("the mail was not sent")

    def keep(self, name):
        shutil.rmtree(self.work / name, ignore_errors=True)
        subprocess.run(["cp", "-a", self.home.path, self.work / name], check=True)

    def restore(self, name):
        shutil.rmtree(self.home.path, ignore_errors=True)
        subprocess.run(["cp", "-a", self.work / name, self.home.path], check=True)

    def open(self):
        return self.home.query("SELECT DISTINCT o.id FROM question q JOIN outbox o ON o.msgid = q.msgid "
                               "WHERE q.state = 'open'")

    def say(self, verb):
        """An order by mail to the newest question, not taken in yet."""
        (msgid,), = self.home.query("SELECT msgid FROM question ORDER BY id DESC LIMIT 1")
        mail = (f"From: you@postrider.local\nTo: envoy@postrider.local\nSubject: Re: x\nIn-Reply-To: <{msgid}>\n\n{verb}\n")
        done = self.home.run("sendmail", "-t", stdin=mail)
        if done.returncode:
            raise RuntimeError(done.stderr)

    def recover(self, verb):
        """Passes, and the owner's answer to whatever is asked, until the job is done."""
        for i in range(QUESTIONS):
            done = self.home.run("serve", "--once", hours=i)
            for (number,) in self.open():
                self.home.run(verb, str(number), hours=i)
            if done.returncode == 0 and not scene.owed(self.home):
                return []
        return [f"recovery: exit {done.returncode}: {done.stderr.strip()}", *scene.owed(self.home)]

    def check(self, verb):
        problems = self.recover(verb)
        lines = len(self.lines.read_text().splitlines()) if self.lines.exists() else 0
        (yeses,), = self.home.query("SELECT count(*) FROM question WHERE state = 'approved'")
        (used,), = self.home.query("SELECT count(*) FROM question WHERE state = 'approved' AND used_us IS NOT NULL")
        if lines > yeses or lines > used:
            problems.append(f"it ran {lines} times, after {yeses} yeses, of which {used} were used")
        if verb == "approve" and lines == 0:
            problems.append("it never ran")
        if verb == "reject" and lines:
            problems.append("it ran though nobody said yes")
        answers = [h for f, h in self.home.mails(scene.OWNER, but=("Sent", "Drafts")) if "Subject: Re: please" in h]
        if len(answers) != 1:
            problems.append(f"{len(answers)} answers")
        jobs = self.home.query("SELECT state FROM job")
        if jobs != [("done",)]:
            problems.append(f"jobs {jobs}")
        left = scene.left_behind(self.home)
        return problems + left + scene.check_store(self.home)


STAGES = (("asking", "approve"), ("granting", "approve"), ("refusing", "reject"))


def set_up(world):
    world.make()
    world.keep("asking")
    world.home.run("serve", "--once")
    world.say("APPROVE")
    world.keep("granting")
    world.restore("asking")
    world.home.run("serve", "--once")
    world.say("REJECT: no")
    world.keep("refusing")


def named(tap, world, every):
    for stage, verb in STAGES:
        world.restore(stage)
        points = world.work / "points"
        points.unlink(missing_ok=True)
        world.home.run("serve", "--once", env={"POSTRIDER_POINTS": str(points)})
        reached = points.read_text().split()
        tap.ok(f"{stage}: without a fault", world.check(verb))
        tap.ok(f"{stage}: reaches what it should", [p for p in {"granting": ["permit-before-use", "permit-used"]}.get(stage, [])
                                                    if p not in reached])
        for n in some(reached, every):
            point = reached[n - 1]
            if every > 1 and point not in reached[:n - 1]:
                continue  # dying at its name, below, is dying the first time
            world.restore(stage)
            world.home.run("serve", "--once", env={"POSTRIDER_DIE_AT": str(n)})
            problems = world.check(verb)
            if problems:
                tap.ok(f"{stage}: died at point {n}, {point}", problems)
        # A point by its name dies in whichever process reaches it, run and master alike.
        for point in sorted(set(reached)):
            world.restore(stage)
            world.home.run("serve", "--once", env={"POSTRIDER_DIE_AT": point})
            tap.ok(f"{stage}: died at each {point}", world.check(verb))


def agents(world):
    """Pids of the agent itself."""
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and b"stub-agent" in (entry / "cmdline").read_bytes() and \
               str(world.home.path).encode() in (entry / "environ").read_bytes():
                yield int(entry.name), "agent"
        except OSError:
            continue


def there(world, kind, child):
    """Pids. What the agent has started, its hook and its commands, is the agent's own affair: one that is killed alone is a
    call that failed, and the agent knows it."""
    if kind == "agent":
        return [pid for pid, _ in agents(world)]
    return [child.pid]


def kill_one(world, rng, child):
    """Gives who was hit; None: the pass was over. A while behind its appearance, which is a moment of its work."""
    kind = rng.choice(("agent", "master"))
    scene.until(lambda: child.poll() is not None or there(world, kind, child), LONGEST, 0.002)
    try:
        child.wait(rng.uniform(0, LIFE))
    except subprocess.TimeoutExpired:
        pass
    victims = there(world, kind, child) if child.poll() is None else []
    try:
        os.kill(rng.choice(victims), signal.SIGKILL) if victims else None
    except ProcessLookupError:
        return None
    return kind if victims else None


def at_random(tap, world, n):
    rng = random.Random(14)
    for stage, verb in STAGES:
        problems, killed, passes = [], Counter(), 0
        while killed.total() < -(-n // len(STAGES)) and passes < 5 * n:
            world.restore(stage)
            child = subprocess.Popen(world.home.command("serve", "--once"), stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                     env=os.environ | {"POSTRIDER_CLOCK": "+0"})
            what = kill_one(world, rng, child)
            child.wait()
            passes += 1
            if not what:
                continue
            killed[what] += 1
            problems += [f"kill {killed.total()}, {what}: {p}" for p in world.check(verb)]
        tap.ok(f"{stage}: killed at {killed.total()} random moments", problems)
        tap.diag(f"{stage}, killed in {passes} passes: {dict(killed)}")


def main():
    tap = Tap()
    with scene.scratch() as work:
        world = World(Path(work))
        set_up(world)
        if sys.argv[1] == "named":
            named(tap, world, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
        else:
            at_random(tap, world, int(sys.argv[2]))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
