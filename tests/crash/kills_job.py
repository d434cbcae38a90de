#!/usr/bin/python3
"""A job of 24 steps, and SIGKILL at so many random moments.

    kills_job.py [KILLS [SEED]]

A moment is something that happens (the master begins; an account, run or deliver appears; the job is claimed, takes
a step, parks) and a few random milliseconds. The victim is whoever appeared, the master, an account, a run, a
deliver, or all of them at once. A job that is ahead of its share of the kills is hit early and hard, and rests
when it is far ahead; one that is behind has more time, so that the kills are spread over all its steps. Between two kills the counts of the store are
read: they never go down. At the end the rules of job.py hold. The seed is printed; timing is not repeatable, the
choices are.
"""
import os, random, signal, subprocess, sys, time
from collections import Counter
from pathlib import Path

import job, scene
from tap import Tap

STEPS, MAIL_EVERY, STEPS_PER_RUN = 24, 3, 2
KILLS = 100
EVENT_SECONDS = 0.3  # a moment that does not come is any moment
AFTER_MS, AFTER_MS_AHEAD = 40, 5  # the most that is waited behind the event
ALL_SHARE, ALL_SHARE_AHEAD, OWN_SHARE = 0.15, 0.9, 0.5
FAR_AHEAD = 4  # steps
EARLY = ("the master begins", "account appears", "run appears", "run appears", "deliver appears", "fence grows")
LATER = ("deliver appears", "deliver appears", "steps grows", "checkpoints grows")
SHORT_MS = {"deliver appears": 3, "fence grows": 2}  # what follows is soon over
END_SECONDS = 60
PARTS = ("serve", "account", "run", "deliver")


class Attack:
    def __init__(self, home, log, kills, dice):
        self.home, self.log, self.kills, self.dice = home, log, kills, dice
        self.master, self.hours, self.starts = None, 1, 0
        self.killed, self.moments, self.problems = Counter(), Counter(), []
        self.last, self.old, self.ahead, self.parked = {}, set(), False, False
        self.hits, self.ended = 0, []

    # --- the master ---

    def keep_alive(self):
        if self.master and self.master.poll() is None:
            return
        env = os.environ | {"POSTRIDER_CLOCK": f"+{int(self.hours * scene.HOUR)}"}
        self.master = subprocess.Popen(self.home.command("serve"), stdin=subprocess.DEVNULL, stdout=self.log,
                                       stderr=self.log, env=env, start_new_session=True)
        self.starts += 1

    def is_master(self):
        return self.home.is_master(self.master)

    # --- moments ---

    def children(self):
        """(pid, what) of the master's own: much faster than to look at all processes."""
        task = Path(f"/proc/{self.master.pid}/task/{self.master.pid}/children")
        for pid in task.read_text().split() if task.exists() else ():
            try:
                args = Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace").split("\0")
            except OSError:
                continue
            yield int(pid), next((a for a in args if a in PARTS), "other")

    def appeared(self, part):
        """The newest one: an account that is there since a while does not count."""
        return next((pid for pid, what in self.children() if what == part and pid not in self.old), None)

    def grew(self, count):
        return self.home.query(job.COUNTS[count])[0][0] > self.last[count]

    def comes(self, event):
        """What the moment is about, once it is there."""
        what, verb = event.rsplit(" ", 1)
        if verb == "begins":
            return self.is_master()
        return self.appeared(what) if verb == "appears" else self.grew(what)

    def wait_for_moment(self):
        """Gives the process that has appeared, if the moment is that."""
        event = self.dice.choice(EARLY if self.ahead else EARLY + LATER)
        after = self.dice.uniform(0, SHORT_MS.get(event, AFTER_MS_AHEAD if self.ahead else AFTER_MS)) / 1000
        end = time.monotonic() + EVENT_SECONDS
        while not (come := self.comes(event)) and time.monotonic() < end and not self.rests():
            time.sleep(0.0005)  # as fine as it can be looked for
        self.moments[event if come else "any"] += 1
        time.sleep(after)  # the moment itself
        return come if event.endswith("appears") else None

    def rests(self):
        """Nothing will happen until the clock is moved."""
        return self.parked and self.is_master() and any(what == "account" for _, what in self.children())

    # --- kills ---

    def victims(self, about):
        """Whoever appeared: at once, before it is gone. Else kinds are equally likely, however many there are of each."""
        if about and self.dice.random() < (OWN_SHARE if not self.ahead else OWN_SHARE / 2):
            return [v for v in self.children() if v[0] == about]
        there = list(scene.processes(self.home))
        if self.dice.random() < (ALL_SHARE_AHEAD if self.ahead else ALL_SHARE):
            self.killed["all at once"] += bool(there)
            return there
        kind = self.dice.choice(sorted({what for _, what in there}) or [None])
        return [self.dice.choice([v for v in there if v[1] == kind])] if kind else []

    def kill(self, about):
        """Gives whether somebody was hit."""
        hit = 0
        for pid, what in self.victims(about):
            try:
                os.kill(pid, signal.SIGKILL)
                self.killed[what] += 1
                hit += 1
            except ProcessLookupError:
                pass
            if pid == self.master.pid:
                self.master.wait()
        return hit > 0

    def run(self):
        self.last = job.counts(self.home)
        while self.hits < self.kills and job.state(self.home) != "done":
            self.keep_alive()
            self.hits += self.kill(self.wait_for_moment())
            now = job.counts(self.home)
            self.problems += [f"after kill {self.hits}: {p}" for p in job.shrunk(self.last, now)]
            self.last = now
            self.old = {pid for pid, _ in scene.processes(self.home)}
            share = STEPS * self.hits / self.kills
            self.ahead = now["steps"] > share
            far = min(share + FAR_AHEAD, STEPS - 2 * STEPS_PER_RUN - 1)  # it should not end before the last kill
            self.parked = now["steps"] > far and job.state(self.home) == "parked"
            self.hours += 0.1 if self.parked else job.PAUSE  # for the next master, not for what survives of this one

    def end(self):
        """A last master adopts what is left, and ends it."""
        self.keep_alive()
        status = self.home.stop_master(self.master, END_SECONDS)
        left = scene.left_behind(self.home)
        return left + ([f"exit {status}"] if status else [])


