#!/usr/bin/python3
"""One small artifact from vision to implementation, by a team that `init --workflow` made, while master and runs are killed.

    journey.py KILLS [SEED [N]]  one journey, or N: by this seed, and by those behind it
    journey.py --think           the brain that is a program: a page on standard input, its answer on standard output

The team: two models behind HTTP, each with an API of its own, a program, and a program that works by its port; a person, who decides about
the vision by a reply; a panel of three, which sends the spec back once, and a reviewer who sends the tests back once. Each answers by what
its page shows it, and by nothing else: who is asked again says the same. The way is

    VISION.md -> SCOPE.md -> ROADMAP.md -> specs/ -> skeletons/ -> tests/ -> src/

by typed mail alone. Master, runs and the rest get SIGKILL at random moments, KILLS times at the most. Then

 (1) each artifact is in its last state, and the tests pass on what was implemented;
 (2) the events are those of the way, each once, and each lies once with everybody who should have it;
 (3) `artifact check`, `panel audit` and `doctor` find nothing, nothing is owed, no job has failed;
 (4) git has one commit of all that was sent for review and of each move, in the order of the way.
"""
import hashlib, importlib.machinery, importlib.util, json, os, random, re, signal, subprocess, sys, threading, time, types
from collections import Counter
from pathlib import Path

import scene
from tap import Tap

TOP = Path(__file__).resolve().parent.parent.parent
KILLED = ("serve", "run", "run", "account", "deliver")  # as often as each is there
NAP = 0.4           # seconds in which it is waited for
THOUGHT = 0.3       # seconds that a model thinks, at the most
FEWEST = 5  # kills, else nothing was shown
QUIET = 10          # seconds in which nothing happens, until the clock goes on
PATIENCE = 60       # times that it may

SPEC = "# Login\n\nlogin NAME says 'welcome NAME'.\n"
MENDED = SPEC + "Without a name it says 'who?' and gives 1.\n"
SKELETON = "# login NAME: says welcome, or asks who. Gives 0 or 1.\nlogin() { :; }\n"
TESTS = '. "$1"\n[ "$(login ann)" = "welcome ann" ] || exit 1\n'
WHOLE = TESTS + 'login >/dev/null && exit 1\n[ "$(login)" = "who?" ]\n'
CODE = 'login() { [ $# -gt 0 ] || { echo "who?"; return 1; }; echo "welcome $1"; }\n'

# What works by the port. It may be killed anywhere, and begins anew then.
IMPLEMENTER = f"""#!/bin/sh
PATH={scene.program().parent}:$PATH
set -e
case $(grep ^Subject: | tail -n 1) in *'[APPROVAL] cases approved'*) ;; *) exit 0 ;; esac
[ -e ROOT/src/login.sh ] || postrider artifact write src/login.sh <<'CODE'
{CODE}CODE
postrider notify review-request src/login.sh implementation-reviewer CONTEXT='It passes the tests.'
"""

SETTINGS = (
    *((f"brain {name}", key, value) for name in ("claude", "gpt-5") for key, value in (("url", "URL"), ("key-env", "TEST_KEY"))),
    ("brain gemini", "command", "scripts/gemini"), ("brain gemini", "kind", "command"),
    ("brain hands", "command", "scripts/hands"), ("role skeleton-reviewer", "mode", "steps"),
    ("role implementer", "brain", "hands"), ("role implementer", "mode", "program"),
    ("panel spec-reviewer-panel", "rule", "any-blocker"), ("panel spec-reviewer-panel", "walls", "advice"),
    ("postrider", "log-level", "error"), ("postrider", "retry-first", "1s"),
    ("workflow", "commit", "yes"),
)


# --- what each says to its page ---

def writes(path, content, reviewer, digest=""):
    return {"write": [{"path": path, "content": content, "if_digest": digest}],
            "notify": [{"event": "review-request", "artifact": path, "to": reviewer}]}


def says(event, path, to, **more):
    return {"notify": [{"event": event, "artifact": path, "to": to, **more}]}


