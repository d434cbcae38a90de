#!/usr/bin/python3
"""The crash walk: lets "one mail in, one reply out" fail at every point, recovers, checks scene.py's rules.

    walk.py kill [EVERY]      SIGKILL at every system call that makes something last, in every process
    walk.py errors [EVERY]    the same calls fail: ENOSPC, then EIO; only that call, then all from there on
    walk.py named             the program dies at its own CRASH_POINTs
    walk.py twice [EVERY]     SIGKILL, then SIGKILL again at every point of the recovery

The stages of the path are send (or inject) and serve --once; the latter once more with a log of SQLite that is
about to be written back into the store. EVERY takes each EVERY-th point only, spread over all of them. With SOAK_SECONDS set, a walk that is not
through after that time ends there and says how far it came.
"""
import hashlib, itertools, os, re, sys, tempfile, time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import scene
from tap import Tap

WORKERS = max(2, os.cpu_count() or 1)
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


class Walk:
    def __init__(self, tap, work):
        self.tap, self.work = tap, Path(work)
        self.numbers = itertools.count()
        limit = os.environ.get("SOAK_SECONDS")
        self.end = time.monotonic() + float(limit) if limit else None
        fresh = scene.make_home(self.work / "fresh")
        queued = fresh.copy_to(self.work / "queued")
        msgid = queued.send()
        long_log = queued.copy_to(self.work / "long-log")
        scene.fill_log(long_log)
        self.stages = [Stage("send", fresh, [], scene.Home.send), Stage("inject", fresh, [], inject),
                       Stage("serve", queued, [msgid], serve_once),
                       Stage("checkpoint", long_log, [msgid], serve_once)]

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
            problems = scene.after_fault(home, acked, at_most=1)
            if len(log.read_text().splitlines()) < n:
                problems.append("the point was not reached")
            self.drop(home)
            log.unlink()
            return problems
        return attempt

    def walk(self, what, every):
        total = 0
        for stage in self.stages:
            tries = [(n, *point) for n, point in enumerate(self.points(stage.start, stage.run), 1)]
            done, problems = self.every(stage.name, tries[every // 2::every], self.fault(stage, what))
            self.tap.ok(f"{what} at {done} points of {stage.name}: nothing lost, nothing doubled", problems)
            total += done
        self.tap.diag(f"{what}: {total} points")

    def named(self, stage, n):
        """Dies at the n-th named point; gives its name and the problems, or None when there is no n-th."""
        home = self.new_home(stage.start)
        points = home.path.with_suffix(".named")
        acked = stage.attempt(home, env={"POSTRIDER_DIE_AT": str(n), "POSTRIDER_POINTS": str(points)})
        reached = points.read_text().split() if points.exists() else []
        problems = scene.after_fault(home, acked, at_most=1) if len(reached) >= n else None
        self.drop(home)
        return None if problems is None else (reached[-1], problems)

    def walk_named(self):
        total, names = 0, set()
        for stage in self.stages:
            problems = []
            with ThreadPoolExecutor(WORKERS) as pool:
                ahead = deque(pool.submit(self.named, stage, n) for n in range(1, WORKERS + 1))
                for n in itertools.count(WORKERS + 1):
                    found = ahead.popleft().result()
                    if not found:
                        break
                    total += 1
                    names.add(found[0])
                    problems += [f"{found[0]}: {p}" for p in found[1]]
                    ahead.append(pool.submit(self.named, stage, n))
            self.tap.ok(f"dying at each named point of {stage.name}: nothing lost, nothing doubled", problems)
        self.tap.diag(f"named points: {total}, {len(names)} names: {' '.join(sorted(names))}")

    def first_faults(self):
        """One home for each state that a SIGKILL can leave; two homes that differ in times only are one."""
        found = {}
        for stage in self.stages:
            for n in range(1, len(self.points(stage.start, stage.run)) + 1):
                home = self.new_home(stage.start)
                acked = stage.attempt(home, before=[FAULT, "--at", f"{n}=kill"])
                state = state_of(home)
                if state in found:
                    self.drop(home)
                else:
                    found[state] = (stage.name, n, home, acked)
        return list(found.values())

    def walk_twice(self, every):
        tries = []
        for i, (name, n, start, acked) in enumerate(self.first_faults()):
            points = self.points(start, serve_once)
            tries += [(f"{name} {n}", m, call, start, acked)
                      for m, (call, _) in enumerate(points, 1) if (m + i) % every == 0]
        tries.sort(key=lambda t: t[1])  # all states early, should the time not suffice for all pairs

        def attempt(first, m, call, start, acked):
            home = self.new_home(start)
            serve_once(home, before=[FAULT, "--at", f"{m}=kill"], hours=1)
            problems = scene.after_fault(home, acked, at_most=1)
            self.drop(home)
            return problems

        done, problems = self.every("pairs", tries, attempt)
        states = len({t[0] for t in tries})
        self.tap.ok(f"kill, and kill again in the recovery: {states} states, {done} pairs", problems)


def state_of(home):
    """A digest of what is on disk, without what differs from run to run."""
    tables = ("message", "job", "step", "outbox", "delivery", "effect", "timer", "meta")
    lines = [str(f.relative_to(home.path)) for f in sorted(home.path.rglob("*"))]
    lines += [f"mark {(home.path / 'state/deliver.mark').read_text()[:1]}"
              for _ in range((home.path / "state/deliver.mark").exists())]
    for table in tables:
        lines += [f"{table} {row}" for row in home.query(f"SELECT * FROM {table}")]
    text = re.sub(r"\d{6,}", "N", "\n".join(lines))
    text = re.sub(r"P\d+Q", "PQ", re.sub(r"[a-z2-7]{26,}", "TAG", text))
    text = re.sub(r"b'.*?'|\b\d{3,}\b", "", text)  # digests, pids and sizes
    return hashlib.sha256(text.encode()).hexdigest()


def main():
    what, every = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
    tap = Tap()
    with tempfile.TemporaryDirectory() as work:
        walk = Walk(tap, work)
        if what == "kill":
            walk.walk("kill", every)
        elif what == "errors":
            for fault in ("ENOSPC", "EIO", "full disk", "dying disk"):
                walk.walk(fault, every)
        elif what == "named":
            walk.walk_named()
        elif what == "twice":
            walk.walk_twice(every)
        else:
            sys.exit(__doc__)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
