#!/usr/bin/python3
"""Power loss: what may be on the disk when the current goes, for every moment of "one mail in, one reply out".

    powerloss.py path [MAX]          MAX states at most, spread over a part of all; none: all of them
    powerloss.py checkpoint [MAX]    with a log of SQLite that is written back into the store on the way
    powerloss.py job [MAX]           a job of three steps that parks, leaves a checkpoint mail and goes on
    powerloss.py briefing [MAX]      a briefing that is sent, and a reply that is answered
    powerloss.py workflow [MAX]      an approval instead of `send`: a file is moved, and two roles get mail
    powerloss.py commit [MAX]        the same in a git checkout, with --commit: the index follows, and it is committed
    powerloss.py panel [MAX]         the last ballot of a panel instead of `send`: ballots open, a verdict, its mail, a file is moved
    powerloss.py write [MAX]         `artifact write` instead of `send`: a file of a git checkout gets other bytes

Records the file operations of `init`, `send` and `serve --once` with strace, then plays them on a disk
that keeps no more than POSIX says: fsync(file) makes the data of that file last and nothing else,
fsync(folder) its entries; a rename happens whole or not at all. At each moment after `init` the operations
that were not flushed yet may be lost: none of them, all, all but one, only one kept, the last write torn.
Each such state is built as a home, recovered, and checked by the rules of scene.py or job.py. A mail counts as
acknowledged from the moment when `send` has printed its id.

Of the states that a reader could not tell apart one is enough: what is flushed into the log of SQLite (-wal) counts from the
last whole commit in it on, and by the store that it makes; what log/ says is never read. Of 44,000 ways to lose operations
of a briefing every 22nd leaves 557 such states.

Git flushes no folders, and relies on a journal: in a `.git` folder an entry is there only if all that came before it are.

The index of SQLite's log (-shm) is memory that processes share and is never there after a power loss. The
machine starts anew, so a boot id that was written down is no longer the current one.
"""
import functools, hashlib, itertools, operator, os, re, struct, subprocess, sys, time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import job, scene, walk_briefing, walk_job, walk_panel, walk_workflow
from tap import Tap

WORKERS = max(2, os.cpu_count() or 1)
PARTS = 16
LOOK_AT = 10  # ways to lose operations for each state that is tried
CALLS = ("open,openat,openat2,write,writev,pwrite64,lseek,ftruncate,fsync,fdatasync,rename,renameat,renameat2,"
         "link,linkat,symlink,symlinkat,unlink,unlinkat,rmdir,mkdir,mkdirat")
OLD_BOOT = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
LOST_BOOT = "00000000-0000-0000-0000-000000000000"


@dataclass(frozen=True)
class Op:
    """One change. kind: link, symlink, unlink, rename, exchange, mkdir, rmdir (entries) or data, size (a file)."""
    kind: str
    path: str = ""    # the entry, below the disk's top; of a rename the new one
    old: str = ""     # of a rename
    ino: int = 0
    at: int = 0       # offset of data, or the new size
    data: bytes = b""  # of a symlink what it leads to

    def __str__(self):
        return f"{self.kind} {self.path or f'file {self.ino}'}{f' at {self.at}' if self.data else ''}"


# Reading strace

STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
DESCRIPTOR = re.compile(r"(?:^|, )(\d+|AT_FDCWD)<([^>]*)>")
LINE = re.compile(r"(\d+) +(\w+)\((.*)\) += (-?\d+)")


def unhex(text):
    return bytes.fromhex(text.replace("\\x", ""))


def last_number(args):
    return int(args.rsplit(",", 1)[1])


def whole_lines(log):
    """Calls that were interrupted in the log by another process are put together again."""
    begun = {}
    for line in log.open(errors="replace"):
        pid = line.split(" ", 1)[0]
        if line.rstrip().endswith("<unfinished ...>"):
            begun[pid] = line.rstrip().removesuffix("<unfinished ...>")
        elif match := re.match(r"\d+ +<\.\.\. \w+ resumed>(.*)", line):
            yield begun.pop(pid, "") + match[1]
        else:
            yield line


