#!/usr/bin/python3
"""kill -9 of any process at random, while mail comes in and answers leave by SMTP.

    kills_smtp.py WORLD POLICY SECONDS [SEED]

POLICY is `in-doubt`: hold or probe. WORLD is where the mail comes from and goes to:

  peer      mailpeer for IMAP and SMTP: it files in Sent what it accepts, so probe looks there
  dovecot   a real Dovecot (mail comes by LMTP), and mailpeer for SMTP
  postfix   a real Dovecot and a real Postfix; the wire to Postfix is cut at any byte

mailpeer also loses answers to mail that it took, breaks off after DATA, and refuses for now. The world's own books
are the witness: what mailpeer says that it accepted, what lies in the person's mailbox. At the end the processes
may work in peace; the owner looks at the witness and says of each mail in doubt whether it arrived. Then

 (1) every mail that the world took for the agent has one answer in the asker's mailbox, and nothing else is there;
 (2) no mail of ours was accepted twice;
 (3) on the server each mail lies in Done once, none in INBOX or Active, each answer in Sent once;
 (4) there is one job for each, nothing is owed, the store is sound, `doctor` is content.
"""
import itertools, os, random, signal, sqlite3, sys, tempfile, threading, time
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(TESTS / "crash"))
import scene  # noqa: E402
from kills import Master  # noqa: E402
from mail_worlds import WORLDS, field  # noqa: E402
from tap import Tap  # noqa: E402

KILL_EVERY = 0.2  # seconds
MAIL_EVERY = 0.25
LATE = 700  # seconds: probe believes that a mail which is not in Sent was not sent
PEACE = 120  # seconds that the end may take
AT_MOST = 60  # seconds of attack
EACH = {"serve", "account work", "account main", "run", "submit"}
clock = 0  # how far the processes' clock is ahead
KINDS = ("serve", "account", "run", "deliver", "submit", "index")

CONFIG = """
[postrider]
owner = you@postrider.local
ack-after = 0
retry-first = 1s
retry-max = 2s
workers = 2
log-level = error
max-mails-per-hour = 0
max-mails-per-day = 0
max-mails-all = 0

[account main]
kind = maildir

[account work]
kind = imap
role = envoy
host = 127.0.0.1
port = {imap}
tls = none
user = agent@test.example
password-file = secret
in-doubt = {policy}
sent-copy = {files}
smtp-host = 127.0.0.1
smtp-port = {smtp}
smtp-tls = {tls}
smtp-ca-file = {ca}
smtp-user = agent@test.example
smtp-password-file = secret

[trust]
principals = alice@test.example
require-auth = none

[brain default]
kind = command
command = sh -c "sleep 0.02; printf ok"

[role envoy]
address = agent@test.example
brain = default
max-attempts = 1000
"""


