#!/usr/bin/python3
"""The crash walk: lets "one mail in, one reply out" fail at every point, recovers, checks scene.py's rules.

    walk.py kill [EVERY]      SIGKILL at every system call that makes something last, in every process
    walk.py errors [EVERY]    the same calls fail: ENOSPC, then EIO; only that call, then all from there on
    walk.py named [EVERY]     the program dies at its own CRASH_POINTs: where each name is reached first, last, and every
                              EVERY-th time between
    walk.py twice [EVERY]     SIGKILL, then SIGKILL again at every point of the recovery; with EVERY from 50 on, the first
                              one at some of the points too
    walk.py live [EVERY]      SIGKILL, ENOSPC and EIO at every point of a serve that goes on: master, account, run,
                              deliver, brain; it must get over that by itself, unless it is the master that died
    walk.py word              a serve that goes on hands a job to its spare run: master or run dies at each named point
                              of that, and again each time it comes there

The stages of the path are send (or inject) and serve --once; and once more serve --once with a log of SQLite that
is about to be written back into the store, of which only the points near that are walked. EVERY takes each
EVERY-th point only, spread over all of them. With SOAK_SECONDS set, a walk that is not through after twice that
time ends there and says how far it came.
"""
import contextlib, hashlib, itertools, os, re, signal, subprocess, sys, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import scene
from tap import Tap

WORKERS = max(2, os.cpu_count() or 1)
NEAR = 20  # points
FEW_UNREACHED = 0.05  # of the points, or one of few: a pass may do with a delivery or two less, as processes meet
WORD_POINTS = ("spare-waits", "spare-before-word", "spare-after-word", "spare-begins")
LIVE_SECONDS = 60  # more than any wait of a part that died before it is started again
FAULT = str(scene.tool("tests/crash/fault"))
FAULTS = {"kill": "--at {}=kill", "ENOSPC": "--at {}=ENOSPC", "EIO": "--at {}=EIO",
          "full disk": "--from {}=ENOSPC", "dying disk": "--from {}=EIO"}


class Stage:
    """One command of the path, the home it starts from, and the mails that were acknowledged before."""

    def __init__(self, name, start, acked, run):
        self.name, self.start, self.acked, self.run = name, start, acked, run

    def attempt(self, home, **how):
        """Runs the command; gives the ids that are acknowledged now."""
        msgid = self.run(home, **how)
        return self.acked + ([msgid] if msgid else [])


def inject(home, **how):
    done = home.run("inject", "--role", scene.ROLE, "--subject", "hello", stdin="hello\n", **how)
    found = re.search(r"<(\S+)>", done.stdout)
    return found[1] if done.returncode == 0 and found else None


def serve_once(home, **how):
    home.run("serve", "--once", **how)


def serve_live(home, before=(), env=None, began=None):
    """serve until nothing is owed or the master is gone; then all are asked to end. Gives what is wrong with that.
    began: is called when it has begun."""
    problems = []
    fault = subprocess.Popen([*before, *home.command("serve")], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, env=os.environ | {"POSTRIDER_LOG": "error"} | (env or {}))
    if began:
        began()

    def is_over():
        masters = [pid for pid, what in scene.processes(home) if what == "serve"]
        return fault.poll() is not None or (not scene.owed(home) if masters else has_begun(home))

    if not scene.until(is_over, LIVE_SECONDS):
        problems.append(f"not done after {LIVE_SECONDS} s: {scene.owed(home)}")
    while fault.poll() is None:
        for pid, what in scene.processes(home):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            fault.wait(1)
    return problems


def has_begun(home):
    """A master that is gone has been there: its name is in its lock file."""
    return (home.path / "state/master.lock").exists() and (home.path / "state/master.lock").read_text() != ""


