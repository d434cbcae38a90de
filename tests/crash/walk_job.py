#!/usr/bin/python3
"""The crash walk over a job of four steps: notes, a mail to somebody, a park with its checkpoint mail, more notes, and the
end in the same run.

    walk_job.py kill|errors|named|twice [EVERY]    as in walk.py

The stages are `serve --once` up to the checkpoint mail, and the pass that finds it and goes on. Afterwards the rules
of job.py hold: all is as in a job that nobody disturbed.
"""
import sys

import job, scene, walk

STEPS, MAIL_EVERY, STEPS_PER_RUN = 4, 2, 2


def park(home, **how):
    home.run("serve", "--once", **{"hours": 1, **how})


def resume(home, **how):
    home.run("serve", "--once", **{"hours": 1 + job.PAUSE, **how})


class JobWalk(walk.Walk):
    def make_stages(self):
        queued = job.make_home(self.work / "queued", STEPS, MAIL_EVERY, STEPS_PER_RUN)
        msgid = queued.send("a task")
        parked = queued.copy_to(self.work / "parked")
        park(parked)
        ended = parked.copy_to(self.work / "ended")
        resume(ended)
        self.want = job.snapshot(ended)
        return walk.Stage("parking", queued, [msgid], park), walk.Stage("going on", parked, [msgid], resume)

    def works(self):
        problems = [] if self.want["job"] == [("done", 1, STEPS, STEPS)] else [f"job {self.want['job']}"]
        problems += [f"{p} has no mail" for p in job.PERSONS if not self.want[f"mail of {p}"]]
        problems += [f"{s.name} is not what it should be" for s, state in zip(self.stages, (None, "parked"))
                     if job.state(s.start) != state]
        self.tap.ok("without a fault the job parks, goes on and ends", problems)
        return not problems

    def after_fault(self, home, acked):
        return job.finish(home, hours=2 + job.PAUSE, passes=12) or job.check(home, self.want)


if __name__ == "__main__":
    sys.exit(walk.main(JobWalk))