def acts(role, subject, digest):
    """What this role does about a mail of this subject; digest: of the artifact that it is about. {}: nothing."""
    spec, again = "specs/proposed/login.md", "specs/*/login.md"
    way = {
        ("vision-writer", "[APPROVAL] VISION"): says("approval", "VISION.md", "scope-writer"),
        ("scope-writer", "[APPROVAL] VISION"): writes("SCOPE.md", "Logging in.\n", "scope-reviewer"),
        ("scope-reviewer", "[REVIEW REQUEST] SCOPE"): says("approval", "SCOPE.md", "scope-writer", next_roles="roadmap-writer"),
        ("roadmap-writer", "[APPROVAL] SCOPE"): writes("ROADMAP.md", "1. login\n", "roadmap-reviewer"),
        ("roadmap-reviewer", "[REVIEW REQUEST] ROADMAP"): says("approval", "ROADMAP.md", "roadmap-writer", next_roles="spec-writer"),
        ("spec-writer", "[APPROVAL] ROADMAP"): writes(spec, SPEC, "spec-reviewer-panel"),
        ("spec-writer", "[REVISION NEEDED] login"): writes(spec, MENDED, "spec-reviewer-panel", digest),
        ("spec-writer", "[APPROVAL] login"): says("approval", again, "skeleton-writer"),
        ("skeleton-writer", "[APPROVAL] login"): writes("skeletons/shape.sh", SKELETON, "skeleton-reviewer")
            | {"move": [{"artifact": again, "state": "doing"}]},
        ("skeleton-reviewer", "[REVIEW REQUEST] shape"): says("approval", "skeletons/shape.sh", "skeleton-writer"),
        ("skeleton-writer", "[APPROVAL] shape"): says("approval", "skeletons/shape.sh", "test-writer,implementer"),
        ("test-writer", "[APPROVAL] shape"): writes("tests/cases.sh", TESTS, "test-reviewer"),
        ("test-reviewer", "[REVIEW REQUEST] cases"): says("approval", "tests/cases.sh", "test-writer", next_roles="implementer")
            if digest == sha(WHOLE) else says("rejection", "tests/cases.sh", "test-writer", issues_found="No name, no test."),
        ("test-writer", "[REVISION NEEDED] cases"): writes("tests/cases.sh", WHOLE, "test-reviewer", digest),
        ("implementation-reviewer", "[REVIEW REQUEST] login"): says("approval", "src/login.sh", "implementer")
            | {"move": [{"artifact": again, "state": "done"}]},
    }
    return way.get((role, subject), {})


# What the record must have, in any order: type, from, to. The member of the panel who misses the second case rejects once.
EVENTS = """review-request vision-writer vision-reviewer
approval vision-reviewer vision-writer
approval vision-writer scope-writer
review-request scope-writer scope-reviewer
approval scope-reviewer scope-writer,roadmap-writer
review-request roadmap-writer roadmap-reviewer
approval roadmap-reviewer roadmap-writer,spec-writer
review-request spec-writer spec-reviewer-panel
rejection spec-reviewer-panel spec-writer
review-request spec-writer spec-reviewer-panel
approval spec-reviewer-panel spec-writer
approval spec-writer skeleton-writer
review-request skeleton-writer skeleton-reviewer
approval skeleton-reviewer skeleton-writer
approval skeleton-writer test-writer,implementer
review-request test-writer test-reviewer
rejection test-reviewer test-writer
review-request test-writer test-reviewer
approval test-reviewer test-writer,implementer
review-request implementer implementation-reviewer
approval implementation-reviewer implementer""".split("\n")
COMMITS = """vision-writer: Request review of VISION vision
scope-writer: Request review of SCOPE scope
roadmap-writer: Request review of ROADMAP roadmap
spec-writer: Request review of login spec
spec-writer: Request review of login spec
spec-reviewer-panel: Approve login spec
skeleton-writer: Move login spec to doing
skeleton-writer: Request review of shape skeleton
test-writer: Request review of cases test
test-writer: Request review of cases test
implementer: Request review of login implementation
implementation-reviewer: Move login spec to done""".split("\n")
STATES = {"VISION.md": "todo", "SCOPE.md": "todo", "ROADMAP.md": "todo", "specs/*/login.md": "done", "skeletons/shape.sh": "done",
          "tests/cases.sh": "done", "src/login.sh": "done"}


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def think(page):
    """The answer to a page, whole: of a member of the panel, or of a role that works in steps."""
    if '"verdict"' in page:
        good = MENDED.strip() in page
        found = [] if good else [{"where": "line 3", "what": "no word about a login without a name", "severity": "blocker"}]
        return {"verdict": "approve" if good else "revise", "assessment": "I have read it.", "findings": found}
    role = re.search(r"^You are ([a-z-]+) <", page, re.M)
    mails = re.findall(r"^=== (?:ORIGINAL MAIL|NEW MAIL|MAIL TO ANSWER).*?^Subject: (.*?)$", page, re.M | re.S)
    digest = re.search(r"^=== ARTIFACT .*, digest ([0-9a-f]{64})", page, re.M)
    subject = re.sub(r"^(\[.*\] \w+).*", r"\1", mails[-1]) if mails else ""
    done = acts(role[1] if role else "", subject, digest[1] if digest else "")
    return {"reasoning": f"It is about {subject}.", "status": "complete", "current_phase": "complete", "working_note": "",
            "bundle_key": "", **{k: [] for k in "add_notes add_emails search_emails search_notes read_attachments drop write_notes rename_notes"
                                               " delete_notes send_emails move_emails write move notify".split()},
            "wait": {"for": "reply", "until": "", "then": "continue"}, **done}


