"""Servers that mean harm: 38 by IMAP, 17 by SMTP, 21 by HTTP.

Each row is one way to answer wrongly, without end, or not at all. While the server behaves so, the program must end by
itself within TIME and MEMORY, say why in few short lines without control characters, and neither crash nor trip a
sanitizer. When the server is honest again, every mail is there once, was accepted at most once, or was answered once.
"""
import json, os, re, shutil, smtplib, subprocess, sys, tempfile, threading, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "crash"))
from tap import Tap  # noqa: E402

CHECKED = os.environ.get("POSTRIDER_BIN", str(ROOT / "build-check" / "postrider"))
PLAIN = os.environ.get("POSTRIDER_PLAIN_BIN", str(ROOT / "build" / "postrider"))
TIME = 15        # seconds for one hostile visit, on a loaded machine; the program itself gives up after PATIENCE
PATIENCE = "1"
MEMORY = 512     # MB, with the sanitizer's own
LINES, WIDTH = 6, 600
MB = 1 << 20


def rule(on, **what):
    return {"on": on, "times": 0, **what}


def says(on, text, **what):
    return rule(on, answer=text, **what)


def hangs(on, **what):
    return rule(on, answer="", end="hang", **what)


BODY = "UID FETCH"
IMAP = {
    # before the login
    "greeting: silence": hangs("connect"),
    "greeting: closed": rule("connect", cut=0, end="close"),
    "greeting: reset": rule("connect", cut=0, end="reset"),
    "greeting: BYE": says("connect", "* BYE go away\r\n"),
    "greeting: another protocol": says("connect", "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", end="close"),
    "greeting: bytes": says("connect", "\x00\xff\xfe\x1b[2J\r\n" * 100),
    "greeting: 20 MB without a line end": rule("connect", before="x" * 1024, repeat=20 << 10, end="hang"),
    "CAPABILITY: silence": hangs("CAPABILITY"),
    "CAPABILITY: 100,000 words": says("CAPABILITY", "* CAPABILITY" + " X" * 100000 + "\r\n{tag} OK\r\n"),
    "CAPABILITY: lines without end": rule("CAPABILITY", before="* CAPABILITY IMAP4rev1\r\n", repeat=600000),
    "LOGIN: NO, with escape codes": says("AUTHENTICATE", "{tag} NO \x1b]0;owned\x07\x1b[2J no\r\n"),
    "LOGIN: another one's tag": says("AUTHENTICATE", "zzz OK welcome\r\n", end="hang"),
    "LOGIN: asked for more without end": says("AUTHENTICATE", "+ \r\n" * 5000, end="hang"),
    "LOGIN: BYE": says("AUTHENTICATE", "* BYE too many connections\r\n", end="close"),
    # folders
    "LIST: 200,000 folders": rule("LIST", before='* LIST () "/" "f"\r\n', repeat=200000),
    "LIST: a name of 2 MB": says("LIST", '* LIST () "/" "' + "n" * 2 * MB + '"\r\n{tag} OK\r\n'),
    "LIST: brackets without end": says("LIST", "* LIST " + "(" * 100000 + "\r\n{tag} OK\r\n"),
    "LIST: names that lead elsewhere": rule("LIST", before='* LIST (\\Sent) "/" "../../x"\r\n* LIST () "/" "a\\"\r\n'),
    "SELECT: NO": says("SELECT", "{tag} NO [UNAVAILABLE] later\r\n"),
    "SELECT: 4 billion mails": rule("SELECT", before="* 4294967295 EXISTS\r\n"),
    "SELECT: numbers that are none": says("SELECT", "* OK [UIDVALIDITY 0] x\r\n* OK [UIDNEXT -1] x\r\n{tag} OK x\r\n"),
    "SELECT: no UIDVALIDITY": says("SELECT", "* 3 EXISTS\r\n{tag} OK [READ-WRITE] done\r\n"),
    "SELECT: silence": hangs("SELECT"),
    # mail
    "SEARCH: a million numbers": says("UID SEARCH", "* SEARCH" + " 7" * 1000000 + "\r\n{tag} OK\r\n"),
    "SEARCH: numbers that are none": says("UID SEARCH", "* SEARCH -1 0 18446744073709551616 x\r\n{tag} OK\r\n"),
    "FETCH: a literal of 99 GB": says(BODY, "* 4 FETCH (UID 4 BODY[] {99999999999}\r\n", end="hang"),
    "FETCH: a literal that overflows": says(BODY, "* 4 FETCH (UID 4 BODY[] {18446744073709551615}\r\nx)\r\n{tag} OK\r\n"),
    "FETCH: a negative literal": says(BODY, "* 4 FETCH (UID 4 BODY[] {-1}\r\n)\r\n{tag} OK\r\n"),
    "FETCH: cut in the literal": rule(BODY, cut=150, end="close"),
    "FETCH: reset": rule(BODY, cut=60, end="reset"),
    "FETCH: a byte at a time, then silence": rule(BODY, split=1, cut=300, end="hang"),
    "FETCH: nobody's mail": says(BODY, "* 9 FETCH (UID 999 RFC822.SIZE 3 BODY[] {3}\r\nabc)\r\n{tag} OK\r\n"),
    "FETCH: NIL": says(BODY, "* 4 FETCH (UID 4 RFC822.SIZE 0 BODY[] NIL)\r\n{tag} OK\r\n"),
    "FETCH: 600,000 lines of news": rule(BODY, before="* 5 EXISTS\r\n", repeat=600000),
    "FETCH: a size that lies": says(BODY, "* 4 FETCH (UID 4 RFC822.SIZE 5 BODY[] {70}\r\n" + "y" * 70 + ")\r\n", end="close"),
    "FETCH: OK, and nothing": says(BODY, "{tag} OK done\r\n"),
    "FETCH: BYE in the middle": rule(BODY, cut=100, before="* BYE restart\r\n", end="close"),
    "any: quotes without end": says("UID SEARCH", '* SEARCH "' + "q" * 4 * MB, end="hang"),
}

