#!/usr/bin/python3
"""The crash walk over `doctor --accept-backup`: an old store, or a whole old home, beside newer mail.

    walk_accept.py kill|errors|named|twice [EVERY]    as in walk.py

Of five tasks two wait for a reply and one is queued when the backup is made. Since then one was answered after its reply
came, one was stopped, the queued one was answered, one came and asks something, and one came and was in hand. In the
stage "local" the mail lies in Maildirs and only the store is old; in "server" it lies on a mail server and the Maildirs
are old too. Accepting is cut off at every point and then said again: all is as if nothing had happened, also after some
passes, and saying it once more changes nothing. The witness is the mailbox of the person who asked.
"""
import copy, shutil, sys

import scene, walk, walk_copies_imap, worlds

ACCOUNT = worlds.CONFIG[worlds.CONFIG.index("[account work]"):worlds.CONFIG.index("[smtp]")]
TASKS = {1: "asks", 2: "plain", 3: "asks", 4: "asks", 5: "plain"}
ANSWERED = {1: 1, 2: 1, 3: 0, 4: 0, 5: 0}


def accept(home, **how):
    home.run("doctor", "--accept-backup", **how)


def mail(number, n, answers=None):
    text = f"TASK-{number}-{TASKS[number]} please" if answers is None else "Go on."
    named = f"In-Reply-To: {answers}\nReferences: {answers}\n" if answers else ""
    return (f"From: {worlds.PERSON}\nTo: {worlds.AGENT}\nDate: Sun, 15 Nov 2026 09:30:00 +0000\n{named}"
            f"Subject: {'Re: ' * bool(answers)}task {number}\nMessage-ID: <m{n}@x.org>\n\n{text}\n").encode()


