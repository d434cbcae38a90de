#!/usr/bin/python3
"""SIGKILL of agent, run, master and what the agent has started, at so many random moments, under a real master.

    kills_agent.py [KILLS [SEED]]

The agent is tests/peers/stub-agent as Claude Code. There are three roles: `plain` starts daemons, waits for a shell, and
answers, and is written to once more when it has; `yes` and `no` want to write a line into a file, which the owner grants and refuses. Mails come as fast as they are
answered. A kill waits until somebody of its kind is there, and then for a random while; only one that hit counts, and kinds are
hit equally often. Afterwards

 (1) each mail that was acknowledged has one answer, and nothing is owed;
 (2) a job of `yes` has written at least one line, unless its own shell or hook was hit, and never more than the yeses
     it has used; one of `no` none;
 (3) a session that the store names as begun is one that the agent was told something in;
 (4) the store is sound, `doctor` finds nothing, and no daemon of an agent is left.
"""
import json, os, random, re, signal, subprocess, sys, time
from collections import Counter
from pathlib import Path

import scene
from tap import Tap

ROOT = Path(__file__).resolve().parent.parent.parent
ROLES = ("plain", "yes", "no")
AT_ONCE = 3          # jobs that are open
KILLS_PER_JOB = 2    # a program that failed four times is given up
APPEAR_SECONDS = 2   # nobody came: what is left waits for its time, and the clock is set on
LIFE_SECONDS = {"agent": 0.25, "run": 0.4, "master": 0.6, "child": 0.15}  # the most that is waited behind the appearance
END_PASSES, END_SECONDS = 12, 60

CONFIG = re.sub(r"\[brain default\].*", "", scene.CONFIG, flags=re.S).replace("log-level = error", "log-level = warn")
ROLE = """
[brain {role}]
kind = claude
command = {agent}
env = STUB_SCRIPT={script}

[role {role}]
address = {role}@postrider.local
brain = {role}
permissions = ask
max-attempts = 1000
"""
SCRIPTS = {
    "plain": "text I look at it\nsh setsid sleep 300 & setsid sleep 301 & setsid sleep 302 & exec sleep 0.2\nresult answered {turn}\n---\n" * 40,
    "yes": ("text I look at it\nbash echo $POSTRIDER_JOB >>LINES\nresult answered\n---\n") * 40,
    "no": ("text I look at it\nbash echo $POSTRIDER_JOB >>LINES\nresult answered\n---\n") * 40,
}


def make_home(path):
    home = scene.make_home(path)
    agent = path / "agent"
    agent.write_text(f'#!/bin/sh\nexec {ROOT}/tests/peers/stub-agent --state {path}/stub "$@"\n')
    agent.chmod(0o755)
    config = CONFIG
    for role in ROLES:
        script = path / f"script-{role}"
        script.write_text(SCRIPTS[role].replace("LINES", str(path / "lines")))
        config += ROLE.format(role=role, agent=agent, script=script)
    (path / "postrider.conf").write_text(config)
    return home


