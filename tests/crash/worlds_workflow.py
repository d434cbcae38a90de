"""Random histories of a team's artifacts and of the homes that keep their record, with a witness outside: as worlds.py.

    worlds_workflow.py SEEDS [FIRST [SEED...]]

Specs of one project are sent for review, to a person and to a panel. Decisions are made by command and by reply; files are changed,
and moved by hand; work begins, is blocked and goes on. Mail is copied and forwarded, strangers write, and forge what they can. Passes and
commands are killed; the store is backed up, restored, lost and put back; the home is copied, and the copy takes over. At the end one
home goes on until nothing changes.

The witness looks into every store after each act. A review was then decided by one decision at most, whichever home made it, and
none that nobody entitled has tried to make. What was decided stays decided: where the last home has a review open that was decided,
`artifact check` names its artifact. Where file and record disagree it does so too, and it says nothing else. Each event lies once in
a mailbox, but for what was copied. What is open can be decided.
"""
import itertools, os, random, re, shutil, sqlite3, sys
from pathlib import Path

import worlds
from worlds import History, Home

WRITER, REVIEWER, PANEL, TAKER = "spec-writer", "spec-reviewer", "spec-reviewer-panel", "skeleton-writer"
STATES = ("proposed", "todo", "doing", "done", "blocked", "deferred")
MEMBER = """#!/bin/sh
if grep -q 'FAULT'; then v=reject; else v=approve; fi
echo '{"verdict": "'$v'", "assessment": "As it is."}'
"""
CONFIG = """[postrider]
owner = you@workflow.local
domain = workflow.local
ack-after = 0
retry-first = 1s
log-level = error
[account main]
kind = maildir
[workflow]
root = {root}
[artifact spec]
path = specs/{{state}}/{{name}}.md
[brain default]
kind = command
command = printf Noted.
[brain ann]
kind = command
command = scripts/member
[brain ben]
kind = command
command = scripts/member
[panel spec-reviewer-panel]
members = ann, ben
discuss = 0
[role spec-writer]
brain = default
max-attempts = 1000
[role spec-reviewer]
person = yes
[role skeleton-writer]
person = yes
[role implementer]
person = yes
"""
REPLY = {"approved": "APPROVE", "rejected": "REJECT: it has faults"}
DECIDED = """SELECT cycle.msgid, outcome, resolved_by FROM cycle JOIN artifact ON artifact.id = cycle.artifact
             WHERE outcome IN ('approved', 'rejected') AND artifact.to_state = ''"""


