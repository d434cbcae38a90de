"""What the crash tests share: a home with one role and a quick brain, and what must be true of it.

The path that is attacked is "one mail in, one reply out": `send` puts a mail into the outbox and
prints its id, `serve --once` delivers it to the role, takes it in, claims the job, asks the brain,
commits, settles and delivers the answer. Whatever went wrong on the way, after recovery

 (1) a mail whose id was printed with exit status 0 is answered exactly once, one that was not so
     acknowledged not at all or exactly once;
 (2) the role has it once, in Done, handled, by one job that is done after one step;
 (3) nothing is owed: no delivery, no effect; the store is sound and `doctor` finds nothing;
 (4) the home works on: a second mail is answered once.
"""
import os, re, shutil, sqlite3, subprocess, tempfile, time
from collections import Counter, defaultdict
from pathlib import Path

# Whoever is not root could not follow the system calls of a program that lets nobody look into it.
os.environ["POSTRIDER_TRACED"] = "1"
os.environ["POSTRIDER_TEST_SANDBOX"] = "off"

ROLE = "envoy"
OWNER = "you"
HOUR = 3600
PASSES = 6  # of recovery, each an hour later by the program's clock: backoffs and retries are over

CONFIG = """
[postrider]
owner = you@postrider.local
domain = postrider.local
ack-after = 0
retry-first = 1s
workers = 2
log-level = error
instance = walk

[account main]
kind = maildir

[brain default]
kind = command
command = printf ok

[role envoy]
address = envoy@postrider.local
brain = default
max-attempts = 1000
"""


def program():
    """The binary without sanitizers: the tests look at its system calls."""
    root = Path(__file__).resolve().parent.parent.parent
    return Path(os.environ.get("POSTRIDER_PLAIN_BIN", root / "build" / "postrider"))


def tool(name):
    """A test program that lies beside the binary in the build folder."""
    return program().parent / name


def scratch():
    """A temporary folder, in memory where there is room: a disk that must obey every fsync only slows a walk down."""
    try:
        free = os.statvfs("/dev/shm")
        here = "/dev/shm" if os.access("/dev/shm", os.W_OK) and free.f_bavail * free.f_frsize >= 1 << 28 else None
    except OSError:
        here = None
    return tempfile.TemporaryDirectory(prefix="pr-", dir=here)


class Home:
    def __init__(self, path):
        self.path = Path(path)

    def __str__(self):
        return self.path.name

    def command(self, *args):
        return [str(program()), "--home", str(self.path), *args]

    def run(self, *args, stdin="", hours=0, before=(), env=None):
        """Runs a verb to its end, `hours` later by its clock, `before` in front of the command line."""
        env = os.environ | {"POSTRIDER_CLOCK": f"+{int(hours * HOUR)}"} | (env or {})
        return subprocess.run([*before, *self.command(*args)], input=stdin, env=env, text=True,
                              errors="replace", capture_output=True)

    def copy_to(self, path):
        shutil.rmtree(path, ignore_errors=True)
        subprocess.run(["cp", "-a", self.path, path], check=True)
        return Home(path)

    def config(self, brain="printf ok"):
        text = CONFIG.replace("command = printf ok", f"command = {brain}")
        (self.path / "postrider.conf").write_text(text)

    def send(self, text="hello", **how):
        """Sends a mail to the role; gives its id when that was acknowledged, else None."""
        done = self.run("send", "--to", ROLE, "--subject", text, stdin=text + "\n", **how)
        found = re.fullmatch(r"<(\S+)>\n", done.stdout)
        return found[1] if done.returncode == 0 and found else None

    def query(self, sql, *args):
        db = sqlite3.connect(f"file:{self.path}/state/postrider.db?mode=ro", uri=True, timeout=60)
        try:
            return db.execute(sql, args).fetchall()
        finally:
            db.close()

    def is_master(self, process):
        lock = self.path / "state" / "master.lock"
        return lock.exists() and lock.read_text().split("\n")[0] == str(process.pid)

    def stop_master(self, process, seconds):
        """Asks it to end once it is the master: before that it has adopted nothing that it could take along."""
        until(lambda: self.is_master(process) or process.poll() is not None, seconds)
        process.terminate()
        return process.wait(seconds)

    def mails(self, mailbox, but=()):
        """(folder, head) of every mail of a mailbox, folders in `but` left out."""
        for path in (self.path / "mail" / mailbox).rglob("*"):
            sub, folder = path.parent.name, path.parent.parent.name
            if sub not in ("new", "cur") or folder.lstrip(".") in but:
                continue
            head = path.read_bytes().partition(b"\n\n")[0].decode("utf-8", "replace")
            yield folder if folder.startswith(".") else "", head.replace("\n ", " ")


def make_home(path):
    home = Home(path)
    done = home.run("init")
    if done.returncode:
        raise RuntimeError(f"init: {done.stderr}")
    home.config()
    return home


FILL = """
import os, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA wal_autocheckpoint = 0")
db.execute("PRAGMA synchronous = OFF")
while os.path.getsize(sys.argv[1] + "-wal") < int(sys.argv[2]) * (4096 + 24):
    db.execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('filled', random())")
os._exit(0)  # closing would empty the log
"""


def fill_log(home, pages=1000):
    """Makes SQLite's log so long that one of the next few commits writes it back into the store."""
    subprocess.run(["/usr/bin/python3", "-c", FILL, home.path / "state/postrider.db", str(pages)], check=True)