# --- models behind HTTP ---

def fake_model():
    """tools/fake-model, which has no name that import takes."""
    loader = importlib.machinery.SourceFileLoader("fake_model", str(TOP / "tools" / "fake-model"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("fake_model", loader))
    loader.exec_module(module)
    return module


def texts(value):
    """Every text of a request, in its order."""
    if isinstance(value, str):
        return [value]
    return [t for v in (value.values() if isinstance(value, dict) else value if isinstance(value, list) else []) for t in texts(v)]


def start_models():
    fake = fake_model()

    class Models(fake.Server):
        def plan(self, path, text, body):
            time.sleep(random.uniform(0, THOUGHT))
            asked = [body.get(k) for k in ("system", "instructions", "messages", "input")]
            return {"answer": think("\n".join(texts(asked)))}, path

    models = Models(types.SimpleNamespace(port=0, log=None, tls=None))
    threading.Thread(target=models.serve_forever, daemon=True).start()
    return models


# --- the team ---

def script(home, name, text):
    path = home.path / "scripts" / name
    path.write_text(text)
    path.chmod(0o755)


def make_team(work, url):
    home, root = scene.Home(work / "home"), work / "project"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    must(home.run("init", "--workflow", "--root", str(root)))
    conf = home.path / "postrider.conf"
    conf.write_text(re.sub(r"(?<=^\[role vision-reviewer\]\n)(?:\w.*\n)*", "person = yes\n", conf.read_text(), flags=re.M))
    for section, key, value in SETTINGS:
        must(home.run("config", "set", section, key, value.replace("URL", url)))
    script(home, "gemini", f"#!/bin/sh\nexec /usr/bin/python3 -B {__file__} --think\n")
    script(home, "hands", IMPLEMENTER.replace("ROOT", str(root)))
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "start")
    git(root, "tag", "start")
    (root / "VISION.md").write_text("Everybody can log in.\n")
    must(home.run("notify", "--from", "vision-writer", "review-request", "VISION.md", "vision-reviewer"))
    return home, root


def must(done):
    if done.returncode:
        raise RuntimeError(f"{done.args}: exit {done.returncode}: {done.stderr}")
    return done


def git(root, *args):
    env = os.environ | {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "T", "GIT_AUTHOR_EMAIL": "t@t", "GIT_COMMITTER_NAME": "T",
                        "GIT_COMMITTER_EMAIL": "t@t"}
    return must(subprocess.run(["git", "-C", str(root), *args], env=env, text=True, capture_output=True)).stdout


# --- kills ---

class Attack:
    def __init__(self, home, log, kills, dice):
        self.home, self.log, self.kills, self.dice = home, log, kills, dice
        self.master, self.hours, self.killed, self.waits = None, 0, Counter(), 0

    def keep_alive(self):
        if self.master and self.master.poll() is None:
            return
        env = os.environ | {"POSTRIDER_CLOCK": f"+{self.hours * scene.HOUR}"}
        self.master = subprocess.Popen(self.home.command("serve"), stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=env,
                                       start_new_session=True)

    def person(self):
        """Approves the vision by a reply, once it has come."""
        if self.home.query("SELECT 1 FROM event WHERE sender = 'vision-reviewer'") or self.answered:
            return
        for _, head in self.home.mails("vision-reviewer", but=("Sent", "Drafts")):
            request, = scene.ids_in(head, "Message-ID")
            must(self.home.run("send", "--from", "vision-reviewer", "--to", "vision-writer", "--in-reply-to", f"<{request}>",
                               "--subject", "Re: VISION", stdin="APPROVE\n", hours=self.hours))
            self.answered = True

    answered = False

    def is_done(self):
        return self.home.query("SELECT 1 FROM artifact WHERE name = 'specs/*/login.md' AND state = 'done' AND to_state = ''") and \
            not scene.owed(self.home)

    def kill_one(self):
        """One that is there, at a moment of its life."""
        kind = self.dice.choice(KILLED)

        def found():
            return [pid for pid, what in scene.processes(self.home) if what == kind]

        scene.until(found, NAP, 0.001)
        time.sleep(self.dice.uniform(0, THOUGHT))
        there = found()
        if not there:
            return
        pid = self.dice.choice(there)
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        if pid == self.master.pid:
            self.master.wait()
        self.killed[kind] += 1

    def stop(self):
        if self.master and self.master.poll() is None:
            self.home.stop_master(self.master, 60)

    def progress(self):
        return self.home.query("SELECT count(*), (SELECT count(*) FROM event), (SELECT count(*) FROM delivery WHERE state = 'sent') FROM step")

    def run(self):
        before, since = None, time.monotonic()
        while self.waits < PATIENCE:
            self.keep_alive()
            self.person()
            if self.is_done():
                break
            if self.killed.total() < self.kills:
                self.kill_one()
            elif scene.until(self.is_done, 1, 0.05):
                break
            elif self.home.query("SELECT 1 FROM job WHERE state IN ('failed', 'stopped')"):
                break
            if (now := self.progress()) != before:
                before, since = now, time.monotonic()
            elif time.monotonic() - since > QUIET:
                self.stop()  # a wait that only the clock ends
                self.hours, self.waits, since = self.hours + 1, self.waits + 1, time.monotonic()
        self.keep_alive()
        self.stop()


