#!/usr/bin/python3
"""Replies to a briefing, and SIGKILL of agent, run and master at so many random moments.

    kills_briefing.py [KILLS [SEED]]

A real `serve` works; as long as fewer than three replies are open, another one comes. A moment is some random milliseconds
after a reply was sent, or after an agent has begun. The victim is an agent, a run, the master, or all at once. After each kill
thread.md is whole and no reply is missing that was in it before. In the end each reply was answered once, and `rebuild` gives
the same bytes. An agent is killed, by itself or with its run, twice at most before it answers: one that was started four times in vain is given up. The
seed is printed; timing is not repeatable, the choices are.
"""
import os, random, signal, subprocess, sys, time
from collections import Counter
from pathlib import Path

import scene
import walk_briefing as briefing
from tap import Tap

KILLS = 100
EVENT_SECONDS = 5     # where the moment does not come the master is hit
AFTER_MS = 120        # the most that is waited behind the event
AGENT_KILLS = 2       # that an agent does not survive, before its next answer
OPEN_MAX = 3
END_SECONDS = 60
AGENT = "#!/bin/sh\ncat >/dev/null\necho $$ >{0}.new && mv {0}.new {0}\nsleep 0.1 >/dev/null\necho Answer.\n"
KINDS = ("brain", "brain", "brain", "run", "run", "run", "serve", "serve", "all")


class Attack:
    def __init__(self, home, log, dice):
        self.home, self.log, self.dice = home, log, dice
        self.master, self.starts, self.replies = None, 0, []
        self.killed, self.problems, self.agents, self.known, self.last = Counter(), [], 0, "", ""

    def keep_alive(self):
        """Each master begins an hour later: what waits for another try is due."""
        if self.master and self.master.poll() is None:
            return
        self.starts += 1
        env = os.environ | {"POSTRIDER_CLOCK": f"+{self.starts * scene.HOUR}"}
        self.master = subprocess.Popen(self.home.command("serve"), stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                                       env=env, start_new_session=True)

    def open(self):
        return self.home.query("SELECT count(*) FROM report_reply WHERE settled = 0")[0][0]

    def feed(self):
        if self.open() < OPEN_MAX and len(self.replies) < briefing.sent(self.home) + OPEN_MAX:
            self.replies.append(f"words {len(self.replies) + 1}")
            briefing.reply(self.home, self.replies[-1])

    def agent(self):
        """Its pid, from its own hand: a look at all processes takes longer than it works."""
        path = self.home.path / "agent.pid"
        pid = path.read_text().strip() if path.exists() else ""
        return int(pid) if pid and os.path.exists(f"/proc/{pid}") else None

    def wait_for_moment(self, kind):
        """Gives who is to be hit."""
        if self.last == "brain":
            kind = "serve"  # an agent that failed is started again much later: by the next master
        elif kind in ("brain", "run") or self.dice.random() < 0.5:
            kind = kind if scene.until(self.agent, EVENT_SECONDS, every=0.001) else "serve"
        time.sleep(self.dice.uniform(0, AFTER_MS) / 1000)  # the moment itself
        return kind

    def never_hit(self):
        return [k for k in ("serve", "run", "brain") if not self.killed[k]]

    def choose(self):
        return self.dice.choice(self.never_hit() or KINDS) if self.agents < AGENT_KILLS else "serve"

    def victims(self, kind):
        """(pid, what); nobody where whoever was meant has gone."""
        agent = self.agent()
        if kind == "serve":
            return [(self.master.pid, "serve")]
        if kind == "all":
            return list(scene.processes(self.home))
        if not agent:
            return []
        try:
            parent = int(Path(f"/proc/{agent}/stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            return []
        return [(agent, "brain") if kind == "brain" else (parent, "run")] if parent > 1 else []

    def kill(self, kind):
        """Gives whether somebody was hit."""
        victims = sorted(self.victims(kind), key=lambda v: v[1] == "brain")  # no run sees its agent die
        hit, self.last = 0, kind
        for pid, what in victims:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            hit += 1
            self.killed[what] += 1
            self.agents += what in ("brain", "run")
        if kind in ("serve", "all"):
            self.master.wait()
        return hit > 0

    def look(self, hits):
        thread = (self.home.path / "reports" / briefing.DATE / "thread.md").read_text()
        lost = [r for r in self.replies if f"\n{r}\n" in self.known and f"\n{r}\n" not in thread]
        self.problems += [f"after kill {hits}: {p}" for p in briefing.whole(thread) + [f"'{r}' is gone" for r in lost]]
        if thread.count("## Response") > self.known.count("## Response"):
            self.agents = 0
        self.known = thread

    def run(self, kills):
        """Goes on, three times as long at most, until each kind was hit."""
        hits = 0
        while hits < kills or (self.never_hit() and hits < 3 * kills):
            self.keep_alive()
            self.feed()
            hits += self.kill(self.wait_for_moment(self.choose()))
            self.look(hits)

    def end(self):
        """A last master adopts what is left, and answers it."""
        self.keep_alive()
        scene.until(lambda: self.home.query("SELECT count(*) FROM report_reply WHERE settled <> 0")[0][0] == len(self.replies),
                    END_SECONDS)
        status = self.home.stop_master(self.master, END_SECONDS)
        return [f"exit {status}"] * bool(status) + scene.left_behind(self.home)


def make_home(path):
    home = scene.make_home(path)
    agent = path / "agent"
    agent.write_text(AGENT.format(path / "agent.pid"))
    agent.chmod(0o755)
    (path / "postrider.conf").write_text(briefing.CONFIG.replace("command = printf Answer.", f"command = {agent}"))
    briefing.send(home)
    return home


def main():
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else KILLS
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 32)
    tap = Tap()
    tap.diag(f"seed {seed}")
    with scene.scratch() as work, open(Path(work) / "serve.log", "w+b") as log:
        attack = Attack(make_home(Path(work) / "home"), log, random.Random(seed))
        began = time.monotonic()
        attack.run(kills)
        ended = attack.end()
        tap.ok(f"SIGKILL at {kills} random moments", [f"no {k} was hit" for k in attack.never_hit()])
        tap.ok("thread.md was whole after each", attack.problems)
        tap.ok("the last master stops cleanly", ended)
        problems = scene.recover(attack.home, hours=attack.starts + 2) or briefing.check(attack.home, attack.replies)
        problems += [f"job {row}" for row in attack.home.query("SELECT id, state, why FROM job WHERE state <> 'done'")]
        tap.ok(f"each of {len(attack.replies)} replies is answered once, and rebuild gives the same bytes", problems)
        tap.diag(f"killed: {dict(attack.killed)}; masters: {attack.starts}; {time.monotonic() - began:.1f} s")
        if tap.failed:
            log.seek(0)
            tap.diag(b"".join(log.readlines()[-40:]).decode("utf-8", "replace"))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
