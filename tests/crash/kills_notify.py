#!/usr/bin/python3
"""Many who write events at a time, and SIGKILL of one of them, or of the master, again and again.

    kills_notify.py WRITERS SECONDS EVERY [SEED]

Each writer says `postrider notify` over and over, a status-update or a question with a text of its own, while a real `serve`
delivers. Every EVERY seconds a writer that is at work is killed, and each third time the master, which is started again. In the
end each event that was acknowledged is there once: as a row, and as a mail in the mailbox of its reader and of its writer. What was killed is there
once or not at all, and row and mails agree. A writer who was told to come back, since 20 s were not enough on a busy machine, has written
nothing. `doctor` finds nothing. The seed is printed; timing is not repeatable.
"""
import json, os, random, re, shutil, signal, sqlite3, subprocess, sys, tempfile, threading, time
from collections import Counter
from pathlib import Path

from tap import Tap

BIN = os.environ.get("POSTRIDER_BIN", str(Path(__file__).resolve().parents[2] / "build-check/postrider"))
END_SECONDS = 120
WORDS = re.compile(rb"^text-(\d+-\d+)-end", re.M)


class Team:
    def __init__(self, folder, writers):
        self.home, self.root = folder / "home", folder / "project"
        self.env = {**os.environ, "POSTRIDER_HOME": str(self.home), "POSTRIDER_TEST_SANDBOX": "off"}
        self.env.pop("POSTRIDER_ROLE", None)
        self.log = open(folder / "serve.log", "ab")
        self.run("init")
        with open(self.home / "postrider.conf", "a") as conf:
            conf.write(f"\n[workflow]\nroot = {self.root}\n[artifact spec]\npath = specs/{{state}}/{{name}}.md\n")
            for name in ["reader", *(f"w{n}" for n in range(writers))]:
                conf.write(f"[role {name}]\nperson = yes\n")
        (self.root / "specs/proposed").mkdir(parents=True)
        for n in range(4):
            (self.root / f"specs/proposed/s{n}.md").write_text("The user logs in.\n")
        self.master = None

    def start(self, *argv, **how):
        return subprocess.Popen([BIN, *argv], env=self.env, cwd=self.root.parent, stdin=subprocess.DEVNULL, **how)

    def run(self, *argv):
        done = subprocess.run([BIN, *argv], env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def serve(self):
        self.master = self.start("serve", stdout=self.log, stderr=self.log, start_new_session=True)

    def kill_master(self):
        self.master.send_signal(signal.SIGKILL)
        self.master.wait()
        self.serve()

    def stop(self):
        self.master.send_signal(signal.SIGTERM)
        return self.master.wait(timeout=END_SECONDS)


class Writers:
    def __init__(self, team, n):
        self.team, self.at_work, self.lock = team, {}, threading.Lock()
        self.said, self.killed, self.put_off, self.refused, self.over = [], [], [], [], False
        self.threads = [threading.Thread(target=self.write, args=(w,)) for w in range(n)]
        for thread in self.threads:
            thread.start()

    def write(self, w):
        n = 0
        while not self.over:
            n += 1
            name, about = f"{w}-{n}", f"specs/proposed/s{(w + n) % 4}.md"
            said = ["question", about, "reader", f"QUESTION=text-{name}-end"] if n % 3 == 0 else \
                   ["status-update", about, "reader", f"CONTEXT=text-{name}-end"]
            child = self.team.start("notify", "--quiet", "--from", f"w{w}", *said, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            with self.lock:
                self.at_work[w] = child
            out = child.communicate()[0].decode(errors="replace")
            with self.lock:
                del self.at_work[w]
                if child.returncode == 0:
                    self.said.append((name, out.strip()))
                elif child.returncode == -signal.SIGKILL:
                    self.killed.append(name)
                elif child.returncode == os.EX_TEMPFAIL and "the store is busy" in out:
                    self.put_off.append(name)
                else:
                    self.refused.append(f"{name}: status {child.returncode}: {out.strip()}")

    def kill_one(self, dice):
        with self.lock:
            if self.at_work:
                dice.choice(list(self.at_work.values())).send_signal(signal.SIGKILL)

    def end(self):
        self.over = True
        for thread in self.threads:
            thread.join()


def mails(home, box, folders):
    """How often each text lies in these folders of a mailbox."""
    found = Counter()
    for folder in folders:
        for sub in "new", "cur":
            where = home / "mail" / box / folder / sub
            for file in where.iterdir() if where.is_dir() else ():
                found.update(text.decode() for text in set(WORDS.findall(file.read_bytes())))
    return found


def wait_until_sent(team):
    db = sqlite3.connect(f"file:{team.home}/state/postrider.db?mode=ro", uri=True)
    end = time.monotonic() + END_SECONDS
    query = "SELECT count(*) FROM delivery WHERE state IN ('ready', 'sending')"
    while (left := db.execute(query).fetchone()[0]) and time.monotonic() < end:
        team.run("deliver")
    return left


def problems_of(team, writers, n):
    db = sqlite3.connect(f"file:{team.home}/state/postrider.db?mode=ro", uri=True)
    rows = Counter(row[0] for row in db.execute("SELECT msgid FROM event"))
    got, sent = mails(team.home, "reader", [""]), Counter()
    for w in range(n):
        sent.update(mails(team.home, f"w{w}", [".Sent"]))
    wrong = [f"{text} lies {k} times with its reader" for text, k in got.items() if k != 1]
    wrong += [f"{text} lies {k} times in Sent" for text, k in sent.items() if k != 1]
    for text, msgid in writers.said:
        if got[text] != 1 or sent[text] != 1 or rows[msgid.strip("<>")] != 1:
            wrong.append(f"{text} was acknowledged: {got[text]} with its reader, {sent[text]} in Sent, {rows[msgid.strip('<>')]} rows")
    half = [text for text in writers.killed if got[text] != sent[text]]
    wrong += [f"{text} was killed: {got[text]} with its reader, {sent[text]} in Sent" for text in half]
    wrong += [f"{text} was put off, and is there" for text in writers.put_off if got[text] or sent[text]]
    there = len(writers.said) + sum(got[text] for text in writers.killed)
    if sum(rows.values()) != there or sum(got.values()) != there:
        wrong.append(f"{there} events were written, {sum(rows.values())} rows, {sum(got.values())} mails")
    return wrong + writers.refused


def main():
    n, seconds, every = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else int.from_bytes(os.urandom(4))
    tap, dice = Tap(), random.Random(seed)
    tap.diag(f"seed {seed}")
    folder = Path(tempfile.mkdtemp(prefix="notify."))
    team = Team(folder, n)
    try:
        team.serve()
        writers, kills, end = Writers(team, n), 0, time.monotonic() + seconds
        while time.monotonic() < end:
            threading.Event().wait(every * dice.uniform(0.5, 1.5))
            kills += 1
            if kills % 3 == 0:
                team.kill_master()
            else:
                writers.kill_one(dice)
        writers.end()
        left = wait_until_sent(team)
        status = team.stop()
        tap.diag(f"{len(writers.said)} events of {n} writers in {seconds:g} s; {kills} kills, {len(writers.killed)} of writers; {len(writers.put_off)} were put off")
        tap.ok("something was written, and somebody was killed", [] if writers.said and writers.killed else ["nothing, or nobody"])
        tap.ok("all mail went out", [f"{left} are left, serve ended with {status}"] if left or status else [])
        tap.ok("each event that was acknowledged is there once, each that was killed once or not at all", problems_of(team, writers, n))
        code, said = team.run("--json", "doctor")
        tap.ok("doctor finds nothing", [] if code == 0 and json.loads(said)["ok"] else [said])
    finally:
        if team.master and team.master.poll() is None:
            team.master.kill()
        shutil.rmtree(folder, ignore_errors=True)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
