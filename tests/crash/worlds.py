"""Random histories of a mailbox and the homes that look after it, with a witness outside.

    worlds.py SEEDS [FIRST [SEED...]]

One world is one mail server (tests/peers), one person who writes tasks, and one or two homes. A history is a list of acts
that the seed decides: mail of several kinds comes; passes run, some are killed at a random point; the person answers
questions and gives orders, by mail and by command; the store is backed up, restored, lost; the home is copied, and both
copies run; the clock jumps. At the end one home is told to go on, and everything comes to rest.

The witness is the person's mailbox on the server. For each task it has to hold, after the rest:
one answer and never two; or none, and then a home lists the task as waiting for somebody, or an order ended it. A reply to a
task that is answered already is a mail of its own, and may be answered once.
"""
import json, os, random, re, shutil, socket, subprocess, sys, threading, types
from concurrent.futures import ProcessPoolExecutor
from email.message import EmailMessage
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "peers"))
from imap_side import ImapSide  # noqa: E402
from scene import HOUR, program, scratch  # noqa: E402
from smtp_side import SmtpSide  # noqa: E402
from tap import Tap  # noqa: E402
from world import World, header  # noqa: E402

AGENT, PERSON = "agent@test.example", "carol@test.example"
DAY = 24 * HOUR
ACTS = (5, 22)  # how many, at least and at most
REST = 10       # passes at the end at the most, each three hours later

CONFIG = """[postrider]
owner = you@postrider.local
ack-after = 2m
retry-first = 1s
log-level = error
continue-after = 0
[trust]
principals = carol@test.example
require-auth = none
[account main]
kind = maildir
[account work]
kind = imap
role = envoy
host = 127.0.0.1
port = {imap}
tls = none
user = agent@test.example
password-file = password
in-doubt = hold
[smtp]
host = 127.0.0.1
port = {smtp}
tls = none
user = agent@test.example
password-file = password
[brain default]
kind = command
command = {brain}
[role envoy]
address = agent@test.example
mode = steps
max-iterations = 1
max-attempts = 1000
"""

# What a task is led through: status and words of each step. "ANSWER" stands in the last one alone.
KINDS = {
    "plain": [("complete", "ANSWER")],
    "interim": [("continue", "INTERIM"), ("complete", "ANSWER")],
    "asks": [("waiting", "QUESTION"), ("complete", "ANSWER")],
    "long": [("continue", ""), ("continue", ""), ("complete", "ANSWER")],
}


def brain_script():
    """The page says which task it is and, in the working note of the step before, how far it came."""
    lines = ["#!/bin/sh", "page=$(cat)", "task=${page#*TASK-}; task=${task%%[!a-z0-9-]*}; stage=0",
             "case $page in *STAGE-1*) stage=1;; esac", "case $page in *STAGE-2*) stage=2;; esac", "case ${task#*-}$stage in"]
    for kind, stages in KINDS.items():
        for i, (status, word) in enumerate(stages):
            last = i + 1 == len(stages)
            mails = f'[{{"to":[],"body":"{word}-%s."}}]' if word else "[]"
            phase = {"continue": "working"}.get(status, status)
            wait = '"wait":{"for":"reply","until":"","then":"continue"},' if status == "waiting" else ""
            said = f'{{"status":"{status}","current_phase":"{phase}","working_note":"STAGE-{i + 1}",{wait}"send_emails":{mails}}}'
            lines.append(f"{kind}{i}{'*' if last else ''}) printf '{said}' " + ('"${task%%-*}"' if word else "") + " ;;")
    return "\n".join([*lines, "esac", ""])


class Server:
    """tests/peers/mailpeer's two sides in this process, so that the witness sees the mailboxes themselves."""

    def __init__(self):
        args = types.SimpleNamespace(log=None, mails=0, uidvalidity=7, rewrite_message_id=None, rewrites_from=None, files_sent=False,
                                     delivered_to=False, capability=None, password=None, token=None, implicit=False)
        self.world = World(args, [], None)
        self.ports = [self.listen(side) for side in (ImapSide, SmtpSide)]

    def listen(self, side):
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen(16)
        threading.Thread(target=self.serve, args=(listener, side), daemon=True).start()
        return listener.getsockname()[1]

    def serve(self, listener, side):
        number = 0
        while True:
            sock, _ = listener.accept()
            number += 1
            threading.Thread(target=side(sock, number, self.world).run, daemon=True).start()

    def begin(self):
        with self.world.lock:
            self.world.users.clear()

    def put(self, mail):
        with self.world.lock:
            self.world.folder("agent", "INBOX").add(bytes(mail).replace(b"\n", b"\r\n"))

    def got(self):
        """What the person has, oldest first."""
        with self.world.lock:
            return [mail.raw.decode() for mail in self.world.folder("carol", "INBOX").mails]


