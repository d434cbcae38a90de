#!/usr/bin/python3
"""The crash walk over a mailed task with a check that fails first.

    walk_check.py kill|errors|named|twice [EVERY]    as in walk.py

The agent makes what the check wants at its second start. Afterwards the job is done, one answer has left, and what it says is
true: the check had passed, since no answer leaves before.
"""
import shutil, sys

import scene, walk

AGENT = """#!/bin/sh
cat >/dev/null
if [ -e {0}/first ]; then touch {0}/good; fi
touch {0}/first
echo ok
"""


def folder(home):
    return home.path.with_suffix(".made")


def task(home, before=(), env=None, **how):
    shutil.rmtree(folder(home), ignore_errors=True)
    folder(home).mkdir()
    agent = folder(home) / "agent"
    agent.write_text(AGENT.format(folder(home)))
    agent.chmod(0o755)
    home.run("config", "set", "brain default", "command", str(agent))
    text = f"Please.\n\ncheck: test -f {folder(home)}/good && echo passed >>{folder(home)}/ran\n"
    home.run("send", "--to", scene.ROLE, "--subject", "hello", stdin=text)
    home.run("serve", "--once", before=before, env=env, **how)


class CheckWalk(walk.Walk):
    def make_stages(self):
        return (walk.Stage("a task with a check", scene.make_home(self.work / "made"), [], task),)

    def works(self):
        home = self.new_home(self.stages[0].start)
        self.stages[0].run(home)
        problems = self.check(home)
        self.drop(home)
        self.tap.ok("without a fault it is answered once, when the check has passed", problems)
        return not problems

    def drop(self, home):
        super().drop(home)
        shutil.rmtree(folder(home), ignore_errors=True)

    def check(self, home):
        problems = scene.check_store(home)
        answers = [p for p in (home.path / "mail" / scene.OWNER).rglob("*")
                   if p.is_file() and p.parent.name in ("new", "cur") and p.parent.parent.name == scene.OWNER]
        problems += [f"{len(answers)} answers"] * (len(answers) != 1)
        problems += [f"an answer says that the check failed"] * any("failed" in p.read_text() for p in answers)
        problems += ["an answer left before the check had passed"] * (bool(answers) and not (folder(home) / "ran").exists())
        jobs = home.query("SELECT state FROM job")
        problems += [f"jobs {jobs}"] * (jobs != [("done",)])
        return problems

    def after_fault(self, home, acked):
        return scene.recover(home, hours=2) + self.check(home)


if __name__ == "__main__":
    sys.exit(walk.main(CheckWalk))