class Walk:
    def __init__(self, tap, work):
        self.tap, self.work = tap, Path(work)
        self.numbers = itertools.count()
        limit = os.environ.get("SOAK_SECONDS")
        self.end = time.monotonic() + 2 * float(limit) if limit else None
        self.stages = list(self.make_stages())
        self.unreached = 0

    def make_stages(self):
        fresh = scene.make_home(self.work / "fresh")
        queued = fresh.copy_to(self.work / "queued")
        msgid = queued.send()
        long_log = queued.copy_to(self.work / "long-log")
        scene.fill_log(long_log)
        return (Stage("send", fresh, [], scene.Home.send), Stage("inject", fresh, [], inject),
                Stage("serve", queued, [msgid], serve_once), Stage("checkpoint", long_log, [msgid], serve_once))

    def after_fault(self, home, acked):
        """Recovers; gives what is wrong then."""
        return scene.after_fault(home, acked, at_most=1)

    def new_home(self, start):
        return start.copy_to(self.work / f"home-{next(self.numbers)}")

    def drop(self, home):
        scene.shutil.rmtree(home.path, ignore_errors=True)

    def points(self, start, run):
        """What a run without a fault passes: a list of (call, what it is about)."""
        home = self.new_home(start)
        log = home.path.with_suffix(".points")
        run(home, before=[FAULT, "--log", str(log)])
        self.drop(home)
        return [tuple(line.split(" ", 3)[2:]) for line in log.read_text().splitlines()]

    def works(self):
        """A path that does not even work without faults would pass few points, and prove nothing."""
        problems = []
        for stage in self.stages:
            home = self.new_home(stage.start)
            acked = stage.attempt(home)
            if len(acked) != 1:
                problems.append(f"{stage.name}: no mail is acknowledged")
            elif stage.run is serve_once:
                problems += [f"{stage.name}: {p}" for p in scene.check_mails(home, acked)]
            self.drop(home)
        self.tap.ok("without a fault the mail is answered", problems)
        return not problems

    def over(self):
        return self.end and time.monotonic() > self.end

    def every(self, what, tries, attempt):
        """Runs attempt(try) for all tries, some at a time; gives how many, and the problems by try."""
        done, problems = 0, []
        with ThreadPoolExecutor(WORKERS) as pool:
            for name, found in pool.map(lambda t: (t, None) if self.over() else (t, attempt(*t)), tries):
                done += found is not None
                problems += [f"{' '.join(map(str, name))}: {p}" for p in found or ()]
        if done < len(tries):
            self.tap.diag(f"{what}: {done} of {len(tries)} in the time")
        return done, problems

    def fault(self, stage, what):
        """One try: a function of the point's number and description."""
        def attempt(n, call, about):
            home = self.new_home(stage.start)
            log = home.path.with_suffix(".log")
            acked = stage.attempt(home, before=[FAULT, "--log", str(log), *FAULTS[what].format(n).split()])
            problems = self.after_fault(home, acked)
            self.unreached += len(log.read_text().splitlines()) < n
            self.drop(home)
            log.unlink()
            return problems
        return attempt

    def tries(self, stage):
        """(number, call, what it is about) of the points of a stage that are worth a walk."""
        points = [(n, *point) for n, point in enumerate(self.points(stage.start, stage.run), 1)]
        if stage.name != "checkpoint":
            return points
        back = [n for n, _, about in points if about.endswith("/postrider.db")]
        return [p for p in points if back[0] - NEAR <= p[0] <= back[-1] + NEAR]

    def walk(self, what, every):
        total = 0
        for stage in self.stages:
            tries = self.tries(stage)
            self.unreached = 0
            done, problems = self.every(stage.name, tries[every // 2::every], self.fault(stage, what))
            if self.unreached > max(1, FEW_UNREACHED * done):
                problems.append(f"{self.unreached} points were not reached")
            self.tap.ok(f"{what} at {done} points of {stage.name}: nothing lost, nothing doubled", problems)
            total += done
        self.tap.diag(f"{what}: {total} points")

    def named(self, stage, n):
        """Dies at the n-th named point; gives its name and the problems, or None when there is no n-th."""
        home = self.new_home(stage.start)
        points = home.path.with_suffix(".named")
        acked = stage.attempt(home, env={"POSTRIDER_DIE_AT": str(n), "POSTRIDER_POINTS": str(points)})
        reached = points.read_text().split() if points.exists() else []
        problems = self.after_fault(home, acked) if len(reached) >= n else None
        self.drop(home)
        return None if problems is None else (reached[-1], problems)

    def names(self, stage):
        """The named points that a run without a fault reaches, in their order."""
        home = self.new_home(stage.start)
        points = home.path.with_suffix(".names")
        stage.attempt(home, env={"POSTRIDER_POINTS": str(points)})
        self.drop(home)
        return points.read_text().split()

    def walk_named(self, every):
        total, names = 0, set()
        for stage in self.stages:
            problems, numbers = [], some(self.names(stage), every)
            with ThreadPoolExecutor(WORKERS) as pool:
                walked = [found for found in pool.map(lambda n: self.named(stage, n), numbers) if found]
            for name, found in walked:
                names.add(name)
                problems += [f"{name}: {p}" for p in found]
            if len(walked) < len(numbers) * (1 - FEW_UNREACHED) - 1:
                problems.append(f"{len(numbers) - len(walked)} points were not reached")
            total += len(walked)
            self.tap.ok(f"dying at {len(walked)} named points of {stage.name}: nothing lost, nothing doubled", problems)
        self.tap.diag(f"named points: {total}, {len(names)} names: {' '.join(sorted(names))}")

    def first_faults(self, every):
        """One home for each state that a SIGKILL can leave, at every EVERY-th point; two homes that differ in times only are one."""
        def attempt(stage, n):
            home = self.new_home(stage.start)
            acked = stage.attempt(home, before=[FAULT, "--at", f"{n}=kill"])
            return state_of(home), (f"{stage.name} {n}", home, acked)

        found = {}
        with ThreadPoolExecutor(WORKERS) as pool:
            stages, numbers = zip(*[(stage, t[0]) for stage in self.stages for t in self.tries(stage)[every // 2::every]])
            for state, left in pool.map(attempt, stages, numbers):
                if found.setdefault(state, left) is not left:
                    self.drop(left[1])
        return list(found.values())

    def walk_twice(self, every):
        tries = []
        for i, (first, start, acked) in enumerate(self.first_faults(1 + every // 50)):
            points = self.points(start, serve_once)
            tries += [(first, m, call, start, acked)
                      for m, (call, _) in enumerate(points, 1) if (m + i) % every == 0]
        tries.sort(key=lambda t: t[1])  # all states early, should the time not suffice for all pairs

        def attempt(first, m, call, start, acked):
            home = self.new_home(start)
            serve_once(home, before=[FAULT, "--at", f"{m}=kill"], hours=1)
            problems = self.after_fault(home, acked)
            self.drop(home)
            return problems

        done, problems = self.every("pairs", tries, attempt)
        states = len({t[0] for t in tries})
        self.tap.ok(f"kill, and kill again in the recovery: {states} states, {done} pairs", problems)


    def walk_live(self, every):
        _, _, stage, _ = self.stages
        points = self.points(stage.start, serve_live)
        for what in ("kill", "ENOSPC", "EIO"):
            def attempt(n, call, about):
                home = self.new_home(stage.start)
                problems = serve_live(home, before=[FAULT, *FAULTS[what].format(n).split()])
                problems += self.after_fault(home, stage.acked)
                self.drop(home)
                return problems

            tries = [(n, *point) for n, point in enumerate(points, 1)][every // 2::every]
            done, problems = self.every("live", tries, attempt)
            self.tap.ok(f"{what} at {done} points of a living serve: nothing lost, nothing doubled", problems)


    def walk_word(self, every):
        def attempt(name):
            home, acked = self.new_home(self.stages[0].start), []
            points = home.path.with_suffix(".word")

            def reached(name):
                return points.exists() and name in points.read_text().split()

            def mail_for_the_spare():
                if not scene.until(lambda: reached("spare-waits"), LIVE_SECONDS):
                    problems.append("no run waits")
                acked.append(home.send())
                if not scene.until(lambda: reached(name), LIVE_SECONDS):
                    problems.append("was not reached")

            problems = []
            env = {"POSTRIDER_DIE_AT": name, "POSTRIDER_POINTS": str(points)}
            problems += serve_live(home, env=env, began=mail_for_the_spare)
            for pid, _ in scene.processes(home):
                os.kill(pid, signal.SIGTERM)
            problems += scene.left_behind(home)
            problems += self.after_fault(home, acked)
            self.drop(home)
            return problems

        done, problems = self.every("word", [(name,) for name in WORD_POINTS], attempt)
        self.tap.ok(f"dying at {done} named points around the word to the spare run: nothing lost, nothing doubled", problems)


def some(names, every):
    """The numbers, from 1, of those that are walked: where a name stands first, last, and every EVERY-th time."""
    times, last = {}, {name: n for n, name in enumerate(names, 1)}
    for n, name in enumerate(names, 1):
        times.setdefault(name, []).append(n)
    return sorted(n for name, ns in times.items() for i, n in enumerate(ns) if i % every == 0 or n == last[name])


def state_of(home):
    """A digest of what is on disk, without what differs from run to run."""
    tables = ("message", "job", "step", "outbox", "delivery", "effect", "timer", "meta", "money", "unbooked", "asking", "brain", "account", "told", "suspect", "missed")
    lines = [str(f.relative_to(home.path)) for f in sorted(home.path.rglob("*"))]
    lines += [f"mark {(home.path / 'state/deliver.mark').read_text()[:1]}"
              for _ in range((home.path / "state/deliver.mark").exists())]
    for table in tables:
        lines += [f"{table} {row}" for row in home.query(f"SELECT * FROM {table}")]
    text = re.sub(r"\d{6,}", "N", "\n".join(lines))
    text = re.sub(r"P\d+Q", "PQ", re.sub(r"[a-z2-7]{26,}", "TAG", text))
    text = re.sub(r"b'.*?'|\b\d{3,}\b", "", text)  # digests, pids and sizes
    return hashlib.sha256(text.encode()).hexdigest()


WALKS = {"kill": lambda walk, every: walk.walk("kill", every),
         "errors": lambda walk, every: [walk.walk(f, every) for f in FAULTS if f != "kill"],
         "named": Walk.walk_named,
         "twice": Walk.walk_twice,
         "live": Walk.walk_live,
         "word": Walk.walk_word}


def main(kind=Walk):
    if sys.argv[1:2] == [] or sys.argv[1] not in WALKS:
        sys.exit(__doc__)
    tap = Tap()
    with scene.scratch() as work:
        walk = kind(tap, work)
        if walk.works():
            WALKS[sys.argv[1]](walk, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