class Attack:
    def __init__(self, home, log, kills, dice):
        self.home, self.log, self.kills, self.dice = home, log, kills, dice
        self.master, self.hours, self.sent, self.followed = None, 0, [], set()
        self.killed, self.of_job, self.lost, self.waits = Counter(), Counter(), set(), 0

    def keep_alive(self):
        if self.master and self.master.poll() is None:
            return
        env = os.environ | {"POSTRIDER_CLOCK": f"+{self.hours * scene.HOUR}"}
        self.master = subprocess.Popen(self.home.command("serve"), stdin=subprocess.DEVNULL, stdout=self.log,
                                       stderr=self.log, env=env, start_new_session=True)

    # --- the owner ---

    def send(self, role, *more):
        done = self.home.run("send", "--to", role, "--subject", f"task {len(self.sent)}", *more, stdin="please\n",
                             hours=self.hours)
        if done.returncode == 0:
            self.sent.append(done.stdout.strip().strip("<>"))

    def feed(self):
        """New mail while few jobs are open; a second one to each job of `plain` that has answered."""
        for first, in self.home.query("SELECT original_msgid FROM job WHERE role = 'plain' AND state = 'done' AND round = 1"):
            if first not in self.followed:
                self.followed.add(first)
                self.send("plain", "--in-reply-to", f"<{first}>")
        (still,), = self.home.query("SELECT count(*) FROM job WHERE state NOT IN ('done', 'failed')")
        (coming,), = self.home.query("SELECT count(*) FROM delivery WHERE state <> 'sent'")
        for _ in range(AT_ONCE - still - coming):
            self.send(ROLES[len(self.sent) % len(ROLES)])

    def decide(self):
        asked = self.home.query("SELECT DISTINCT o.id, j.role FROM question q JOIN outbox o ON o.msgid = q.msgid "
                                "JOIN job j ON j.id = q.job WHERE q.state = 'open'")
        for number, role in asked:
            self.home.run("approve" if role == "yes" else "reject", str(number), hours=self.hours)

    # --- kills ---

    def there(self, kind):
        """(pid, job) of that kind; the job of a master is 0. A job that was hit often enough is spared."""
        if kind == "master":
            return [(self.master.pid, 0)] if self.master.poll() is None else []
        if kind == "child":
            return list(self.children())
        running = dict(self.home.query("SELECT owner_pid, id FROM job WHERE state = 'running'"))
        found = running if kind == "run" else {pid: running[above] for pid, above in self.agents() if above in running}
        return [(pid, job) for pid, job in found.items() if self.of_job[job] < KILLS_PER_JOB]

    def agents(self):
        """(pid, the run that has started it) of the agents themselves."""
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and b"stub-agent" in (entry / "cmdline").read_bytes() and \
                   str(self.home.path).encode() in (entry / "cmdline").read_bytes():
                    yield int(entry.name), int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue

    def children(self):
        """(pid, job) of shells, daemons and hooks that agents have started; they are known by their environment."""
        mark = b"POSTRIDER_WORK=" + bytes(self.home.path) + b"/work/"
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and mark in (entry / "environ").read_bytes() and \
                   not re.search(b"stub-agent|postrider-(limit|mail)", (entry / "cmdline").read_bytes()):
                    yield int(entry.name), int(re.search(rb"POSTRIDER_JOB=(\d+)", (entry / "environ").read_bytes())[1])
            except (OSError, TypeError):
                continue

    def kill_one(self):
        kind = min(LIFE_SECONDS, key=lambda k: (self.killed[k], self.dice.random()))
        if not scene.until(lambda: self.there(kind), APPEAR_SECONDS, 0.005):
            return False
        end = time.monotonic() + self.dice.uniform(0, LIFE_SECONDS[kind])  # the moment itself
        while time.monotonic() < end and self.there(kind):
            time.sleep(0.005)
        victims = self.there(kind)
        if not victims:
            return True
        pid, job = self.dice.choice(victims)
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return True
        if kind == "master":
            self.master.wait()
        self.killed[kind] += 1
        self.of_job[job] += kind in ("agent", "run")
        if kind == "child":
            self.lost.add(job)
        return True

    def stop(self):
        """It adopts what is left of the one before, and ends that too."""
        self.home.stop_master(self.master, END_SECONDS)

    def run(self):
        while self.killed.total() < self.kills:
            self.keep_alive()
            self.feed()
            self.decide()
            if not self.kill_one():
                self.stop()
                self.hours += 1
                self.waits += 1
        self.keep_alive()
        self.stop()

    def finish(self):
        """Passes, and the owner's word, until nothing is owed. Whoever still has its first answer is not written to again."""
        for _ in range(END_PASSES):
            self.hours += 1
            done = self.home.run("serve", "--once", hours=self.hours)
            self.decide()
            if done.returncode == 0 and not scene.owed(self.home):
                return []
        return [f"exit {done.returncode}: {done.stderr.strip()}", *scene.owed(self.home)]

    # --- what must be true ---

    def check_answers(self):
        answers = Counter(i for _, h in self.home.mails(scene.OWNER, but=("Sent", "Drafts"))
                          if re.search(r"^X-Postrider-Job: .* ended$", h, re.M) for i in scene.ids_in(h, "In-Reply-To"))
        return [f"<{i}>: {answers[i]} answers" for i in self.sent if answers[i] != 1] + \
               [f"an answer to <{i}>, which nobody sent" for i in answers if i not in self.sent]

    def check_lines(self):
        lines = self.home.path / "lines"
        wrote = Counter(lines.read_text().split()) if lines.exists() else {}
        problems = []
        for job, role, state in self.home.query("SELECT id, role, state FROM job"):
            (used,), = self.home.query("SELECT count(*) FROM question WHERE job = ? AND state = 'approved' "
                                       "AND used_us IS NOT NULL", job)
            n = wrote.get(str(job), 0)
            if n > used or (role == "yes" and state == "done" and n == 0 and job not in self.lost):
                problems.append(f"job {job} of '{role}' is {state} and ran {n} times with {used} yeses used")
        return problems

    def check_sessions(self):
        """What the store names as begun, the agent knows."""
        calls = [json.loads(line) for line in (self.home.path / "stub/calls.jsonl").read_text().splitlines()
                 if line.endswith("}") and line.startswith("{")]
        told = {c["session"] for c in calls if "prompt" in c}
        return [f"job {job} names a session that was told nothing" for job, name in
                self.home.query("SELECT job, id FROM session WHERE began = 1") if name not in told]


def run(tap, kills, dice, work):
    home = make_home(Path(work) / "home")
    with open(Path(work) / "serve.log", "w+b") as log:
        attack = Attack(home, log, kills, dice)
        began = time.monotonic()
        attack.run()
        took = time.monotonic() - began
        tap.ok(f"SIGKILL at {kills} random moments", [f"no {k} was hit" for k in LIFE_SECONDS if not attack.killed[k]])
        tap.ok("all comes to its end", attack.finish())
        tap.ok("each mail is answered once", attack.check_answers())
        tap.ok("nothing granted runs twice, nothing refused runs", attack.check_lines())
        tap.ok("sessions are known", attack.check_sessions())
        tap.ok("nobody is left, the store is sound", scene.left_behind(home) + scene.check_store(home) +
               [f"{pid} of job {job} is left" for pid, job in attack.children()])
        states = dict(home.query("SELECT role || ' ' || state, count(*) FROM job GROUP BY 1"))
        tap.diag(f"killed: {dict(attack.killed)}; {len(attack.sent)} mails, {len(attack.followed)} of them second ones; "
                 f"jobs: {states}; clock set on {attack.waits} times; {took:.1f} s")
        if tap.failed:
            log.seek(0)
            tap.diag(b"".join(log.readlines()[-40:]).decode("utf-8", "replace"))


def main():
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 32)
    tap = Tap()
    tap.diag(f"seed {seed}")
    with scene.scratch() as work:
        run(tap, kills, random.Random(seed), work)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