# What may have become of the mail while the server was so: it waits, is in doubt, was refused for good, or is there.
SMTP = {
    "greeting: silence": (hangs("connect"), "wait"),
    "greeting: reset": (rule("connect", cut=0, end="reset"), "wait"),
    "greeting: 554": (says("connect", "554 5.7.1 nobody is served here"), "wait failed"),
    "greeting: 20 MB without a line end": (rule("connect", before="2" * 1024, repeat=20 << 10, end="hang"), "wait"),
    "EHLO: lines without end": (rule("EHLO", before="250-X\r\n", repeat=400000), "wait"),
    "EHLO: bytes": (says("EHLO", "\x00\xff\x1b[2J\r\n", end="hang"), "wait"),
    "AUTH: 535 with escape codes": (says("AUTH", "535 5.7.8 \x1b]0;owned\x07 no"), "wait"),
    "AUTH: asked for more without end": (says("AUTH", "334 \r\n" * 5000, end="hang"), "wait"),
    "MAIL: 451": (says("MAIL", "451 4.3.0 later"), "wait"),
    "MAIL: two codes in one answer": (says("MAIL", "250-ok\r\n550 no"), "wait failed"),
    "RCPT: 550": (says("RCPT", "550 5.1.1 nobody"), "failed"),
    "RCPT: silence": (hangs("RCPT"), "wait"),
    "DATA: 250 instead of 354": (says("DATA", "250 ok"), "wait failed"),
    "DATA: reset": (rule("DATA", cut=0, end="reset"), "wait"),
    "dot: silence": (rule("dot", answer="", end="hang"), "doubt"),
    "dot: accepted, and never said": (rule("dot", lost=True), "doubt there"),
    "dot: bytes": (says("dot", "\xff\xff\xff\r\n", end="close"), "doubt wait failed"),
}

HTTP = ("429-bare", "500", "503", "529", "400", "401", "402", "404", "413", "cut", "reset", "no-stop", "hang-up", "length",
        "stream-error", "stall", "html", "garbage", "redirect", "huge", "bomb")
assert (len(IMAP), len(SMTP), len(HTTP)) == (38, 17, 21)