def processes(home):
    """(pid, what) of all that works for the home now, except those who send."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            args = (entry / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
            environ = (entry / "environ").read_bytes()
        except OSError:
            continue
        if Path(args[0]).name.startswith("postrider") and str(home.path) in args and "send" not in args:
            yield int(entry.name), next((a for a in args if a in ("serve", "account", "run", "deliver")), "other")
        elif b"POSTRIDER_ROLE=" in environ and str(home.path).encode() in environ:
            yield int(entry.name), "brain"


def until(holds, seconds, every=0.02):
    """Looks until it holds, at most so long; gives what it gave last. A store and a table of processes wake nobody."""
    end = time.monotonic() + seconds
    while not (said := holds()) and time.monotonic() < end:
        time.sleep(every)
    return said


def left_behind(home, there=None, seconds=30):
    """Who is at work when the master has gone. A deliver or submit that another had started is not its to end, and
    is over in a moment; whoever stays longer should not be there."""
    there, left = there or (lambda: processes(home)), []

    def all_gone():
        left[:] = there()
        return not left

    until(all_gone, seconds)
    return [f"{what} {pid} still runs" for pid, what in left]


def ids_in(head, field):
    line = re.search(rf"^{field}: *(.*)$", head, re.M | re.I)
    return re.findall(r"<([^>]+)>", line[1]) if line else []


def owed(home):
    """What the store says is still to be done; all of it in words, for a person to read."""
    kinds = (("message", "SELECT id, state FROM message WHERE state IN ('stored', 'shown')"),
             ("job", "SELECT id, state FROM job WHERE state IN ('queued', 'running', 'parked')"),
             ("delivery", "SELECT id, state FROM delivery WHERE state <> 'sent'"),
             ("effect", "SELECT id, kind FROM effect"))
    return [f"{kind} {row[0]} is {row[1]}" for kind, sql in kinds for row in home.query(sql)]


def recover(home, hours=0):
    """Passes until nothing is owed; gives the problems that recovery itself has."""
    for i in range(PASSES):
        done = home.run("serve", "--once", hours=hours + i)
        if done.returncode == 0 and not owed(home):
            return []
    return [f"recovery: exit {done.returncode}: {done.stderr.strip()}", *owed(home)]


def check_mails(home, ids, ends=("done",)):
    """Rules (1) and (2) for these mails; `ends` are the states in which their jobs may be."""
    answers = Counter(i for _, h in home.mails(OWNER, but=("Sent", "Drafts")) for i in ids_in(h, "In-Reply-To"))
    copies = Counter(i for f, h in home.mails(ROLE) if f == ".Sent" for i in ids_in(h, "In-Reply-To"))
    places, rows, jobs = defaultdict(list), defaultdict(list), defaultdict(list)
    for folder, head in home.mails(ROLE, but=("Sent",)):
        places[ids_in(head, "Message-ID")[0]].append(folder)
    for msgid, state in home.query("SELECT msgid, state FROM message WHERE role = ?", ROLE):
        rows[msgid].append(state)
    for msgid, state, steps in home.query("SELECT original_msgid, state, steps FROM job"):
        jobs[msgid].append((state, steps))

    def wrong(msgid):
        if answers[msgid] != 1:
            yield f"{answers[msgid]} answers"
        if copies[msgid] != 1:
            yield f"{copies[msgid]} copies of the answer in Sent"
        if places[msgid] != [".Done"]:
            yield f"lies in {places[msgid]} of the role's mailbox"
        if rows[msgid] != ["handled"]:
            yield f"is {rows[msgid]} in the store"
        if len(jobs[msgid]) != 1 or jobs[msgid][0][0] not in ends or jobs[msgid][0][1] != 1:
            yield f"has jobs {jobs[msgid]}"

    problems = [f"<{i}>: {p}" for i in ids for p in wrong(i)]
    problems += [f"<{i}>: answered, and nobody knows it" for i in answers if i not in ids]
    return problems


def check_store(home):
    """Rule (3)."""
    problems = owed(home)
    sound = home.query("PRAGMA integrity_check")
    if sound != [("ok",)]:
        problems.append(f"integrity: {sound}")
    done = home.run("doctor")
    if done.returncode != 0:
        problems.append(f"doctor: exit {done.returncode}: {done.stdout}{done.stderr}")
    return problems


def known_ids(home):
    """Every mail to the role that the store or its Maildir has, acknowledged or not."""
    owner = f"{OWNER}@postrider.local"
    rows = home.query("SELECT msgid FROM message WHERE role = ?", ROLE)
    rows += home.query("SELECT msgid FROM outbox WHERE from_spec = ?", owner)
    filed = [i for _, h in home.mails(ROLE, but=("Sent",)) for i in ids_in(h, "Message-ID")]
    return {row[0] for row in rows} | set(filed)


def after_fault(home, acked, at_most):
    """Recovers and checks all rules; `acked` are ids, `at_most` how many mails there can be."""
    problems = recover(home, hours=1)
    if problems:
        return problems
    known = known_ids(home)
    problems += [f"acknowledged mail <{i}> is lost" for i in acked if i not in known]
    if len(known) > at_most:
        problems.append(f"{len(known)} mails, at most {at_most} were sent")
    second = home.send("are you well?", hours=2 * PASSES)
    if not second:
        return problems + ["a second mail is refused"]
    problems += recover(home, hours=2 * PASSES)
    problems += check_mails(home, known | {second})
    strays = sum(1 for _ in home.mails(OWNER, but=("Sent", "Drafts"))) - len(known) - 1
    if strays:
        problems.append(f"{strays} mails to the owner too many")
    return problems + check_store(home)