class Recorder:
    """Turns calls into operations on the disk below `top`."""

    def __init__(self, top):
        self.top = os.path.realpath(top)
        self.inodes = itertools.count(1)
        self.names = {}    # path -> ino, as it is now
        self.offsets = {}  # (pid, fd) -> where the next write goes; None: at the end
        self.ops = []
        self.flushes = []  # (number of ops before it, "file" or "folder", ino or path)
        self.said_at = None  # number of ops when the command last wrote to its standard output

    def take_all(self):
        """What lies on the disk now is flushed, however it came there."""
        paths = sorted(Path(self.top).rglob("*"))
        self.names, self.ops, self.flushes = {}, [], []
        for path in paths:
            name = str(path.relative_to(self.top))
            if path.is_dir():
                self.ops.append(Op("mkdir", name))
            elif path.is_file():
                self.names[name] = next(self.inodes)
                self.ops.append(Op("link", name, ino=self.names[name]))
                self.ops.append(Op("data", ino=self.names[name], data=path.read_bytes()))
        for path in [Path(self.top), *paths]:
            self.flush(str(path))

    def below(self, path):
        path = os.path.normpath(path)
        return path[len(self.top) + 1:] if path.startswith(self.top + "/") else None

    def entry(self, fds, text, i):
        """Path number i of a call; relative to the folder whose descriptor is named before it."""
        return self.below(os.path.join(fds[i][1] if i < len(fds) else "/", text))

    def read(self, log):
        for line in whole_lines(log):
            match = LINE.match(line)
            if match and int(match[4]) >= 0:
                self.call(match[1], match[2], match[3], int(match[4]))

    def call(self, pid, name, args, result):
        strings = [unhex(s) for s in STRING.findall(args)]
        fds = [(n, unhex(p).decode() if "\\x" in p else p) for n, p in DESCRIPTOR.findall(args)]
        fd, path = fds[0] if fds else ("", "")
        if name in ("write", "writev", "pwrite64"):
            self.write(pid, name, args, fd, path, b"".join(strings)[:result])
        elif name == "lseek":
            self.offsets[pid, fd] = result
        elif name == "ftruncate":
            if self.below(path) in self.names:
                self.ops.append(Op("size", ino=self.names[self.below(path)], at=last_number(args)))
        elif name in ("fsync", "fdatasync"):
            self.flush(path)
        elif name.startswith("symlink"):
            link = self.entry(fds, strings[1].decode(), 0)
            if link is not None:
                self.names[link] = next(self.inodes)
                self.ops.append(Op("symlink", link, ino=self.names[link], data=strings[0]))
        else:
            paths = [self.entry(fds, s.decode(), i) for i, s in enumerate(strings)]
            if name in ("open", "openat", "openat2"):
                self.open(pid, args, str(result), paths[0])
            elif None not in paths:
                self.change(name, args, paths)

    def open(self, pid, args, fd, path):
        if path is None:
            return
        if path not in self.names and "O_CREAT" in args:
            self.names[path] = next(self.inodes)
            self.ops.append(Op("link", path, ino=self.names[path]))
        if path in self.names:
            if "O_TRUNC" in args:
                self.ops.append(Op("size", ino=self.names[path]))
            self.offsets[pid, fd] = None if "O_APPEND" in args else 0

    def write(self, pid, name, args, fd, path, data):
        ino = self.names.get(self.below(path))
        if ino is None:
            if fd == "1":
                self.said_at = len(self.ops)
            return
        at = last_number(args) if name == "pwrite64" else self.offsets.get((pid, fd), 0)
        if name != "pwrite64" and at is not None:
            self.offsets[pid, fd] = at + len(data)
        self.ops.append(Op("data", ino=ino, at=-1 if at is None else at, data=data))

    def flush(self, path):
        below = self.below(path)
        if below in self.names:
            self.flushes.append((len(self.ops), "file", self.names[below]))
        else:
            self.flushes.append((len(self.ops), "folder", "" if path == self.top else below))

    def change(self, name, args, paths):
        if name.startswith("rename") and "EXCHANGE" in args:
            a, b = paths
            self.ops.append(Op("exchange", b, a))
            self.names[a], self.names[b] = self.names[b], self.names[a]
        elif name.startswith("rename"):
            old, new = paths
            self.ops.append(Op("rename", new, old, self.names.get(old, 0)))
            for p in [p for p in self.names if p == old or p.startswith(old + "/")]:
                self.names[new + p[len(old):]] = self.names.pop(p)
        elif name.startswith("link"):
            self.names[paths[1]] = self.names[paths[0]]
            self.ops.append(Op("link", paths[1], ino=self.names[paths[0]]))
        elif name.startswith("mkdir"):
            self.ops.append(Op("mkdir", paths[0]))
        elif name == "rmdir" or "AT_REMOVEDIR" in args:
            self.ops.append(Op("rmdir", paths[0]))
        elif name.startswith("unlink"):
            if self.names.pop(paths[0], None) is not None:
                self.ops.append(Op("unlink", paths[0]))
        else:
            raise RuntimeError(f"{name}: not in the model")