ANSWER = {"status": "complete", "current_phase": "complete", "reasoning": "", "send_emails": [{"to": [], "body": "Here it is."}]}
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Peer:
    """tests/peers/mailpeer, which begins anew for each row."""

    def __init__(self, log):
        self.log = Path(log)
        self.process = subprocess.Popen([ROOT / "tests" / "peers" / "mailpeer", "--with-stdin", "--log", log], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.imap, self.smtp = map(int, self.process.stdout.readline().split())

    def tell(self, what):
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "ready\n"

    def honest(self):
        self.tell(None)

    def accepted(self):
        return [line for line in map(json.loads, self.log.read_text().splitlines()) if line["event"] == "accepted"]

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Home:
    def __init__(self, folder, settings):
        shutil.rmtree(folder, ignore_errors=True)
        self.path = Path(folder)
        self.run("init")
        (self.path / "postrider.conf").write_text(settings)
        secret = self.path / "password"
        secret.touch(0o600)
        secret.write_text("agent-pw\n")
        self.problems = []

    def run(self, *args, clock=0, text=None):
        env = os.environ | ({"POSTRIDER_CLOCK": f"+{clock}"} if clock else {})
        done = subprocess.run([PLAIN, "--home", self.path, *args], env=env, input=text or "", text=True, capture_output=True,
                              timeout=60)
        return done

    def expect(self, *args, clock=0):
        """As run, at most thrice: whoever was refused a moment ago may first have to learn that it is over."""
        for _ in range(3):
            done = self.run(*args, clock=clock)
            if done.returncode == 0:
                return
        self.problems.append(f"{' '.join(args)}: exit {done.returncode}: {done.stderr[:300]}")

    def suffers(self, *args):
        """One visit to a hostile server, with sanitizers, within limits."""
        with tempfile.TemporaryFile() as said:
            begin = time.monotonic()
            process = subprocess.Popen([CHECKED, "--home", self.path, *args], stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                                       env=os.environ | {"POSTRIDER_PATIENCE": PATIENCE})
            killer = threading.Timer(TIME * 2, process.kill)
            killer.start()
            _, status, usage = os.wait4(process.pid, 0)
            killer.cancel()
            took = time.monotonic() - begin
            said.seek(0)
            text = said.read().decode("utf-8", "backslashreplace")
        code = os.waitstatus_to_exitcode(status)
        lines = text.splitlines()
        if code < 0 or "Sanitizer" in text or "runtime error" in text:
            self.problems.append(f"it crashed ({code}): {text[:2000]}")
        if took > TIME:
            self.problems.append(f"it took {took:.1f} s")
        if usage.ru_maxrss > MEMORY << 10:
            self.problems.append(f"it took {usage.ru_maxrss >> 10} MB")
        if len(lines) > LINES or any(len(line) > WIDTH or CONTROL.search(line) for line in lines):
            self.problems.append(f"it said: {text[:1000]!r}")
        return code, text


SETTINGS = """[postrider]
owner = you@postrider.local
log-level = warn
[trust]
require-auth = none
principals = carol@test.example
[brain default]
kind = script
script = scripts/demo.jsonl
[role envoy]
address = agent@test.example
"""
LOGIN = """host = 127.0.0.1
port = {port}
tls = none
user = agent@test.example
password-file = password
"""


def imap_row(peer, folder, name, rule):
    peer.tell(["--mails", "3"])
    home = Home(folder, SETTINGS + "[account main]\nkind = maildir\n[account work]\nkind = imap\nrole = envoy\n" + LOGIN.format(port=peer.imap))
    home.expect("account", "work", "--once")
    with smtplib.SMTP("127.0.0.1", peer.smtp) as smtp:
        for n in (1, 2):
            smtp.sendmail("carol@test.example", ["agent@test.example"],
                          f"From: carol@test.example\r\nTo: agent@test.example\r\nSubject: task {n}\r\n"
                          f"Message-ID: <task{n}@test.example>\r\n\r\nDo {n}.\r\n")
    peer.tell(rule | {"side": "imap"})
    home.suffers("account", "work", "--once")
    peer.honest()
    home.expect("account", "work", "--once", clock=7200)
    home.expect("account", "main", "--once", clock=7200)
    jobs = json.loads(home.run("--json", "job", "list", "--all").stdout)
    files = [p.read_bytes() for p in (home.path / "mail" / "envoy" / "new").iterdir()]
    ours = sorted(n for n in (1, 2) for f in files if b"Do %d." % n in f)
    if len(jobs) != 2 or ours != [1, 2]:
        home.problems.append(f"{len(jobs)} jobs, files of {ours}")
    return f"IMAP {name}", home.problems


def smtp_row(peer, folder, name, rule, want):
    peer.tell([])
    home = Home(folder, SETTINGS + "[account main]\nkind = maildir\nrole = envoy\nin-doubt = hold\n[smtp]\n" + LOGIN.format(port=peer.smtp))
    home.run("send", "--from", "envoy", "--to", "bob@test.example", "--subject", "x", text="hello\n")
    peer.tell(rule | {"side": "smtp"})
    home.suffers("submit")
    states = {"retry": "wait", "ready": "wait", "sent": "there", "failed": "failed", "in_doubt": "doubt", "sending": "doubt"}

    def state():
        rows = json.loads(home.run("--json", "outbox", "list", "--all").stdout)
        return " ".join(states.get(row["state"], row["state"]) for row in rows if "bob" in row["to"])
    if state() not in want.split():
        home.problems.append(f"the mail is {state()}, not {want}")
    peer.honest()
    first = state()
    home.run("config", "set", "smtp", "user", "agent@test.example")  # settings that are read again end a pause
    home.run("outbox", "retry", "1") if first == "wait" else None
    home.run("submit", clock=7200)
    last, taken = state(), len([a for a in peer.accepted() if "bob@test.example" in a["to"]])
    if taken > 1 or (first == "wait" and (last != "there" or taken != 1)):
        home.problems.append(f"afterwards it is {last} and was accepted {taken} times")
    return f"SMTP {name}: {want}", home.problems


def http_row(folder, port, scripts, fault):
    (scripts / f"{fault}.jsonl").write_text((json.dumps({"fake": fault}) + "\n") * 40)
    conf = SETTINGS.replace("kind = script\nscript = scripts/demo.jsonl",
                            f"kind = anthropic\nurl = http://127.0.0.1:{port}/{fault}\nmodel = m\nkey-file = password\ntimeout = 2s")
    home = Home(folder, conf + "[account main]\nkind = maildir\n")
    home.run("inject", "--subject", "task", text="Do it.\n")
    home.suffers("serve", "--once")
    path = home.path / "postrider.conf"
    path.write_text(path.read_text().replace(f"/{fault}\n", "/good\n"))
    job = json.loads(home.run("--json", "job", "list", "--all").stdout)[0]
    if job["state"] == "running":
        home.problems.append("the job is still claimed")
    if job["state"] in ("failed", "stopped", "parked"):
        home.run("continue", "1")
    for days in (1, 2, 3):
        home.run("serve", "--once", clock=days * 86400)
    mails = [p.read_text() for p in (home.path / "mail" / "you").rglob("*") if p.is_file() and p.parent.name in ("new", "cur")]
    answers = sum("Here it is." in mail for mail in mails)
    if answers != 1:
        home.problems.append(f"{answers} answers; {job['state']}; {[re.findall('Subject: .*', m)[:1] for m in mails]}")
    return f"HTTP {fault}", home.problems


def with_peer(work, row, rows):
    peer = Peer(f"{work}/{row.__name__}.log")
    yield from (row(peer, f"{work}/{row.__name__}", *what) for what in rows)
    peer.end()


def with_model(work, faults):
    folder = Path(tempfile.mkdtemp(dir=work))
    (folder / "good.jsonl").write_text((json.dumps(ANSWER) + "\n") * 40)
    model = subprocess.Popen([ROOT / "tools" / "fake-model", "--with-stdin", "--scripts", folder], text=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    port = int(model.stdout.readline())
    yield from (http_row(folder / "home", port, folder, fault) for fault in faults)
    model.stdin.close()
    model.wait()


def main():
    """The groups run side by side, since most of what they do is to wait."""
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="hostile.") as work, ThreadPoolExecutor() as pool:
        groups = [with_peer(work, imap_row, IMAP.items()),
                  with_peer(work, smtp_row, ((name, *row) for name, row in SMTP.items())),
                  *(with_model(work, HTTP[i::3]) for i in range(3))]
        for results in [pool.submit(list, group) for group in groups]:
            for description, problems in results.result():
                tap.ok(description, problems)
    return tap.end()


sys.exit(main())
