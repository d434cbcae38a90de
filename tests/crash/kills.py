#!/usr/bin/python3
"""64 senders against a master that is killed every second.

    kills.py master SECONDS     SIGKILL for the master only
    kills.py any SECONDS        SIGKILL for any process: master, account, run, deliver, brain

While that goes on, 64 `postrider send` at a time come in bursts. At the end the master may work in peace; then
every mail whose id was printed must be in the role's Maildir once, be handled once and have one answer; one that
was not acknowledged may have none.
"""
import os, random, signal, subprocess, sys, tempfile, threading, time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import scene
from tap import Tap

SENDERS = 64
BURST_EVERY = 3.0  # seconds
KILL_EVERY = {"master": 1.0, "any": 0.2}
PEACE = 240  # seconds that the end may take


class Master:
    """`serve`, started again whenever it is gone."""

    def __init__(self, home, log):
        self.home, self.log, self.process, self.starts = home, log, None, 0
        self.keep_alive()

    def keep_alive(self):
        if self.process and self.process.poll() is None:
            return
        env = os.environ | {"POSTRIDER_LOG": "error"}
        self.process = subprocess.Popen(self.home.command("serve"), stdin=subprocess.DEVNULL, stdout=self.log,
                                        stderr=self.log, env=env, start_new_session=True)
        self.starts += 1

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        return self.home.stop_master(self.process, 90)


def kill_one(home, master, dice, killed):
    """Each kind of process is as likely as any other, however many there are of it."""
    there = {}
    for pid, what in scene.processes(home):
        there.setdefault(what, []).append(pid)
    if not there:
        return
    what = dice.choice(sorted(there))
    killed[what] += 1
    if what == "serve":
        master.kill()
        return
    try:
        os.kill(dice.choice(there[what]), signal.SIGKILL)
    except ProcessLookupError:
        pass


def send_all(home, seconds):
    """Bursts of SENDERS processes; gives the ids that were acknowledged and how many were not."""
    acked, refused = [], Counter()
    end = time.monotonic() + seconds

    def send_one(n):
        return home.send(f"mail {n}")

    with ThreadPoolExecutor(SENDERS) as pool:
        for burst in range(int(seconds / BURST_EVERY) or 1):
            began = time.monotonic()
            for msgid in pool.map(send_one, range(burst * SENDERS, (burst + 1) * SENDERS)):
                if msgid:
                    acked.append(msgid)
                else:
                    refused["send"] += 1
            time.sleep(max(0, min(began + BURST_EVERY, end) - time.monotonic()))  # the pace is the load
    return acked, refused["send"]


def attack(home, master, kind, seconds):
    """Kills until all is sent and the time is over; gives what was acknowledged, refused, killed."""
    dice, killed, result = random.Random(1), Counter(), {}
    sender = threading.Thread(target=lambda: result.update(sent=send_all(home, seconds)))
    end = time.monotonic() + seconds
    sender.start()
    while sender.is_alive() or time.monotonic() < end:
        time.sleep(KILL_EVERY[kind])  # any moment will do
        if kind == "master":
            killed["serve"] += 1
            master.kill()
        else:
            kill_one(home, master, dice, killed)
        master.keep_alive()
    sender.join()
    return *result["sent"], killed


def settle(home, master):
    """Waits until nothing is owed; gives the seconds that took, or None."""
    began = time.monotonic()

    def is_quiet():
        master.keep_alive()
        return not scene.owed(home)

    return time.monotonic() - began if scene.until(is_quiet, PEACE, every=0.2) else None


def run(tap, kind, seconds, work):
    home = scene.make_home(Path(work) / "home")
    # Long enough to be hit, where brains are.
    home.config(brain='sh -c "sleep 0.02; printf ok"' if kind == "any" else "printf ok")
    with open(Path(work) / "serve.log", "w+b") as log:
        master = Master(home, log)
        try:
            acked, refused, killed = attack(home, master, kind, seconds)
            took = settle(home, master)
            tap.ok("all that came in is dealt with", [] if took is not None else scene.owed(home))
            status = master.stop()
            left = scene.left_behind(home)
            tap.ok("the master stops cleanly", left + ([f"exit {status}"] if status else []))
        finally:
            if master.process.poll() is None:
                master.kill()
        known = scene.known_ids(home)
        lost = [f"<{i}> is lost" for i in acked if i not in known]
        tap.ok(f"{len(acked)} acknowledged mails are there", lost if acked else ["none was acknowledged"])
        # A brain that is killed twice in one run has failed; whoever asked is told, once.
        ends = ("done", "failed") if kind == "any" else ("done",)
        tap.ok("each was handled and answered exactly once", scene.check_mails(home, known, ends))
        tap.ok("the store is sound", scene.check_store(home))
        if tap.failed:
            log.seek(0)
            tap.diag(b"".join(log.readlines()[-40:]).decode("utf-8", "replace"))
    tap.diag(f"killed: {dict(killed)}; acknowledged: {len(acked)}, refused: {refused}, "
             f"settled {took or 0:.1f} s after the last")


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as work:
        run(tap, sys.argv[1], float(sys.argv[2]), work)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