# The disk

class Target(bytes):
    """What a symbolic link leads to."""


def is_kept_by(op, kind, what):
    if kind == "file":
        return op.kind in ("data", "size") and op.ino == what
    return op.kind not in ("data", "size") and os.path.dirname(op.path) == what


def bits(numbers):
    return sum(1 << i for i in set(numbers))


def numbers(bits):
    return [i for i in range(bits.bit_length()) if bits >> i & 1]


def flushed(ops, flushes):
    """A function: the operations that are surely on the disk after the first `end` of them, as bits."""
    marks = [(done, bits(i for i in range(done) if is_kept_by(ops[i], kind, what))) for done, kind, what in flushes]
    return lambda end: functools.reduce(operator.or_, (kept for done, kept in marks if done <= end), 0)


def play(ops, kept, torn=None):
    """kept: operations, as bits. The files and folders that these operations leave: ({path: bytes}, {folder})."""
    names, folders, data = {}, {""}, {}
    for i in numbers(kept):
        op = ops[i]
        if op.kind == "link":
            names[op.path] = op.ino
        elif op.kind == "symlink":
            names[op.path] = op.ino
            data[op.ino] = Target(op.data)
        elif op.kind == "unlink":
            names.pop(op.path, None)
        elif op.kind == "mkdir":
            folders.add(op.path)
        elif op.kind == "rmdir":
            folders.discard(op.path)
        elif op.kind == "exchange":
            names[op.path], names[op.old] = names.get(op.old), names.get(op.path)
        elif op.kind == "rename" and op.ino:
            names.pop(op.old, None)
            names[op.path] = op.ino
        elif op.kind == "rename":
            move_folder(names, folders, op)
        elif op.kind == "size":
            set_size(data.setdefault(op.ino, bytearray()), op.at)
        elif op.kind == "data":
            new = op.data[:len(op.data) // 2] if i == torn else op.data
            file = data.setdefault(op.ino, bytearray())
            at = len(file) if op.at < 0 else op.at
            set_size(file, max(len(file), at))
            file[at:at + len(new)] = new
    files = {p: data.get(i, b"") for p, i in names.items() if i and has_way(p, folders) and not p.endswith("-shm")}
    return files, {f for f in folders if f and has_way(f, folders)}


def set_size(file, size):
    del file[size:]
    file.extend(bytes(size - len(file)))


def move_folder(names, folders, op):
    for p in [p for p in folders if p == op.old or p.startswith(op.old + "/")]:
        folders.remove(p)
        folders.add(op.path + p[len(op.old):])
    for p in [p for p in names if p.startswith(op.old + "/")]:
        names[op.path + p[len(op.old):]] = names.pop(p)


def has_way(path, folders):
    parent = os.path.dirname(path)
    return not parent or (parent in folders and has_way(parent, folders))


def with_journal(ops):
    """A function: the operations with those that a journal keeps before them."""
    journal = [i for i, op in enumerate(ops) if "/.git/" in op.path and op.kind not in ("data", "size")]

    def add(kept):
        last = max((i for i in journal if kept >> i & 1), default=-1)
        return kept | bits(i for i in journal if i < last)
    return add if journal else lambda kept: kept


def states(ops, flushes, first, said):
    """(kept operations, torn one, how it came, acknowledged) for all that a power loss can leave."""
    seen, must_after, with_earlier = set(), flushed(ops, flushes), with_journal(ops)
    for end in range(first, len(ops) + 1):
        must, all_ = must_after(end), (1 << end) - 1
        may = numbers(all_ & ~must)
        ways = [(must, None, "all unflushed lost"), (all_, None, "none lost")]
        ways += [(all_ & ~(1 << i), None, f"lost only: {ops[i]}") for i in may]
        ways += [(must | 1 << i, None, f"unflushed kept only: {ops[i]}") for i in may]
        if may and ops[may[-1]].kind == "data":
            ways.append((all_, may[-1], f"torn: {ops[may[-1]]}"))
        for kept, torn, how in ways:
            kept = with_earlier(kept)
            key = kept, torn, end >= said
            if key not in seen:
                seen.add(key)
                yield kept, torn, f"after {end} ops ({ops[end - 1]}): {how}", end >= said


# The walk

class OneMail:
    """The path: which passes follow `init` and `send`, and what must be true of a home afterwards."""
    hours = (0,)  # by the clock of each pass

    def __init__(self, long_log=False):
        self.long_log = long_log

    def begin(self, home):
        """What is there before; true where something was made."""
        if self.long_log:
            scene.fill_log(home)
        return self.long_log

    def settings(self, home):
        home.config()

    def say(self, traced):
        """What is to be answered; gives what was printed."""
        return traced("send", "--to", scene.ROLE, "--subject", "hello", stdin="hello\n")

    def ended(self, home, msgid):
        return scene.check_mails(home, [msgid])

    def after(self, home, acked):
        return scene.after_fault(home, acked, at_most=1)


class OneJob(OneMail):
    hours = (1, 1 + job.PAUSE)

    def settings(self, home):
        job.settings(home, walk_job.STEPS, walk_job.MAIL_EVERY, walk_job.STEPS_PER_RUN)

    def ended(self, home, msgid):
        self.want = job.snapshot(home)
        return job.check(home, self.want) + ([] if job.state(home) == "done" else ["it has not ended"])

    def after(self, home, acked):
        """A task that was never acknowledged may be lost; then there is no job."""
        if problems := job.finish(home, hours=2 + job.PAUSE, passes=12):
            return problems
        return [] if not acked and job.state(home) is None else job.check(home, self.want)


class OneBriefing(OneMail):
    """From `briefing send` on; what is acknowledged is the reply."""
    reply = walk_briefing.REPLIES[0]

    def settings(self, home):
        (home.path / "postrider.conf").write_text(walk_briefing.CONFIG)

    def say(self, traced):
        traced("briefing", "send", walk_briefing.DATE, "-", stdin=walk_briefing.BRIEFING)
        return traced("send", "--to", "carlton", "--in-reply-to", f"<carlton-{walk_briefing.DATE}@carlton.local>",
                      "--subject", "Re: Good morning", stdin=self.reply + "\n")

    def ended(self, home, msgid):
        return walk_briefing.check(home, [self.reply])

    def after(self, home, acked):
        """A briefing whose command did not end may be lost; then it is sent again. No reply comes before it."""
        there = home.query("SELECT 1 FROM sqlite_master WHERE name = 'report'") and home.query("SELECT 1 FROM report")
        if acked and not there:
            return ["the briefing is lost"]
        if not there:
            walk_briefing.send(home)
        if problems := scene.recover(home, hours=3):
            return problems
        recorded = walk_briefing.sent(home)
        problems = ["the reply is lost"] * (bool(acked) and recorded != 1)
        return problems + walk_briefing.check(home, [self.reply][:recorded])


class OneApproval(OneMail):
    """Without git, whose own files a power loss may take."""
    def settings(self, home):
        (home.path / "postrider.conf").write_text(walk_workflow.CONFIG)

    def begin(self, home):
        walk_workflow.make_project(home)
        walk_workflow.request(home)
        home.run("serve", "--once")
        return True

    def say(self, traced):
        return traced("notify", "--from", "spec-reviewer", "approval", walk_workflow.BEFORE, "spec-writer",
                      "NEXT_ROLES=skeleton-writer", stdin="hello\n")

    def ended(self, home, msgid):
        return walk_workflow.check(home)

    def after(self, home, acked):
        lost = [i for i in acked if not home.query("SELECT 1 FROM event WHERE msgid = ?", i)]
        return [f"lost: {i}" for i in lost] or walk_workflow.after_fault(home)


class OneCommit(OneApproval):
    """The same in a git checkout, and committed."""
    def begin(self, home):
        walk_workflow.make_project(home)
        walk_workflow.make_repository(home)
        walk_workflow.request(home)
        home.run("serve", "--once")
        return True

    def say(self, traced):
        return traced("notify", "--from", "spec-reviewer", "--commit", "approval", walk_workflow.BEFORE, "spec-writer",
                      "NEXT_ROLES=skeleton-writer")


class OnePanel(OneMail):
    """Three members have discussed; the last one votes again. What is acknowledged is the review-request, long before."""
    OPEN = "SELECT job FROM ballot WHERE verdict = '' ORDER BY id"

    def settings(self, home):
        walk_panel.settle(home)

    def begin(self, home):
        walk_panel.furnish(home)
        walk_panel.request(home)
        home.run("deliver")
        home.run("account", "main", "--once")
        while home.query("SELECT count(*) FROM ballot WHERE round = 2 AND verdict <> ''") != [(2,)]:
            job, = (home.query(self.OPEN) or home.query("SELECT id FROM job ORDER BY id"))[0]
            home.run("run", str(job))
        self.last, = home.query(self.OPEN)[0]
        self.request, = home.query("SELECT msgid FROM cycle")[0]
        return True

    def say(self, traced):
        traced("run", str(self.last))
        return f"<{self.request}>"

    def ended(self, home, msgid):
        return walk_panel.check(home, True)

    def after(self, home, acked):
        return scene.recover(home, hours=3) or walk_panel.check(home, True)


class OneWrite(OneApproval):
    """What is acknowledged is the digest of what was written."""
    def begin(self, home):
        walk_workflow.make_project(home, walk_workflow.DRAFT)
        walk_workflow.make_repository(home)
        return True

    def say(self, traced):
        printed = traced("artifact", "write", *walk_workflow.WRITE, stdin=walk_workflow.TEXT)
        return f"<{printed.strip()}>"

    def ended(self, home, msgid):
        return self.after(home, [msgid])

    def after(self, home, acked):
        if problems := scene.recover(home, hours=3):
            return problems
        folder = home.path / "project/specs/proposed"
        there = {p.name: p.read_text() for p in folder.iterdir() if not p.name.startswith(".postrider-tmp-")}
        either = (walk_workflow.TEXT,) if acked else (walk_workflow.TEXT, walk_workflow.DRAFT)
        problems = [f"files: {there}"] * (there not in [{"auth.md": text} for text in either])
        return problems + scene.check_store(home)


def record(work, path):
    """Runs the path under strace; gives the recorder, where `init` and `send` ended, the mail's id, all modes."""
    top = Path(work) / "disk"
    top.mkdir()
    home = scene.Home(top / "home")
    recorder = Recorder(top)

    def traced(*args, **how):
        log = Path(work) / "strace.log"
        done = home.run(*args, before=["strace", "-f", "-qq", "-y", "-xx", "-s", "1048576", "-o", str(log),
                                       "-e", f"trace={CALLS}"], **how)
        if done.returncode:
            raise RuntimeError(f"{args[0]}: {done.stderr}")
        recorder.said_at = None
        recorder.read(log)
        return done.stdout

    traced("init")
    path.settings(home)
    if path.begin(home):
        recorder.take_all()
    made = len(recorder.ops)
    printed = path.say(traced)
    said = recorder.said_at
    for hours in path.hours:
        traced("serve", "--once", hours=hours)
    msgid = re.search(r"<(\S+)>", printed)[1]
    if problems := path.ended(home, msgid):
        raise RuntimeError(f"without a power loss: {problems}")
    modes = {str(p.relative_to(top)): p.lstat().st_mode & 0o777 for p in top.rglob("*")}
    return recorder, made, said, msgid, modes


def build(top, files, folders, modes):
    for folder in sorted(folders):
        (top / folder).mkdir(mode=0o700)
    for path, data in files.items():
        file = top / path
        if isinstance(data, Target):
            file.symlink_to(data.decode())
            continue
        file.write_bytes(data.replace(OLD_BOOT.encode(), LOST_BOOT.encode()) if "postrider.db" not in path else data)
        file.chmod(modes.get(path, 0o600))
    return scene.Home(top / "home")


def check(work, number, files, folders, modes, path, acked):
    top = Path(work) / f"state-{number}"
    top.mkdir()
    try:
        home = build(top, files, folders, modes)
        if not (home.path / "postrider.conf").exists():
            return ["the home is gone"]
        path.settings(home)
        return path.after(home, acked)
    finally:
        scene.shutil.rmtree(top)


# What a reader sees

class Reader:
    """Tells states apart as somebody does who opens the home: by names, bytes, and what SQLite makes of store and log."""
    FRAME = 24  # bytes in front of a page in the log

    def __init__(self):
        self.sums = {}  # (sums so far, digest of bytes) -> sums

    def sum(self, order, sums, data):
        key = sums, hashlib.md5(data).digest()
        if key not in self.sums:
            a, b = sums
            words = struct.unpack(f"{order}{len(data) // 4}I", data)
            for first, second in zip(words[::2], words[1::2]):
                a = (a + first + b) & 0xffffffff
                b = (b + second + a) & 0xffffffff
            self.sums[key] = a, b
        return self.sums[key]

    def commits(self, log):
        """({page number: page}, pages in all) after the last whole commit in the log; ({}, 0): there is none."""
        head = struct.unpack(">8I", log[:32]) if len(log) >= 32 else (0,) * 8
        order, size, salt = ">" if head[0] & 1 else "<", head[2], head[4:6]
        sums = self.sum(order, (0, 0), log[:24])
        done, open_, total = {}, {}, 0
        if head[0] & ~1 != 0x377f0682 or sums != head[6:]:
            return done, total
        for at in range(32, len(log) - size - self.FRAME + 1, size + self.FRAME):
            number, commit, *rest = struct.unpack(">6I", log[at:at + self.FRAME])
            page = log[at + self.FRAME:at + self.FRAME + size]
            sums = self.sum(order, self.sum(order, sums, log[at:at + 8]), page)
            if (*salt, *sums) != tuple(rest):
                break
            open_[number] = page
            if commit:
                done.update(open_)
                open_, total = {}, commit
        return done, total

    def store(self, db, log):
        pages, total = self.commits(log)
        if not total:
            return db
        size = len(next(iter(pages.values())))
        return b"".join(pages.get(n, db[(n - 1) * size:n * size].ljust(size, b"\0")) for n in range(1, total + 1))

    def key(self, files, folders):
        digest = hashlib.sha256()
        for path in sorted(files):
            if path.endswith("-wal"):
                continue
            data = b"" if "/log/" in path else bytes(files[path])
            if path.endswith(".db"):
                data = self.store(data, bytes(files.get(path + "-wal", b"")))
            digest.update(f"{path}\0{len(data)}\0".encode() + data)
        return digest.digest(), frozenset(folders)


def distinct(recorder, ways):
    """Those of the states that a reader can tell apart."""
    reader, seen = Reader(), set()
    for kept, torn, how, acked in ways:
        key = *reader.key(*play(recorder.ops, kept, torn)), acked
        if key not in seen:
            seen.add(key)
            yield kept, torn, how, acked


def spread(things, most):
    return things[::-(-len(things) // most) or 1] if most else things


def main():
    kind, most = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None
    limit = 2 * float(os.environ.get("SOAK_SECONDS", 0))
    tap = Tap()
    with scene.scratch() as work:
        kinds = {"job": OneJob, "briefing": OneBriefing, "workflow": OneApproval, "commit": OneCommit,
                 "write": OneWrite, "panel": OnePanel}
        path = kinds[kind]() if kind in kinds else OneMail(long_log=kind == "checkpoint")
        recorder, made, said, msgid, modes = record(work, path)
        ways = list(states(recorder.ops, recorder.flushes, made, said))
        looked_at = spread(ways, most and most * LOOK_AT)
        different = list(distinct(recorder, looked_at))
        chosen = spread(different, most)
        chosen = [c for part in range(PARTS) for c in chosen[part::PARTS]]  # all over, should the time not suffice
        end = time.monotonic() + limit

        def attempt(job):
            number, (kept, torn, how, acked) = job
            if limit and time.monotonic() > end:
                return how, None
            files, folders = play(recorder.ops, kept, torn)
            return how, check(work, number, files, folders, modes, path, [msgid] if acked else [])

        problems, done = [], 0
        with ThreadPoolExecutor(WORKERS) as pool:
            for how, found in pool.map(attempt, enumerate(chosen)):
                done += found is not None
                problems += [f"{how}: {p}" for p in found or ()]
        tap.ok(f"power loss, {kind}: {done} states recover, nothing lost, nothing doubled", problems)
        tap.diag(f"operations: {len(recorder.ops)}, flushes: {len(recorder.flushes)}, "
                 f"ways to lose some: {len(ways)}, looked at: {len(looked_at)}, "
                 f"states in them that differ: {len(different)}, tried: {done}")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