class Team(History):
    GOOD = "each review decided once, and what disagrees is named"

    def __init__(self, seed, server, folder):
        self.random, self.server, self.folder = random.Random(seed), server, Path(folder)
        self.clock, self.lines, self.backups, self.n = 0, [], [], 0
        self.project = self.folder / "project"
        for state in STATES:
            (self.project / "specs" / state).mkdir(parents=True)
        self.requests = {}   # Message-ID -> name of the spec
        self.decided = {}    # Message-ID of a request -> (outcome, Message-ID of the decision)
        self.tried = set()   # (name of the spec, outcome): somebody entitled has tried
        self.copied = set()  # Message-IDs of what was copied
        self.wrong = []
        self.home = self.new_home("a")
        self.homes = [self.home]

    def new_home(self, name):
        home = Home(self.folder / name, self)
        home.run("init")
        (home.path / "postrider.conf").write_text(CONFIG.format(root=self.project))
        member = home.path / "scripts/member"
        member.write_text(MEMBER)
        member.chmod(0o755)
        home.run("serve", "--once")
        return home

    # --- what the witness sees ---

    def rows(self, home, sql, *args):
        try:
            db = sqlite3.connect(f"file:{home.path}/state/postrider.db?mode=ro", uri=True, timeout=60)
        except sqlite3.Error:
            return []
        try:
            return db.execute(sql, args).fetchall()
        except sqlite3.Error:
            return []  # lost, or not yet made
        finally:
            db.close()

    def look(self):
        for home in {h.path: h for h in [*self.homes, self.home]}.values():
            for request, outcome, decision in self.rows(home, DECIDED):
                known = self.decided.setdefault(request, (outcome, decision))
                if known != (outcome, decision):
                    self.wrong.append(f"<{request}> was {known[0]} by <{known[1]}>, and {outcome} by <{decision}> in {home.path.name}")
                if (self.requests.get(request), outcome) not in self.tried:
                    self.wrong.append(f"<{request}> is {outcome}, and nobody who may has tried that")

    def place(self, name):
        return [s for s in STATES if (self.project / f"specs/{s}/{name}.md").exists()]

    def names(self):
        return sorted({p.stem for p in (self.project / "specs").rglob("*.md")})

    def any_name(self):
        return self.random.choice(self.names() or ["none"])

    def notify(self, who, event, name, to, *args):
        """Some are killed; gives the Message-ID of what was acknowledged."""
        die_at = self.random.randrange(1, 30) if self.random.random() < 0.15 else 0
        done = self.any_home().run("notify", "--quiet", "--from", who, event, f"specs/*/{name}.md", to, *args, die_at=die_at)
        return done.stdout.strip().strip("<>") if done.returncode == 0 else None

    # --- what people do ---

    def act_write(self):
        self.n += 1
        (self.project / f"specs/proposed/s{self.n}.md").write_text(f"Spec {self.n}.\n{self.random.choice(['', 'FAULT'])}\n")
        self.say(f"s{self.n} is written")
        self.request(f"s{self.n}")

    def request(self, name):
        to = self.random.choice((REVIEWER, REVIEWER, PANEL))
        if to == PANEL:
            self.tried |= {(name, "approved"), (name, "rejected")}
        self.notify(WRITER, "review-request", name, to)
        self.learn_requests()

    def learn_requests(self):
        """Also those whose command was killed behind its commit."""
        for home in self.homes:
            for request, name in self.rows(home, "SELECT cycle.msgid, name FROM cycle JOIN artifact ON artifact.id = cycle.artifact"):
                self.requests.setdefault(request, Path(name).stem)

    def act_request(self):
        name = self.any_name()
        for state in self.place(name)[:1]:
            with (self.project / f"specs/{state}/{name}.md").open("a") as spec:
                spec.write("Mended.\n")
            self.request(name)

    def act_decide(self):
        name, outcome = self.any_name(), self.random.choice(("approved", "approved", "rejected"))
        self.tried.add((name, outcome))
        if outcome == "approved":
            if self.random.random() < 0.3 and self.place(name) == ["proposed"]:
                self.move_by_hand(name, "todo")
            self.notify(REVIEWER, "approval", name, WRITER)
        else:
            self.notify(REVIEWER, "rejection", name, WRITER, "ISSUES_FOUND=It has faults.")

    def act_reply(self):
        if self.requests:
            request, outcome = self.random.choice(list(self.requests)), self.random.choice(list(REPLY))
            self.tried.add((self.requests[request], outcome))
            self.reply(self.any_home(), REVIEWER, request, REPLY[outcome])

    def reply(self, home, who, to, text):
        home.run("send", "--from", who, "--to", WRITER, "--in-reply-to", f"<{to}>", "--subject", "Re: a review", stdin=text + "\n")

    def act_change(self):
        name = self.any_name()
        for state in self.place(name)[:1]:
            with (self.project / f"specs/{state}/{name}.md").open("a") as spec:
                spec.write("Changed.\n")
            self.say(f"{name} is changed")
            if self.random.random() < 0.6:
                self.notify(WRITER, "status-update", name, REVIEWER, "CONTEXT=Changed.")

    def move_by_hand(self, name, state):
        for there in self.place(name)[:1]:
            os.rename(self.project / f"specs/{there}/{name}.md", self.project / f"specs/{state}/{name}.md")
            self.say(f"{name} is moved by hand from {there} to {state}")

    def act_move_by_hand(self):
        self.move_by_hand(self.any_name(), self.random.choice(STATES[:3]))

    def act_work(self):
        name = self.any_name()
        who, state = self.random.choice(((TAKER, "doing"), (TAKER, "doing"), ("implementer", "done"), ("you", "doing")))
        self.any_home().run("artifact", "move", "--from", who, f"specs/*/{name}.md", state)

    def act_block(self):
        self.notify(self.random.choice((TAKER, "implementer", "test-writer")), "blocker-report", self.any_name(), "you", "BLOCKING_DETAILS=x")

    # --- what others do ---

    def mails(self, home):
        return [p for box in ("new", "cur") for p in (home.path / "mail").glob(f"*/{box}/*") if p.is_file()]

    def act_copy_mail(self):
        """A mail lies in a mailbox once more, or in another one."""
        home = self.any_home()
        mails = self.mails(home)
        if mails:
            mail, self.n = self.random.choice(mails), self.n + 1
            box = self.random.choice((mail.parent.parent.name, WRITER, REVIEWER, PANEL, "you"))
            to = home.path / "mail" / box / "new"
            to.mkdir(parents=True, exist_ok=True)
            shutil.copy(mail, to / f"copy.{self.n}.x")
            self.copied |= set(re.findall(rb"^Message-ID: <(.*)>", mail.read_bytes(), re.M))
            self.say(f"{home.path.name}: a mail of {mail.parent.parent.name} is copied to {box}")

    def act_forward(self):
        """The owner forwards a mail as it is, with the headers of its event, and says APPROVE in front. It answers nothing."""
        home = self.any_home()
        mails = self.mails(home)
        if mails:
            raw = self.random.choice(mails).read_bytes().decode("utf-8", "replace")
            head, _, body = raw.partition("\n\n")
            head = re.sub(r"^(Message-ID|In-Reply-To|References|To|From|Date|Cc):.*\n(?:[ \t].*\n)*", "", head + "\n", flags=re.M | re.I)
            mail = f"From: you@workflow.local\nTo: {WRITER}@workflow.local\n{head}\nAPPROVE\n\n{body}"
            home.run("sendmail", "-t", stdin=mail)

    def act_stranger(self):
        """A stranger answers a request, as if they were the reviewer, with headers of their own."""
        if self.requests:
            home, self.n = self.any_home(), self.n + 1
            request, who = self.random.choice(list(self.requests)), self.random.choice((REVIEWER, "you", "eve"))
            domain = "evil.example" if who == "eve" else "workflow.local"
            name = self.requests[request]
            box = home.path / "mail" / self.random.choice((WRITER, PANEL)) / "new"
            box.mkdir(parents=True, exist_ok=True)
            (box / f"stranger.{self.n}.x").write_text(
                f"From: {who}@{domain}\nTo: {WRITER}@workflow.local\nMessage-ID: <e{self.n}@evil.example>\nSubject: Re: a review\n"
                f"In-Reply-To: <{request}>\nReferences: <{request}>\nX-Event-Type: approval\nX-Artifacts: specs/*/{name}.md\n"
                f"X-Workflow-State: todo\nX-Postrider-Event: approves cycle=1 from={REVIEWER} to={WRITER}\n\nAPPROVE\n")
            self.say(f"{home.path.name}: a stranger writes as {who} about {name}")

    def act_restore(self):
        """Whoever restores a backup stops the home that it was made of."""
        second = self.second_home()
        if second and self.backups and second.run("restore", str(self.random.choice(self.backups))).returncode == 0:
            self.homes = [second]

    def second_home(self):
        return Home(self.folder / "b", self) if len(self.homes) == 1 and not (self.folder / "b").exists() else None

    WEIGHTS = {act_write: 12, act_request: 8, act_decide: 14, act_reply: 12, act_change: 5, act_move_by_hand: 4, act_work: 8, act_block: 4,
               act_copy_mail: 5, act_forward: 4, act_stranger: 5, History.act_pass: 30, History.act_kill: 12, History.act_clock: 3,
               History.act_backup: 5, History.act_lose: 4, History.act_old_store: 5, History.act_accept: 3, History.act_copy: 4,
               act_restore: 4, History.act_take_over: 4}

    def play(self):
        self.act_write()
        for act in self.random.choices(list(self.WEIGHTS), self.WEIGHTS.values(), k=self.random.randint(12, 40)):
            act(self)
            self.learn_requests()
            self.look()
        self.rest()
        return self.judge()

    def state(self):
        return [*self.rows(self.home, "SELECT name, state, to_state, cycle FROM artifact"), len(self.mails(self.home)), self.names()]

    def rest(self):
        self.home = self.random.choice(self.homes)
        self.homes = [self.home]
        self.home.run("serve", "--once", "--take-over")
        before = None
        for _ in range(worlds.REST):
            self.home.run("doctor", "--accept-backup")
            self.home.run("serve", "--once")
            self.look()
            if (now := self.state()) == before:
                break
            before = now
            self.clock += 3 * worlds.HOUR

    # --- the end ---

    def judge(self):
        problems = list(dict.fromkeys(self.wrong))
        done = self.home.run("artifact", "check")
        named = set(re.findall(r"^specs/\*/([^/ ]*)\.md: ", done.stdout, re.M))
        problems += [f"artifact check: exit {done.returncode}: {done.stdout}{done.stderr}"] * (done.returncode not in (0, 1))
        self.say(f"artifact check: {done.stdout}")
        why = list(self.disagreements())
        problems += [f"{name}: {what}, and nothing names it" for name, what in why if name not in named]
        odd = named - {name for name, _ in why} - self.with_other_findings(done.stdout)
        problems += [f"{name} is named, and nothing is wrong" for name in sorted(odd)]
        return problems + self.twice() + self.undecidable(named)

    def disagreements(self):
        """(name, what) of each artifact whose file or reviews are not as the record says."""
        for name, state in self.rows(self.home, "SELECT name, state FROM artifact"):
            name = Path(name).stem
            if self.place(name) != [state]:
                yield name, f"the record says {state}, its file lies in {self.place(name)}"
        reviews = self.rows(self.home, "SELECT cycle.msgid, outcome FROM cycle")
        for request, outcome in reviews:
            if not outcome and request in self.decided:
                yield self.requests[request], f"<{request}> was {self.decided[request][0]}, and is open"

    @staticmethod
    def with_other_findings(said):
        """What this witness does not know: answers without a change, reviews whose file is gone, mail that is held."""
        return set(re.findall(r"^specs/\*/([^/ ]*)\.md: (?:.* was asked|the review record|.* it is held)", said, re.M))

    def twice(self):
        for box in (self.home.path / "mail").iterdir():
            ids = [i for sub in ("new", "cur") for p in (box / sub).glob("*")
                   for i in re.findall(rb"^Message-ID: <(.*)>", p.read_bytes().partition(b"\n\n")[0], re.M)]
            for i in sorted(set(ids)):
                if ids.count(i) > 1 and i not in self.copied:
                    return [f"{box.name} has <{i.decode()}> {ids.count(i)} times"]
        return []

    def undecidable(self, named):
        """What is open in its first state, and of which nothing is named, can be rejected."""
        problems = []
        for name, in self.rows(self.home, "SELECT name FROM artifact JOIN cycle ON cycle.id = artifact.cycle WHERE outcome = '' AND state = 'proposed'"):
            if Path(name).stem not in named:
                done = self.home.run("notify", "--quiet", "--from", REVIEWER, "rejection", name, WRITER, "ISSUES_FOUND=At the end.")
                problems += [f"{name} is open, and can't be decided: {done.stderr}"] * (done.returncode != 0)
        return problems


if __name__ == "__main__":
    sys.exit(worlds.main(Team))
