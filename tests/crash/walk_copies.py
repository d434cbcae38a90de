#!/usr/bin/python3
"""The crash walk over copies: two mails of the owner, each in several files.

    walk_copies.py kill|errors|named|twice [EVERY]    as in walk.py

Of the mail "real" there is a second file of the same identity. Of the mail "late" an unproven file comes first and is
held, then a proven one, then one more that is unproven. The stages are a pass over all files at once, and a pass over the
later ones when the first of each mail is taken in. Whatever went wrong on the way, after recovery all is as if nothing
had happened: one answer to each mail, by one job; each file known to the store, in the folder of its mail and with its
flags; nothing is owed, and `doctor` finds nothing.
"""
import sys

import scene, walk

TRUST = "\n[trust]\nauthserv-id = mx.example.net\n"
# file: mail, what its server says of it
FIRST = {"100.a": ("real", "pass"), "200.a": ("late", "fail")}
LATER = {"101.b": ("real", "pass"), "201.b": ("late", "pass"), "202.c": ("late", "fail")}
WANT_ROWS = [("late@x.org", "handled"), ("late@x.org", "ignored"), ("real@x.org", "handled")]


def put(home, files):
    for n, (name, (mail, proof)) in enumerate(files.items()):
        text = (f"Authentication-Results: mx.example.net; dmarc={proof} header.from=postrider.local\n"
                f"Received: from {name} by mx.example.net; Sun, 15 Nov 2026 09:30:{n:02} +0000\n"
                "From: you@postrider.local\nTo: envoy@postrider.local\nDate: Sun, 15 Nov 2026 09:30:00 +0000\n"
                f"Subject: {mail}\nMessage-ID: <{mail}@x.org>\n\nPlease count the ships.\n")
        (home.path / "mail" / scene.ROLE / "new" / name).write_text(text)


def places(home):
    """{file: (folder, flags)} of what came to the role."""
    box = home.path / "mail" / scene.ROLE
    found = {}
    for path in box.rglob("*.[abc]*"):
        folder, (name, _, flags) = path.parent.parent, path.name.partition(":2,")
        if name not in FIRST | LATER:
            continue  # a mail that the role wrote
        found.setdefault(name, []).append(("" if folder == box else folder.name, flags))
    return found


def snapshot(home):
    files = home.query("SELECT file, folder FROM message WHERE folder <> 'Sent' AND role = ? UNION ALL "
                       "SELECT c.file, m.folder FROM copy c JOIN message m ON m.id = c.message ORDER BY 1", scene.ROLE)
    return {"rows": home.query("SELECT msgid, state FROM message WHERE role = ? ORDER BY 1, 2", scene.ROLE),
            "files in the store": files, "files": places(home),
            "jobs": home.query("SELECT original_msgid, state, steps FROM job ORDER BY 1"),
            "copies owed": home.query("SELECT file FROM copy WHERE owed <> 0"),
            "mail of the owner": sorted((scene.ids_in(h, "In-Reply-To"), "Subject: Re: " in h)
                                        for _, h in home.mails(scene.OWNER, but=("Sent", "Drafts"))),
            "answers in Sent": sorted(scene.ids_in(h, "In-Reply-To") for f, h in home.mails(scene.ROLE) if f == ".Sent")}


class CopiesWalk(walk.Walk):
    def make_stages(self):
        fresh = scene.make_home(self.work / "fresh")
        with (fresh.path / "postrider.conf").open("a") as conf:
            conf.write(TRUST)
        walk.serve_once(fresh)
        at_once = fresh.copy_to(self.work / "at-once")
        put(at_once, FIRST | LATER)
        after = fresh.copy_to(self.work / "after")
        put(after, FIRST)
        walk.serve_once(after)
        put(after, LATER)
        self.want = {}
        return (walk.Stage("all at once", at_once, ["at once"], walk.serve_once),
                walk.Stage("one after the other", after, ["after"], walk.serve_once))

    def works(self):
        problems = []
        for stage in self.stages:
            home = self.new_home(stage.start)
            walk.serve_once(home)
            want = self.want[stage.acked[0]] = snapshot(home)
            if want["rows"] != WANT_ROWS or [i for ids in want["answers in Sent"] for i in ids] != ["late@x.org", "real@x.org"] or want["copies owed"]:
                problems.append(f"{stage.name}: {want}")
            problems += [f"{stage.name}: {p}" for p in self.check(home, stage.acked)]
            self.drop(home)
        self.tap.ok("without a fault each mail is answered once", problems)
        return not problems

    def check(self, home, acked):
        got, want = snapshot(home), self.want[acked[0]]
        problems = [f"{what}: {got[what]}, want {want[what]}" for what in want if got[what] != want[what]]
        known = [name for name, _ in got["files in the store"]]
        problems += [f"{n} is no file of the store" for n in got["files"] if known.count(n) != 1]
        problems += [f"{n} lies in {p}" for n, p in got["files"].items() if len(p) != 1]
        return problems + scene.check_store(home)

    def after_fault(self, home, acked):
        return scene.recover(home, hours=1) or self.check(home, acked)


if __name__ == "__main__":
    sys.exit(walk.main(CopiesWalk))