class Home(scene.Home):
    """With sanitizers: whatever dies by itself has said why."""

    def command(self, *args):
        program = os.environ.get("POSTRIDER_BIN", TESTS.parent / "build-check/postrider")
        return [str(program), "--home", str(self.path), *args]

    def at_work(self):
        """(pid, kind) of all that works for this home."""
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                args = (entry / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
            except OSError:
                continue
            if Path(args[0]).name.startswith("postrider") and str(self.path) in args:
                kind = next((a for a in args if a in KINDS), "other")
                yield int(entry.name), f"account {args[args.index(kind) + 1]}" if kind == "account" else kind


# --- the attack ---

def make_home(path, world, policy):
    home = Home(path)
    done = home.run("init")
    if done.returncode:
        raise RuntimeError(f"init: {done.stderr}")
    text = CONFIG.format(imap=world.imap, smtp=world.smtp, policy=policy, files=world.sent_copy, tls=world.tls, ca=world.ca)
    (path / "postrider.conf").write_text(text.replace("smtp-ca-file = \n", ""))
    secret = path / "secret"
    secret.touch(0o600)
    secret.write_text("agent-pw\n")
    return home


def mail(n):
    msgid = f"task{n}.{os.getpid()}@test.example"
    return msgid, (f"From: <alice@test.example>\r\nTo: <agent@test.example>\r\nSubject: task {n}\r\nMessage-ID: <{msgid}>\r\n"
                   f"Date: Sun, 15 Nov 2026 09:30:00 +0000\r\n\r\nPlease do task {n}.\r\n").encode()


def feed(world, over):
    """Mails at a steady pace: that is the load."""
    for n in itertools.count():
        world.take(*mail(n))
        if over.wait(MAIL_EVERY):
            return


def kill_one(home, master, dice, killed):
    """What was killed seldom is more likely: runs and submissions are there for a moment only."""
    there = {}
    for pid, kind in home.at_work():
        there.setdefault(kind, []).append(pid)
    if not there:
        return
    kinds = sorted(there)
    kind = dice.choices(kinds, [1 / (1 + killed[kind]) for kind in kinds])[0]
    killed[kind] += 1
    if kind == "serve":
        master.kill()
        return
    try:
        os.kill(dice.choice(there[kind]), signal.SIGKILL)
    except ProcessLookupError:
        pass


def later(home, master):
    """All processes end, and find that time has passed when they begin again."""
    global clock
    master.kill()
    for pid, _ in home.at_work():
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    clock += LATE
    os.environ["POSTRIDER_CLOCK"] = f"+{clock}"
    master.keep_alive()


def attack(home, master, world, dice, seconds):
    """As long as told, and on a busy machine until there was one of each kind to kill."""
    killed, over = Counter(), threading.Event()
    sender = threading.Thread(target=feed, args=(world, over))
    begin = time.monotonic()
    sender.start()
    try:
        while (past := time.monotonic() - begin) < seconds or (past < AT_MOST and not EACH <= set(killed)):
            time.sleep(KILL_EVERY)  # any moment will do
            kill_one(home, master, dice, killed)
            if past > seconds / 2 and not clock:
                later(home, master)
            master.keep_alive()
    finally:
        over.set()
        sender.join()
    return killed


def first_visit(home, master):
    """Mail that lies there before that is never work."""
    def is_made():
        master.keep_alive()
        try:
            return home.query("SELECT count(*) FROM remote_folder")[0][0]
        except sqlite3.OperationalError:  # nor is the table
            return 0

    if not scene.until(is_made, PEACE):
        raise RuntimeError("no first visit")


# --- the end ---

def doubts(home):
    return home.query("SELECT o.id, o.msgid FROM delivery d JOIN outbox o ON o.id = d.outbox WHERE d.state = 'in_doubt'")


def owed(home):
    """All but mail in doubt, its copies for Sent, and on the server the way to Done of what it answers: both wait until
    it has left."""
    doubt = {f"delivery {row[0]} " for row in home.query(
        "SELECT id FROM delivery WHERE outbox IN (SELECT outbox FROM delivery WHERE state = 'in_doubt')")}
    rows = [f"remote {row[0]} is {row[1]}" for row in home.query(
        "SELECT rowid, wants FROM remote r WHERE wants IS NOT NULL AND NOT EXISTS (SELECT 1 FROM message m JOIN outbox o "
        "ON o.job = m.job JOIN delivery d ON d.outbox = o.id WHERE m.file = r.file AND m.role = r.role AND m.job <> 0 "
        "AND d.state = 'in_doubt')")]
    return rows + [row for row in scene.owed(home) if not row.startswith(tuple(doubt))]


def settle(home, master, world):
    """Waits until nothing else is owed and the world has brought all; gives what is left."""
    left = []

    def is_quiet():
        master.keep_alive()
        known = {row[0] for row in home.query("SELECT msgid FROM message")}
        left[:] = owed(home) + [f"<{i}> was not fetched" for i in world.came() - known]
        return not left

    scene.until(is_quiet, PEACE, every=0.1)
    return left


def decide(home, world):
    """The owner, who has looked into the mailbox of whoever was to get it."""
    words = Counter()
    for out_id, msgid in set(doubts(home)):
        word = "arrived" if world.arrived(msgid) else "retry"
        done = home.run("outbox", word, str(out_id))
        words[word if done.returncode == 0 else f"{word}: {done.stderr}"] += 1
    return words


def wait_sure(home, master):
    scene.until(lambda: master.keep_alive() or not doubts(home), PEACE, every=0.1)
    return [f"<{msgid}> is in doubt" for _, msgid in doubts(home)]


def check_world(tap, home, world):
    came, answers = world.came(), world.answers()
    per_mail = Counter(field(head, "In-Reply-To") for head in answers)
    wrong = [f"<{i}>: {per_mail[i]} answers" for i in came if per_mail[i] != 1]
    wrong += [f"<{i}>: an answer to nothing" for i in per_mail if i not in came]
    tap.ok(f"each of {len(came)} mails has one answer in the asker's mailbox", wrong if came else ["none came"])
    tap.ok("no mail of ours was accepted twice", world.doubled())
    ours = {field(head, "Message-ID") for head in answers}
    # In Sent are the questions to the owner too, in INBOX the copies by which probe learns that a mail arrived.
    for folder, want, allowed in (("INBOX", set(), ours), ("postrider/Active", set(), set()), ("postrider/Done", came, came),
                                  ("Sent", ours, None)):
        there = Counter(field(head, "Message-ID") for head in world.agents(folder))
        wrong = [f"<{i}> {n} times" for i, n in there.items() if n != 1 or (allowed is not None and i not in allowed)]
        tap.ok(f"{folder} holds what it should, once", wrong + [f"<{i}> is not there" for i in want - set(there)])
    jobs = Counter(row[0] for row in home.query("SELECT original_msgid FROM job"))
    tap.ok("one job for each", [f"<{i}>: {jobs[i]} jobs" for i in came | set(jobs) if jobs[i] != 1 or i not in came])


def end(tap, home, master, world, policy):
    tap.ok("all that came in is dealt with", settle(home, master, world))
    words, left = Counter(), []
    while doubts(home) and not left:  # what goes once more may be in doubt once more
        if policy == "probe" and world.sent_copy == "server":
            words["looked for in Sent"] += len(doubts(home))
            later(home, master)
            left = wait_sure(home, master)
        else:
            words += decide(home, world)
        left += settle(home, master, world)
    tap.ok("and what was in doubt", left)
    status = master.stop()
    left = scene.left_behind(home, home.at_work)
    tap.ok("the master stops cleanly", left + ([f"exit {status}"] if status else []))
    return words


def run(tap, kind, policy, seconds, dice, work):
    world = WORLDS[kind](work, dice, seconds)
    try:
        home = make_home(work / "home", world, policy)
        with open(work / "serve.log", "w+b") as log:
            master = Master(home, log)
            try:
                first_visit(home, master)
                killed = attack(home, master, world, dice, seconds)
                world.make_peace()
                words = end(tap, home, master, world, policy)
            finally:
                if master.process.poll() is None:
                    master.kill()
            check_world(tap, home, world)
            tap.ok("the store is sound", scene.check_store(home))
            log.seek(0)
            said = log.read().decode("utf-8", "replace")
        bad = [line for line in said.splitlines() if "Sanitizer" in line or "runtime error" in line]
        tap.ok("no process found a fault in itself", bad)
        tap.ok("every kind of process was killed", [f"no {what} was" for what in EACH - set(killed)])
        if tap.failed:
            tap.diag("\n".join(said.splitlines()[-40:]))
    finally:
        world.stop()
    tap.diag(f"killed: {dict(sorted(killed.items()))}; at the end: {dict(words)}")


def main():
    kind, policy, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    # The search for leaks has a helper process, and whoever loses it waits for ever.
    os.environ["ASAN_OPTIONS"] = "abort_on_error=1:detect_leaks=0"
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(10000)
    tap = Tap()
    tap.diag(f"{kind}, {policy}, seed {seed}")
    with tempfile.TemporaryDirectory() as work:
        run(tap, kind, policy, seconds, random.Random(seed), Path(work))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