# --- what must be true ---

def check_states(home, root):
    states = dict(home.query("SELECT name, state FROM artifact"))
    problems = [] if states == STATES else [f"{states}"]
    place = root / "specs/done/login.md"
    if not place.exists() or place.read_text() != MENDED:
        problems.append("the spec is not at its place as it was mended")
    if subprocess.run(["sh", root / "tests/cases.sh", root / "src/login.sh"]).returncode:
        problems.append("the tests fail")
    return problems


def check_events(home):
    rows = home.query("SELECT type || ' ' || sender || ' ' || recipients FROM event")
    want, found = Counter(EVENTS), Counter(r for r, in rows)
    problems = [f"{n} too few: {e}" for e, n in (want - found).items()] + [f"{n} too many: {e}" for e, n in (found - want).items()]
    for msgid, recipients in home.query("SELECT msgid, recipients FROM event"):
        for who in recipients.split(","):
            n = sum(msgid in scene.ids_in(head, "Message-ID") for _, head in home.mails(who, but=("Sent", "Drafts")))
            if n != 1:
                problems.append(f"<{msgid}> lies {n} times with {who}")
    return problems


def check_commits(root):
    said = git(root, "log", "--reverse", "--format=%s", "start..").splitlines()
    problems = [] if said == COMMITS else [f"git log: {line}" for line in said]
    left = git(root, "status", "--short").splitlines()
    return problems + [f"git status: {line}" for line in left if line != "?? reviews/"]


def check_quiet(home, hours):
    problems = scene.check_store(home)
    problems += [f"job {j} of {r} is {s}: {w}" for j, r, s, w in home.query("SELECT id, role, state, why FROM job") if s != "done"]
    done = home.run("artifact", "check", hours=hours)
    if done.returncode or done.stdout:
        problems.append(f"artifact check: {done.stdout}{done.stderr}")
    for number, in home.query("SELECT id FROM panel"):
        done = home.run("panel", "audit", str(number), hours=hours)
        problems += [f"panel audit {number}: {done.stdout}{done.stderr}"] * (done.returncode != 0)
    return problems


def journey(kills, seed, work, url):
    """What went wrong, by what should be true; and a line about it."""
    home, root = make_team(work, url)
    with open(work / "serve.log", "w+b") as log:
        attack, began = Attack(home, log, kills, random.Random(seed)), time.monotonic()
        try:
            attack.run()
        finally:
            attack.stop()
        line = f"seed {seed}: killed {dict(attack.killed)}; {attack.waits} waits; {time.monotonic() - began:.1f} s"
        few = attack.killed.total() < min(FEWEST, kills)
        found = {"processes were killed": [f"{dict(attack.killed)}"] * few,
                 "from vision to implementation": check_states(home, root),
                 "every event once, and each mail once with everybody": check_events(home),
                 "what was sent for review, and each move, is one commit": check_commits(root),
                 "nothing is wrong, nothing is owed, nobody is left": check_quiet(home, attack.hours) + scene.left_behind(home)}
        if any(found.values()):
            log.seek(0)
            line += "\n" + b"".join(log.readlines()[-40:]).decode("utf-8", "replace") + home.run("job", "list", "--all").stdout
    return found, line


def main():
    if sys.argv[1] == "--think":
        print(json.dumps(think(sys.stdin.read())))
        return 0
    first = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 32)
    models, tap = start_models(), Tap()
    os.environ["TEST_KEY"] = "x"
    for seed in range(first, first + int(sys.argv[3] if len(sys.argv) > 3 else 1)):
        with scene.scratch() as work:
            found, line = journey(int(sys.argv[1]), seed, Path(work), f"http://127.0.0.1:{models.server_address[1]}")
        for what, problems in found.items():
            tap.ok(what, problems)
        tap.diag(line)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