def undisturbed(start, work):
    home = start.copy_to(Path(work) / "undisturbed")
    problems = job.finish(home, hours=1)
    return job.snapshot(home), problems + job.check_checkpoints(home)


def attack_all(start, log, kills, dice, work):
    """A job that ends before its last kill is followed by another one; gives all attacks."""
    attacks = []
    while (left := kills - sum(a.hits for a in attacks)) > 0:
        attacks.append(Attack(start.copy_to(Path(work) / f"job-{len(attacks)}"), log, left, dice))
        attacks[-1].run()
        attacks[-1].ended = attacks[-1].end()
    return attacks


def run(tap, kills, dice, work):
    start = job.make_home(Path(work) / "home", STEPS, MAIL_EVERY, STEPS_PER_RUN)
    if not start.send("a long task"):
        raise RuntimeError("the task is refused")
    want, problems = undisturbed(start, work)
    tap.ok(f"undisturbed, the job takes {STEPS} steps",
           problems + ([] if want["job"] == [("done", 1, STEPS, STEPS)] else [str(want["job"])]))
    with open(Path(work) / "serve.log", "w+b") as log:
        began = time.monotonic()
        attacks = attack_all(start, log, kills, dice, work)
        took = time.monotonic() - began
        killed = sum((a.killed for a in attacks), Counter())
        tap.ok(f"SIGKILL at {kills} random moments of {len(attacks)} of them",
               [f"no {part} was hit" for part in PARTS[:3] if not killed[part]])
        tap.ok("counts of steps and all others never went down", [p for a in attacks for p in a.problems])
        tap.ok("the last master stops cleanly", [p for a in attacks for p in a.ended])
        tap.ok("the job comes to its end", [p for a in attacks for p in job.finish(a.home, a.hours + job.PAUSE)])
        tap.ok("same notes, one mail for each that was meant, same steps; doctor is content",
               [p for a in attacks for p in job.check(a.home, want)])
        tap.diag(f"killed: {dict(killed)}; masters: {sum(a.starts for a in attacks)}; {took:.1f} s")
        tap.diag(f"moments: {dict(sum((a.moments for a in attacks), Counter()))}")
        if tap.failed:
            log.seek(0)
            tap.diag(b"".join(log.readlines()[-40:]).decode("utf-8", "replace"))


def main():
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else KILLS
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 32)
    tap = Tap()
    tap.diag(f"seed {seed}")
    with scene.scratch() as work:
        run(tap, kills, random.Random(seed), work)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
