#!/usr/bin/python3
"""The crash walk over plan run with todos of a role whose model is led, and which is asked by mail: in the foreground, where
plan run makes the passes itself, and under the service after CONTINUE by reply.

    walk_plan_roles.py kill|errors|named|twice [EVERY]    as in walk.py

The role moves one todo itself, only answers about the next, and its first work is not good enough. Afterwards the plan is complete,
its job and all jobs of the role are done, no question is open, each was counted before it was asked, and no todo was
asked for twice in one iteration.
"""
import shutil, sys

import scene, walk, walk_plan

# It works in the folder that the mail names, on the todo that it names; the first time, as `lazy` says, it does nothing.
MODEL = """#!/bin/sh
page=$(cat)
at=$(printf '%s\\n' "$page" | sed -n 's/^You work as tester on the plan PLAN.md in \\(.*\\): [0-9].*/\\1/p' | head -n 1)
id=$(printf '%s\\n' "$page" | sed -n 's/^When it is done, move \\(SC-[0-9]*\\) by .*/\\1/p' | head -n 1)
cd "$at" || exit 1
echo start >>starts
todo='"todo":[{"id":"'$id'","status":"complete"}],'
case $id in SC-1) f=a;; SC-2) f=b todo=;; *) f=c;; esac
if [ -s lazy ]; then sed -i 1d lazy; todo=; else touch $f; fi
echo '{"status":"complete","current_phase":"complete",'$todo'"send_emails":[{"to":[],"body":"I did what I could."}]}'
"""
PLAN = "# Three\n" + "".join(f"- [ ] SC-{i}: make {f} (owner: tester) (check: test -f {f})\n" for i, f in enumerate("abc", 1))
ROLE = """
[brain model]
kind = command
command = %s

[role tester]
address = tester@postrider.local
brain = model
mode = steps
max-attempts = 1000
"""


def make_project(home, lazy):
    walk_plan.make_project(home, lazy)
    (walk_plan.project(home) / "PLAN.md").write_text(PLAN)


def plan_run(home, before=(), env=None, **how):
    clean = {k: "" for k in ("CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID", "CONTINUATION_LEVEL", "POSTRIDER_PLAN_SESSION")}
    return home.run("plan", "run", "PLAN.md", before=["env", "-C", str(walk_plan.project(home)), *before],
                    env={**clean, "MAX_ITERATIONS": "4", **(env or {})}, **how)


def in_front(home, **how):
    make_project(home, 1)
    plan_run(home, **how)


def by_reply(home, **how):
    make_project(home, 4)
    plan_run(home)
    home.run("serve", "--once")
    mail = home.query("SELECT msgid FROM outbox WHERE subject LIKE 'Re: Plan:%' ORDER BY id DESC LIMIT 1")[0][0]
    home.run("send", "--to", scene.ROLE, "--in-reply-to", f"<{mail}>", "--subject", "Re: Plan: PLAN.md", stdin="CONTINUE\n")
    home.run("serve", "--once", **how)


class RolesWalk(walk_plan.PlanWalk):
    plan_run = staticmethod(plan_run)

    def make_stages(self):
        home = scene.make_home(self.work / "made")
        model = home.path / "model"
        model.write_text(MODEL)
        model.chmod(0o755)
        config = home.path / "postrider.conf"
        config.write_text(config.read_text() + ROLE % model)
        return walk.Stage("in front", home, [], in_front), walk.Stage("by reply", home, [], by_reply)

    def names(self, stage):
        """What is not of plans others walk: of that it is enough to die now and then."""
        return [name if name.startswith("plan-") else "another" for name in super().names(stage)]

    def check_jobs(self, home):
        total = self.state(home)["total_iterations"]
        asks = home.query("SELECT todo, over FROM plan_ask")
        jobs = home.query("SELECT state, count(*) FROM job GROUP BY state")
        problems = [f"jobs {jobs}"] * (jobs != [("done", 1 + len(asks))])
        problems += [f"{len(asks)} questions, {total} iterations"] * (len(asks) > total)
        problems += [f"open: {todo}" for todo, over in asks if not over]
        return problems


if __name__ == "__main__":
    sys.exit(walk.main(RolesWalk))