class Home:
    def __init__(self, path, world):
        self.path, self.world = Path(path), world

    def run(self, *args, die_at=0, stdin=""):
        env = os.environ | {"POSTRIDER_CLOCK": f"+{self.world.clock}", "POSTRIDER_PATIENCE": "5"}
        if die_at:
            env["POSTRIDER_DIE_AT"] = str(die_at)
        done = subprocess.run([str(program()), "--home", str(self.path), *args], env=env, text=True, errors="replace",
                              input=stdin, capture_output=True, timeout=60)
        self.world.say(f"{self.path.name}: {' '.join(args)}{f' (dies at {die_at})' if die_at else ''} -> {done.returncode}"
                       f" {done.stderr.strip()[:200]}")
        return done

    def json(self, *args):
        done = self.run("--json", *args)
        try:
            return json.loads(done.stdout)
        except ValueError:
            return []


class History:
    """One seed: acts, then rest, then what the witness says."""
    GOOD = "each task answered once, or listed"  # what that is

    def __init__(self, seed, server, folder):
        self.random, self.server, self.folder = random.Random(seed), server, Path(folder)
        self.clock, self.lines, self.tasks, self.ended = 0, [], {}, set()
        self.again = []  # tasks, once for each reply that came behind the answer
        self.backups, self.n = [], 0
        server.begin()
        self.home = self.new_home("a")
        self.home.run("serve", "--once")
        self.homes = [self.home]

    def say(self, line):
        self.lines.append(f"+{self.clock // 60} min {line}")

    def new_home(self, name):
        home = Home(self.folder / name, self)
        home.run("init")
        (home.path / "password").touch(0o600)
        (home.path / "password").write_text("x\n")
        brain = home.path / "scripts" / "think"
        brain.write_text(brain_script())
        brain.chmod(0o755)
        imap, smtp = self.server.ports
        (home.path / "postrider.conf").write_text(CONFIG.format(imap=imap, smtp=smtp, brain="scripts/think"))
        return home

    # --- mail of the person ---

    def mail(self, subject, text, answers=None):
        self.n += 1
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = PERSON, AGENT, subject
        mail["Message-ID"] = f"<m{self.n}@test.example>"
        if answers:
            mail["In-Reply-To"] = mail["References"] = answers
        mail.set_content(text)
        self.server.put(mail)
        self.say(f"mail {subject}: {text}")

    def act_mail(self):
        number, kind = len(self.tasks) + 1, self.random.choice(list(KINDS))
        self.tasks[number] = kind
        self.mail(f"task {number}", f"TASK-{number}-{kind} please")

    def newest_about(self, number, word=""):
        """The newest mail of the role about a task; word: one that has it."""
        found = [raw for raw in self.server.got() if re.search(rf"^Subject: .*task {number}\r?$", raw, re.M) and word in raw]
        return header(found[-1].encode(), "Message-ID") if found else None

    def act_reply(self):
        asked = [n for n, kind in self.tasks.items() if kind == "asks" and self.newest_about(n, f"QUESTION-{n}.")]
        if asked:
            number = self.random.choice(asked)
            if self.answers(number):
                self.again.append(number)
            self.mail(f"Re: task {number}", "Go on.", self.newest_about(number, f"QUESTION-{number}."))

    def act_order(self):
        known = [n for n in self.tasks if self.newest_about(n)]
        if known:
            number, order = self.random.choice(known), self.random.choice(("STOP", "CONTINUE", "CANCEL", "STATUS"))
            self.mail(f"Re: task {number}", order, self.newest_about(number))
            if order == "CANCEL":
                self.ended.add(number)

    # --- what is done to a home ---

    def any_home(self):
        return self.random.choice(self.homes)

    def act_pass(self):
        self.any_home().run("serve", "--once")

    def act_kill(self):
        self.any_home().run("serve", "--once", die_at=self.random.randrange(1, 120))

    def act_command(self):
        home = self.any_home()
        jobs = [job for job in home.json("job", "list", "--all") if job["state"] not in ("done", "cancelled")]
        if jobs:
            job, order = self.random.choice(jobs), self.random.choice(("stop", "continue", "cancel"))
            done = home.run(order, str(job["id"]))
            if order == "cancel" and done.returncode == 0:
                self.ended.add(number_of(job["subject"]))

    def act_clock(self):
        self.clock = max(0, self.clock + self.random.choice((5 * 60, HOUR, DAY, -HOUR, -DAY)))
        self.say("the clock")

    def act_backup(self):
        to = self.folder / f"backup{len(self.backups)}"
        if self.any_home().run("backup", str(to)).returncode == 0:
            self.backups.append(to)

    def act_lose(self):
        home = self.any_home()
        shutil.rmtree(home.path / "state", ignore_errors=True)
        self.say(f"{home.path.name}: the store is lost")

    def act_old_store(self):
        """Somebody puts an old store back into its own home."""
        home = self.any_home()
        if self.backups:
            shutil.rmtree(home.path / "state", ignore_errors=True)
            shutil.copytree(self.random.choice(self.backups) / "state", home.path / "state")
            self.say(f"{home.path.name}: an old store")

    def act_accept(self):
        self.any_home().run("doctor", "--accept-backup")

    def second_home(self):
        return Home(self.folder / "b", self) if len(self.homes) == 1 else None

    def act_copy(self):
        """cp -a, and from now on both copies run."""
        second = self.second_home()
        if second:
            subprocess.run(["cp", "-a", self.homes[0].path, second.path], check=True)
            self.homes.append(second)
            self.say("a is copied to b")

    def act_restore(self):
        second = self.second_home()
        if second and self.backups and second.run("restore", str(self.random.choice(self.backups))).returncode == 0:
            self.homes.append(second)

    def act_take_over(self):
        self.any_home().run("serve", "--once", "--take-over")

    WEIGHTS = {act_mail: 24, act_pass: 34, act_reply: 9, act_order: 5, act_command: 5, act_kill: 9, act_clock: 5, act_backup: 4,
               act_lose: 3, act_old_store: 4, act_accept: 2, act_copy: 3, act_restore: 4, act_take_over: 3}

    def play(self):
        for act in self.random.choices(list(self.WEIGHTS), self.WEIGHTS.values(), k=self.random.randint(*ACTS)):
            act(self)
        self.rest()
        return self.judge()

    def rest(self):
        """One home is told to go on; everything comes to an end or waits for somebody."""
        self.home = self.random.choice(self.homes)
        self.homes = [self.home]
        before = None
        self.home.run("serve", "--once", "--take-over")
        for _ in range(REST):
            self.home.run("serve", "--once")
            self.home.run("doctor", "--accept-backup")
            now = (len(self.server.got()), self.listing())
            if now == before:
                break
            before = now
            self.clock += 3 * HOUR

    # --- the witness ---

    def listing(self):
        """Task -> how this home lists it as waiting for somebody."""
        found, stopped = {}, set()
        for job in self.home.json("job", "list", "--all"):
            if job["state"] in ("parked", "stopped", "failed", "waiting"):
                found[number_of(job["subject"])] = f"job {job['state']}"
            if job["state"] == "stopped":
                stopped.add(job["id"])
        for row in self.home.json("mail", "list", "--state", "stored", "--limit", "1000"):
            if row["job"] in stopped:  # it joined a job that begins with another task
                found.setdefault(number_of(row["subject"]), "mail of a stopped job")
        for row in self.home.json("outbox", "list"):
            if row["state"] in ("held", "in_doubt"):
                found.setdefault(number_of(row["subject"]), f"mail {row['state']}")
        for state in ("held", "ignored"):
            for row in self.home.json("mail", "list", "--state", state, "--limit", "1000"):
                if state == "held" or (row.get("why") or "").startswith("history"):
                    found.setdefault(number_of(row["subject"]), f"mail {state}")
        return found

    def answers(self, number):
        return sum(f"ANSWER-{number}." in raw for raw in self.server.got())

    def judge(self):
        listed, problems = self.listing(), []
        for number, kind in self.tasks.items():
            answers = self.answers(number)
            if answers > 1 + self.again.count(number):
                problems.append(f"task {number} ({kind}) is answered {answers} times")
            elif answers == 0 and number not in listed and number not in self.ended:
                problems.append(f"task {number} ({kind}) is neither answered nor listed")
        return problems


def number_of(subject):
    found = re.search(r"task (\d+)$", subject or "")
    return int(found[1]) if found else 0


def play_some(kind, seeds):
    """Gives (seed, problems, what happened) for each."""
    server, results = Server(), []
    for seed in seeds:
        with scratch() as folder:
            history = kind(seed, server, folder)
            results.append((seed, history.play(), history.lines))
    return results


def main(kind=History):
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    seeds = [*range(first, first + count), *map(int, sys.argv[3:])]
    tap, cores = Tap(), os.cpu_count() or 1
    with ProcessPoolExecutor(cores) as pool:
        for results in pool.map(play_some, [kind] * cores, [seeds[i::cores] for i in range(cores)]):
            bad = [(seed, problems, lines) for seed, problems, lines in results if problems]
            for seed, problems, lines in bad:
                tap.ok(f"world {seed}", [*problems, *lines])
            tap.ok(f"{len(results) - len(bad)} worlds: {kind.GOOD}")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
