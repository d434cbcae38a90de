#!/usr/bin/python3
"""The crash walk over copies that come by IMAP: walk_copies.py with a mail server instead of a Maildir.

    walk_copies_imap.py kill|errors|named|twice [EVERY]    as in walk.py

Of the mail "real" the same mail comes again, and one with other words under its Message-ID, which is work of its own. Of
the mail "late" an unproven one comes first and is held, then a proven one. The stages are a pass over all of them at once,
and a pass over the later ones when the first of each is taken in. After recovery all is as if nothing had happened, here
and on the server: each task answered once, each mail in the folder and with the flags of what became of it, nothing owed.
"""
import copy, sys, threading

import scene, walk, worlds

CONFIG = """
[trust]
authserv-id = mx.example.net
[account work]
kind = imap
role = envoy
host = 127.0.0.1
port = {}
tls = none
user = agent@test.example
password-file = password
"""
# mail, what its server says of it, its words
FIRST = [("real", "pass", "Please count the ships."), ("late", "fail", "Please count the ships.")]
LATER = [("real", "pass", "Please count the ships."), ("real", "pass", "Please feed the whales instead."),
         ("late", "pass", "Please count the ships.")]
WANT_ROWS = [("late@x.org", "handled"), ("late@x.org", "ignored"), ("real@x.org", "handled"), ("real@x.org", "handled")]
# Mails of one thread that come together are one job and one answer.
WANT_ANSWERS = {"at once": ["late@x.org", "real@x.org"], "after": ["late@x.org", "real@x.org", "real@x.org"]}


def put(server, mails):
    for n, (mail, proof, words) in enumerate(mails):
        server.put(f"Authentication-Results: mx.example.net; dmarc={proof} header.from=postrider.local\n"
                   f"Received: from {n} by mx.example.net; Sun, 15 Nov 2026 09:30:{n:02} +0000\n"
                   "From: you@postrider.local\nTo: agent@test.example\nDate: Sun, 15 Nov 2026 09:30:00 +0000\n"
                   f"Subject: {mail}\nMessage-ID: <{mail}@x.org>\n\n{words}\n".encode())


def on_server(server):
    """(folder, Message-ID, proof, flags) of the mails that came, and (folder, what it answers) of those that the role wrote."""
    with server.world.lock:
        mails = [(name, m.raw.decode(), " ".join(sorted(m.flags))) for name, folder in server.world.folders("agent").items() for m in folder.mails]
    return sorted((name, worlds.header(raw.encode(), "Message-ID"), "dmarc=pass" in raw, "whales" in raw, flags)
                  for name, raw, flags in mails if "@x.org>" in worlds.header(raw.encode(), "Message-ID")) + \
        sorted((name, worlds.header(raw.encode(), "In-Reply-To")) for name, raw, _ in mails if "@x.org>" in worlds.header(raw.encode(), "In-Reply-To"))


class ImapCopiesWalk(walk.Walk):
    def make_stages(self):
        self.servers, self.starts, self.want = threading.local(), {}, {}
        fresh = scene.make_home(self.work / "fresh")
        with (fresh.path / "postrider.conf").open("a") as conf:
            conf.write(CONFIG.format("PORT"))
        text = (fresh.path / "postrider.conf").read_text()
        (fresh.path / "postrider.conf").write_text(text.replace("address = envoy@postrider.local", "address = agent@test.example"))
        (fresh.path / "password").touch(0o600)
        (fresh.path / "password").write_text("x\n")
        self.starts[fresh.path] = {}
        fresh = self.keep("seen", fresh, [])
        return (walk.Stage("all at once", self.keep("at-once", fresh, FIRST + LATER, passes=False), ["at once"], walk.serve_once),
                walk.Stage("one after the other", self.keep("after", self.keep("first", fresh, FIRST), LATER, passes=False), ["after"], walk.serve_once))

    def keep(self, name, start, mails, passes=True):
        """A home to start from, with the server as it is then."""
        home = self.new_home(start)
        put(self.server(), mails)
        if passes:
            walk.serve_once(home)
        kept = home.copy_to(self.work / name)
        self.starts[kept.path] = copy.deepcopy(self.server().world.users)
        conf = kept.path / "postrider.conf"
        conf.write_text(conf.read_text().replace(f"port = {self.server().ports[0]}", "port = PORT"))
        self.drop(home)
        return kept

    def server(self):
        """Each thread has its own, used for one home after the other."""
        if not hasattr(self.servers, "mine"):
            self.servers.mine = worlds.Server()
        return self.servers.mine

    def new_home(self, start):
        home, server = super().new_home(start), self.server()
        server.begin()
        with server.world.lock:
            server.world.users.update(copy.deepcopy(self.starts[start.path]))
        conf = home.path / "postrider.conf"
        conf.write_text(conf.read_text().replace("port = PORT", f"port = {server.ports[0]}"))
        return home

    def snapshot(self, home):
        return {"rows": home.query("SELECT msgid, state FROM message WHERE role = ? AND msgid LIKE '%@x.org' ORDER BY 1, 2", scene.ROLE),
                "files": home.query("SELECT count(*), (SELECT count(*) FROM copy) FROM message WHERE msgid LIKE '%@x.org'"),
                "jobs": home.query("SELECT original_msgid, state, steps FROM job ORDER BY 1, 2"),
                "owed": home.query("SELECT 'copy', file FROM copy WHERE owed <> 0 UNION ALL SELECT 'remote', wants FROM remote "
                                   "WHERE wants IS NOT NULL OR marks IS NOT NULL"),
                "mail of the owner": sorted((scene.ids_in(h, "In-Reply-To"), "Subject: Re: " in h)
                                            for _, h in home.mails(scene.OWNER, but=("Sent", "Drafts"))),
                "server": on_server(self.server())}

    def works(self):
        problems = []
        for stage in self.stages:
            home = self.new_home(stage.start)
            walk.serve_once(home)
            walk.serve_once(home)
            want = self.want[stage.acked[0]] = self.snapshot(home)
            answers = sorted(i for ids, is_answer in want["mail of the owner"] if is_answer for i in ids if i.endswith("@x.org"))
            if want["rows"] != WANT_ROWS or answers != WANT_ANSWERS[stage.acked[0]] or want["owed"]:
                problems.append(f"{stage.name}: {want}")
            problems += [f"{stage.name}: {p}" for p in self.check(home, stage.acked)]
            self.drop(home)
        self.tap.ok("without a fault each task is answered once", problems)
        return not problems

    def check(self, home, acked):
        got, want = self.snapshot(home), self.want[acked[0]]
        return [f"{what}: {got[what]}, want {want[what]}" for what in want if got[what] != want[what]] + scene.check_store(home)

    def after_fault(self, home, acked):
        return scene.recover(home, hours=1) or self.check(home, acked)


if __name__ == "__main__":
    sys.exit(walk.main(ImapCopiesWalk))
