#!/usr/bin/python3
"""The crash walk over plan run: in the foreground, and under the service after CONTINUE by reply.

    walk_plan.py kill|errors|named|twice [EVERY]    as in walk.py

The agent stops after each todo, and one check fails first. Afterwards, with plan run once more where a person would say
that, the plan is complete, its one job is done, the owner has heard of the end once, each start of the agent was counted
before it, and nothing is owed.
"""
import json, os, re, shutil, sys
from pathlib import Path

import scene, walk

PLAN = "# Three\n" + "".join(f"- [ ] SC-{i}: make {f} (check: test -f {f})\n" for i, f in enumerate("abc", 1))
# It makes one file per start; the first starts, as many as there are lines in `lazy`, make none.
AGENT = """#!/bin/sh
cat >/dev/null
echo start >>starts
if [ -s lazy ]; then sed -i 1d lazy; exit 0; fi
for f in a b c; do [ -e $f ] || { touch $f; exit 0; }; done
"""


def project(home):
    return home.path.with_suffix(".project")


def make_project(home, lazy):
    folder = project(home)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / ".pilot").mkdir()
    (folder / "PLAN.md").write_text(PLAN)
    (folder / "agent").write_text(AGENT)
    (folder / "agent").chmod(0o755)
    (folder / "lazy").write_text("x\n" * lazy)


def plan_run(home, before=(), env=None, **how):
    clean = {k: "" for k in ("CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID", "CONTINUATION_LEVEL", "POSTRIDER_PLAN_SESSION")}
    return home.run("plan", "run", "PLAN.md", "--", "./agent", before=["env", "-C", str(project(home)), *before],
                    env={**clean, "MAX_ITERATIONS": "3", "POSTRIDER_TEST_SANDBOX": "off", **(env or {})}, **how)


def in_front(home, **how):
    make_project(home, 0)
    plan_run(home, **how)


def by_reply(home, before=(), env=None, **how):
    make_project(home, 3)
    plan_run(home)
    home.run("serve", "--once")
    mail = home.query("SELECT msgid FROM outbox WHERE subject LIKE 'Re: Plan:%' ORDER BY id DESC LIMIT 1")[0][0]
    home.run("send", "--to", scene.ROLE, "--in-reply-to", f"<{mail}>", "--subject", "Re: Plan: PLAN.md", stdin="CONTINUE\n")
    home.run("serve", "--once", before=before, env={"POSTRIDER_TEST_SANDBOX": "off", **(env or {})}, **how)


class PlanWalk(walk.Walk):
    plan_run = staticmethod(plan_run)

    def make_stages(self):
        os.environ["POSTRIDER_TEST_SANDBOX"] = "off"
        home = scene.make_home(self.work / "made")
        return walk.Stage("in front", home, [], in_front), walk.Stage("by reply", home, [], by_reply)

    def works(self):
        problems = []
        for stage in self.stages:
            home = self.new_home(stage.start)
            stage.run(home)
            problems += [f"{stage.name}: {p}" for p in scene.recover(home) + self.check(home)]
            self.drop(home)
        self.tap.ok("without a fault the plan is finished", problems)
        return not problems

    def state(self, home):
        path = project(home) / ".pilot/state/continuation.json"
        return json.loads(path.read_text()) if path.exists() else {}

    def drop(self, home):
        super().drop(home)
        shutil.rmtree(project(home), ignore_errors=True)

    def check(self, home):
        state = self.state(home)
        texts = [p.read_text(errors="replace") for p in (home.path / "mail" / scene.OWNER).rglob("*")
                 if p.parent.name in ("new", "cur") and p.parent.parent.name == scene.OWNER]
        ends = sum(bool(re.search(r"^<[A-Z]+_COMPLETE>", t, re.M)) for t in texts)
        problems = scene.check_store(home)
        problems += [f"the plan is {state.get('status')}"] * (state.get("status") != "complete")
        problems += [f"the owner heard of the end {ends} times"] * (ends != 1)
        problems += self.check_jobs(home)
        rows = home.query("SELECT word, total FROM plan")
        problems += [f"rows {rows}"] * (len(rows) != 1 or rows[0][0] not in ("", "go"))
        return problems

    def check_jobs(self, home):
        starts = (project(home) / "starts").read_text().count("start")
        total = self.state(home)["total_iterations"]
        jobs = home.query("SELECT state FROM job")
        return ([f"{starts} starts, {total} counted"] * (starts > total) + [f"jobs {jobs}"] * (jobs != [("done",)]))

    def after_fault(self, home, acked):
        problems = []
        home.run("serve", "--once", hours=1)  # a job whose session died is parked by that
        for _ in range(4):
            if self.state(home).get("status") == "complete":
                break
            done = self.plan_run(home)
        else:
            problems.append(f"plan run: {done.stdout}{done.stderr}")
        return problems + scene.recover(home, hours=2) + self.check(home)


if __name__ == "__main__":
    sys.exit(walk.main(PlanWalk))
