"""TAP for tests that are written in Python and started by a .t file."""


class Tap:
    def __init__(self):
        self.points = self.failed = 0

    def diag(self, text):
        for line in str(text).splitlines():
            print(f"# {line}", flush=True)

    def ok(self, description, problems=()):
        """A point that passes when there are no problems; the first of them are shown."""
        self.points += 1
        self.failed += bool(problems)
        print(f"{'not ' if problems else ''}ok {self.points} - {description}", flush=True)
        for problem in problems[:60]:
            self.diag(problem)
        if len(problems) > 60:
            self.diag(f"and {len(problems) - 60} more")

    def end(self):
        print(f"1..{self.points}", flush=True)
        return 1 if self.failed else 0
