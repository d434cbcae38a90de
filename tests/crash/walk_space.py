#!/usr/bin/python3
"""The crash walk over a space: a mail to it is sent, delivered to each member, and answered to the space by one of them.

    walk_space.py kill|errors|named|twice [EVERY]    as in walk.py

Afterwards each member has each mail once, apart from who wrote it, it stands in one job of theirs, and nobody else has
anything of it. What was not sent yet is sent again, as a person would.
"""
import sys

import scene, walk

MEMBERS = ("envoy", "alpha", "ann")
CONFIG = scene.CONFIG + """
[brain quiet]
kind = command
command = printf '{"status":"complete","current_phase":"complete"}'

[role alpha]
brain = quiet
mode = steps
max-attempts = 1000

[role gamma]
brain = quiet
mode = steps

[role ann]
person = yes

[space team]
members = envoy alpha ann
"""
ADDRESS = "team@postrider.local"


def send(home, **how):
    home.run("send", "--from", "ann", "--to", ADDRESS, "--subject", "the lamp", stdin="How often does it turn?\n", **how)


def was_sent(home):
    return home.query("SELECT 1 FROM outbox WHERE space = 'team' AND subject = 'the lamp'")


def files_with(home, role, msgid):
    box = home.path / "mail" / role
    sent = box / ".Sent"
    return [p for p in box.rglob("*") if p.is_file() and p.parent.name in ("cur", "new") and sent not in p.parents
            and f"Message-ID: <{msgid}>" in p.read_text(errors="replace")]


def check(home):
    """Each mail of the space is there once for each member but its writer, in one job of theirs."""
    problems = scene.check_store(home)
    mails = home.query("SELECT msgid, substr(from_spec, 1, instr(from_spec, '@') - 1) FROM outbox WHERE space = 'team' ORDER BY id")
    problems += [f"mails of the space: {mails}"] * ([m[1] for m in mails] != ["ann", "envoy"])
    for msgid, writer in mails:
        for role in MEMBERS + ("gamma",):
            n, want = len(files_with(home, role, msgid)), int(role in MEMBERS and role != writer)
            problems += [f"{role} has {n} of {writer}'s mail, not {want}"] * (n != want)
        rows = home.query("SELECT role, space, job <> 0 FROM message WHERE msgid = ? AND folder <> 'Sent' ORDER BY role", msgid)
        want = [(r, "team", 1) for r in sorted(MEMBERS) if r not in (writer, "ann")]
        problems += [f"rows of {writer}'s mail: {rows}"] * (rows != want)
    jobs = home.query("SELECT role, count(*) FROM job GROUP BY role ORDER BY role")
    problems += [f"jobs: {jobs}"] * (jobs != [("alpha", 1), ("envoy", 1)])
    behind = home.query("SELECT count(*) FROM job j WHERE NOT EXISTS (SELECT 1 FROM job_space s WHERE s.job = j.id)")
    return problems + [f"jobs before the wall: {behind}"] * (behind != [(0,)])


def after_fault(home):
    if not was_sent(home):
        send(home)
    return scene.recover(home, hours=3) or check(home)


class SpaceWalk(walk.Walk):
    def make_stages(self):
        first = scene.make_home(self.work / "made")
        (first.path / "postrider.conf").write_text(CONFIG)
        sent = first.copy_to(self.work / "sent")
        send(sent)
        self.end_home = sent.copy_to(self.work / "ended")
        return (walk.Stage("send", first, [], send), walk.Stage("delivery", sent, [], walk.serve_once))

    def works(self):
        problems = after_fault(self.end_home)
        self.tap.ok("without a fault each member has each mail", problems)
        return not problems

    def after_fault(self, home, acked):
        return after_fault(home)


if __name__ == "__main__":
    sys.exit(walk.main(SpaceWalk))