class AcceptWalk(walk_copies_imap.ImapCopiesWalk):
    def make_stages(self):
        self.servers, self.starts, self.want = walk_copies_imap.threading.local(), {}, {}
        return [walk.Stage(name, self.make_start(name), [name], accept) for name in ("local", "server")]

    # --- a home that is older than its mail ---

    def make_start(self, kind):
        fresh = scene.make_home(self.work / f"fresh-{kind}")
        (fresh.path / "password").touch(0o600)
        (fresh.path / "password").write_text("x\n")
        brain = fresh.path / "scripts" / "think"
        brain.write_text(worlds.brain_script())
        brain.chmod(0o755)
        text = worlds.CONFIG if kind == "server" else worlds.CONFIG.replace(ACCOUNT, "")
        text = text.replace("[postrider]\n", "[postrider]\ninstance = walk\n")
        (fresh.path / "postrider.conf").write_text(text.format(imap="PORT", smtp="SMTP", brain="scripts/think"))
        self.starts[fresh.path] = {}
        home = self.new_home(fresh)
        walk.serve_once(home)
        for number in (1, 4):
            self.come(home, kind, mail(number, number))
        walk.serve_once(home)
        self.come(home, kind, mail(2, 2))
        for account in ("work", "main")[kind == "local":]:
            home.run("account", account, "--once")
        old = home.copy_to(self.work / f"old-{kind}")
        self.go_on(home, kind)
        if kind == "local":
            shutil.rmtree(old.path / "mail")
            shutil.copytree(home.path / "mail", old.path / "mail", symlinks=True)
        self.starts[old.path] = copy.deepcopy(self.server().world.users)
        self.place_holders(old)
        self.drop(home)
        return old

    def come(self, home, kind, raw):
        if kind == "server":
            self.server().put(raw)
        else:
            name = worlds.header(raw, "Message-ID").strip("<>").replace("@", ".")
            (home.path / "mail" / scene.ROLE / "new" / name).write_bytes(raw)

    def go_on(self, home, kind):
        asked = next(raw for raw in self.server().got() if "QUESTION-1." in raw)
        self.come(home, kind, mail(1, 6, worlds.header(asked.encode(), "Message-ID")))
        self.come(home, kind, mail(3, 3))
        jobs = dict((subject, number) for number, subject in home.query("SELECT id, subject FROM job"))
        home.run("stop", str(jobs["task 4"]))
        for _ in range(2):
            walk.serve_once(home)
        if kind == "server":
            with self.server().world.lock:
                self.server().world.folder("agent", "postrider/Active").add(mail(5, 5).replace(b"\n", b"\r\n"))
        else:
            (home.path / "mail" / scene.ROLE / ".Active" / "cur" / "m5.x.org:2,S").write_bytes(mail(5, 5))

    # --- ports ---

    def new_home(self, start):
        home = super().new_home(start)
        conf = home.path / "postrider.conf"
        conf.write_text(conf.read_text().replace("port = SMTP", f"port = {self.server().ports[1]}"))
        return home

    def place_holders(self, home):
        conf, (imap, smtp) = home.path / "postrider.conf", self.server().ports
        conf.write_text(conf.read_text().replace(f"port = {imap}", "port = PORT").replace(f"port = {smtp}", "port = SMTP"))

    # --- the witness ---

    def snapshot(self, home):
        with self.server().world.lock:
            there = sorted((name, worlds.header(m.raw, "Subject"), " ".join(sorted(m.flags)))
                           for name, folder in self.server().world.folders("agent").items() for m in folder.mails if name != "postrider/Home")
        return {"jobs": home.query("SELECT subject, state, why, seq, round FROM job ORDER BY 1, 2"),
                "mails": home.query("SELECT subject, state, why, folder FROM message ORDER BY 1, 2, 3, 4"),
                "outbox": home.query("SELECT o.subject, d.address, d.folder, d.state FROM outbox o JOIN delivery d ON d.outbox = o.id ORDER BY 1, 2, 3, 4"),
                "owed": home.query("SELECT 'remote', wants FROM remote WHERE wants IS NOT NULL OR marks IS NOT NULL UNION ALL SELECT kind, args FROM effect"),
                "files": sorted((folder, worlds.header(head.encode() + b"\n\n", "Subject")) for folder, head in home.mails(scene.ROLE)),
                "server": there,
                "answers": {n: sum(f"ANSWER-{n}." in raw for raw in self.server().got()) for n in TASKS}}

    def rest(self, home):
        """What follows: gives the snapshot when all is at rest."""
        for hours in (1, 4, 7):
            home.run("serve", "--once", hours=hours)
        return self.snapshot(home)

    def works(self):
        problems = []
        for stage in self.stages:
            home = self.new_home(stage.start)
            first = home.run("doctor", "--accept-backup")
            jobs = self.snapshot(home)["jobs"]
            accept(home)
            if first.returncode or jobs != self.snapshot(home)["jobs"]:
                problems.append(f"{stage.name}: {jobs}, {self.snapshot(home)['jobs']} {first.stdout}{first.stderr}")
            want = self.want[stage.acked[0]] = self.rest(home)
            accept(home)
            problems += [f"{stage.name}: once more: {p}" for p in self.differs(self.rest(home), want)]
            if want["answers"] != ANSWERED:
                problems.append(f"{stage.name}: {want}")
            self.drop(home)
        self.tap.ok("without a fault it is accepted, once more changes nothing, and nobody is answered twice", problems)
        return not problems

    def differs(self, got, want):
        return [f"{what}: {got[what]}, want {want[what]}" for what in want if got[what] != want[what]]

    def after_fault(self, home, acked):
        done = home.run("doctor", "--accept-backup")
        problems = [f"accepting: exit {done.returncode}: {done.stdout}{done.stderr}"] if done.returncode else []
        problems += self.differs(self.rest(home), self.want[acked[0]])
        if home.query("PRAGMA integrity_check") != [("ok",)]:
            problems.append("the store is damaged")
        return problems


if __name__ == "__main__":
    sys.exit(walk.main(AcceptWalk))
