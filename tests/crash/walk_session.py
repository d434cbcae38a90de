#!/usr/bin/python3
"""The crash walk over a program that keeps a session: two rounds of one conversation, of which the second resumes.

    walk_session.py kill|errors|named|twice [EVERY]    as in walk.py

The stages are `serve --once` in which the session begins, and the one in which it goes on. The program is
tests/peers/stub-agent, which dies too where the walk comes to its calls. Afterwards each mail is answered once, nothing is
owed, and the session that the store names is one that the program knows and that has seen every mail.
"""
import json, sys
from collections import Counter
from pathlib import Path

import scene, walk

AGENT = Path(__file__).resolve().parent.parent / "peers/stub-agent"
SAID = ("the first thing", "the second thing")


def serve(home, **how):
    home.run("serve", "--once", **{"hours": 1, **how})


def go_on(home, **how):
    home.run("serve", "--once", **{"hours": 2, **how})


def calls(home):
    """What the program wrote down; a line that it was killed in is no line."""
    path = home.path / "work" / scene.ROLE / "1/.agent/calls.jsonl"
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            yield json.loads(line)
        except ValueError:
            pass


class SessionWalk(walk.Walk):
    def make_stages(self):
        script = self.work / "script"
        script.write_text("".join("text I look at it\nresult answered\n---\n" for _ in range(40)))
        first = scene.make_home(self.work / "first")
        config = scene.CONFIG.replace("kind = command\ncommand = printf ok",
                                      f"kind = claude\ncommand = {AGENT} --script {script} --state .agent")
        (first.path / "postrider.conf").write_text(config)
        one = first.send(SAID[0])
        second = first.copy_to(self.work / "second")
        serve(second)
        done = second.run("send", "--to", scene.ROLE, "--in-reply-to", f"<{one}>", "--subject", "Re",
                          stdin=SAID[1] + "\n", hours=2)
        two = done.stdout.strip().strip("<>")
        self.ended = second.copy_to(self.work / "ended")
        go_on(self.ended)
        return walk.Stage("beginning", first, [one], serve), walk.Stage("going on", second, [one, two], go_on)

    def works(self):
        problems = self.check(self.ended, self.stages[1].acked)
        resumed = [c["resumed"] for c in calls(self.ended) if "start" in c]
        problems += [f"sessions resumed: {resumed}"] * (resumed != [False, True])
        self.tap.ok("without a fault the session begins and goes on", problems)
        return not problems

    def check(self, home, acked):
        answers = Counter(i for _, h in home.mails(scene.OWNER, but=("Sent", "Drafts"))
                          for i in scene.ids_in(h, "In-Reply-To"))
        problems = [f"<{i}>: {answers[i]} answers" for i in acked if answers[i] != 1]
        problems += [f"mail to the owner about <{i}>" for i in answers if i not in acked]
        job = home.query("SELECT state, round, steps FROM job")
        problems += [f"job {job}"] * (job != [("done", len(acked), len(acked))])
        return problems + self.check_session(home, len(acked)) + scene.check_store(home)

    def check_session(self, home, mails):
        rows = home.query("SELECT id, began, step, heard FROM session")
        if len(rows) != 1:
            return [f"sessions {rows}"]
        name, began, step, heard = rows[0]
        seen = " ".join(c["prompt"] for c in calls(home) if "prompt" in c and c["session"] == name)
        problems = [f"session {rows[0]}"] * ((began, step, heard) != (1, mails, ""))
        problems += [f"it has not seen '{words}'" for words in SAID[:mails] if words not in seen]
        problems += [f"it says {n} doings still" for (n,) in home.query("SELECT count(*) FROM doing") if n]
        return problems

    def after_fault(self, home, acked):
        return scene.recover(home, hours=3) or self.check(home, acked)


if __name__ == "__main__":
    sys.exit(walk.main(SessionWalk))
