#!/usr/bin/python3
"""The crash walk over a job in a git repository: its worktree is made, a program works there, what it left is committed.

    walk_tree.py kill|errors|named|twice [EVERY]    as in walk.py

The repository lies in the home, so that each try has its own. Afterwards the mail is answered once, the job's branch has
what the program wrote, its worktree is clean and on that branch, there is no second branch for it, and git finds
nothing wrong.
"""
import os, subprocess, sys
import scene, walk

BRAIN = "sh -c 'cat >/dev/null; echo $POSTRIDER_JOB >>work.txt; printf ok'"
ENV = os.environ | {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
                    "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}


def git(folder, *args):
    done = subprocess.run(["git", "-C", str(folder), *args], env=ENV, text=True, capture_output=True)
    return done.returncode, (done.stdout + done.stderr).strip()


class TreeWalk(walk.Walk):
    def make_stages(self):
        home = scene.make_home(self.work / "fresh")
        home.config(BRAIN)
        with open(home.path / "postrider.conf", "a") as conf:
            conf.write("workdir = project\n")
        project = home.path / "project"
        project.mkdir()
        git(project, "init", "-q", "-b", "main")
        for n in range(20):
            (project / f"file{n}").write_text(f"{n}\n")
        git(project, "add", "-A")
        git(project, "commit", "-q", "-m", "First")
        msgid = home.send()
        return [walk.Stage("serve", home, [msgid], walk.serve_once)]

    def check_tree(self, home, job=1):
        project, tree = home.path / "project", home.path / f"work/envoy/{job}/tree"
        branch = f"postrider/{job}"
        problems = []
        if any(b"Not committed: what it left stays" in mail.read_bytes() for mail in (home.path / "mail/you").glob("new/*")):
            return [] if (tree / "work.txt").exists() else ["what is not committed is nowhere"]  # a disk that was full
        wrote = git(project, "show", f"{branch}:work.txt")
        if wrote[0] != 0 or not wrote[1].startswith(str(job)):
            problems.append(f"{branch} has not what the program wrote: {wrote[1]}")
        for what, args, want in (("status", ["status", "--porcelain"], ""), ("HEAD", ["symbolic-ref", "HEAD"], f"refs/heads/{branch}")):
            got = git(tree, *args)
            if got != (0, want):
                problems.append(f"{what} of the worktree: {got}")
        if git(project, "branch", "--list", f"{branch}-*")[1]:
            problems.append("there is a second branch")
        if git(project, "rev-list", "--count", f"main..{branch}")[1] not in ("1", "2"):  # a program that died is run again
            problems.append("the branch has more than what two runs commit, or nothing")
        fsck = git(project, "fsck", "--strict", "--connectivity-only", "--no-dangling")
        if fsck[0] != 0:
            problems.append(f"fsck: {fsck[1]}")
        return problems

    def works(self):
        ok = super().works()
        home = self.new_home(self.stages[0].start)
        self.stages[0].attempt(home)
        problems = self.check_tree(home)
        self.tap.ok("and its work is on its branch", problems)
        return ok and not problems

    def after_fault(self, home, acked):
        return super().after_fault(home, acked) + self.check_tree(home)


if __name__ == "__main__":
    sys.exit(walk.main(TreeWalk))
