#!/usr/bin/python3
"""Many runs that wait for a slow model at the same time.

    many_wait.py RUNS SECONDS MB_PER_RUN STOP_SECONDS

RUNS mails come in, and the model, asked by HTTP, thinks for SECONDS and at least until all of them are waiting and
some of them were stopped. Shows that all wait at once, in MB_PER_RUN megabytes each (PSS, master and account
included), that `postrider stop` and a mail reach any of them within STOP_SECONDS, and that each of the others is
answered once. The master may have no more than 1,024 files open when it is started, as under systemd.
"""
import asyncio, json, os, random, re, resource, subprocess, sys, threading, time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "crash"))
import scene
from tap import Tap

STOPPED = 5  # by each way
PATIENCE = 600
SOFT_FILES = 1024
CONFIG = """
[postrider]
owner = you@postrider.local
domain = postrider.local
workers = {runs}
ack-after = 0
progress-every = 0
max-cost-per-day = 1000000.00
instance = wait
[trust]
require-auth = none
[account main]
kind = maildir
[brain slow]
kind = anthropic
model = claude-opus-5-5
url = http://127.0.0.1:{port}
key-file = secrets/model
timeout = 1h
max-tokens = 1000
[role envoy]
address = envoy@postrider.local
brain = slow
"""
LISTS = ("add_notes add_emails search_emails search_notes read_attachments drop write_notes rename_notes delete_notes "
         "move_emails").split()


def step(task):
    """The one step of a job, as a model writes it."""
    mail = {"to": ["you@postrider.local"], "cc": [], "subject": "", "body": f"Answer {task}.", "in_reply_to": "",
            "attachments": []}
    return json.dumps({"status": "complete", "current_phase": "complete", "working_note": "", "bundle_key": "",
                       "reasoning": "as told", "wait": {"for": "reply", "until": "", "then": "continue"},
                       "send_emails": [mail], **{name: [] for name in LISTS}})


class Model:
    """Thinks until it is told to answer, and at least so long. Knows a mail by its words "do task N"."""

    def __init__(self, seconds):
        self.seconds, self.asked, self.waiting, self.gone, self.answered = seconds, {}, set(), {}, {}
        self.loop, self.ready = asyncio.new_event_loop(), threading.Event()
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()
        self.ready.wait()

    def serve(self):
        asyncio.set_event_loop(self.loop)
        self.may_answer = asyncio.Event()
        server = self.loop.run_until_complete(asyncio.start_server(self.talk, "127.0.0.1", 0, backlog=4096))
        self.port = server.sockets[0].getsockname()[1]
        self.ready.set()
        self.loop.run_forever()

    def answer_all(self):
        self.loop.call_soon_threadsafe(self.may_answer.set)

    async def think(self):
        await asyncio.sleep(self.seconds)
        await self.may_answer.wait()

    async def talk(self, reader, writer):
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            body = await reader.readexactly(int(re.search(r"content-length: *(\d+)", head, re.I)[1]))
            task = int(re.search(r"do task (\d+)", body.decode())[1])
            self.asked[task] = self.asked.get(task, 0) + 1
            self.waiting.add(task)
            thought, end = asyncio.ensure_future(self.think()), asyncio.ensure_future(reader.read(1))
            await asyncio.wait({thought, end}, return_when=asyncio.FIRST_COMPLETED)
            self.waiting.discard(task)
            if end.done():
                thought.cancel()
                self.gone[task] = time.monotonic()
            else:
                end.cancel()
                self.answered[task] = self.answered.get(task, 0) + 1
                text = json.dumps({"id": f"msg_{task}", "type": "message", "role": "assistant", "model": "m",
                                   "content": [{"type": "text", "text": step(task)}], "stop_reason": "end_turn",
                                   "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}})
                writer.write(f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(text)}\r\n"
                             f"connection: close\r\n\r\n{text}".encode())
                await writer.drain()
        finally:
            writer.close()


def put_mail(home, name, headers, body):
    """A mail of the owner's, as another program would file it."""
    box = home.path / "mail/envoy"
    (box / "tmp" / name).write_text(f"From: you@postrider.local\nTo: envoy@postrider.local\nMessage-ID: <{name}@x>\n"
                                    f"{headers}\n{body}\n")
    (box / "tmp" / name).rename(box / "new" / name)


def pss_mb(home):
    """Of all who are at work, by the kernel's count of what they share."""
    total, n = 0, 0
    for pid, what in scene.processes(home):
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        total, n = total + int(re.search(r"\nPss: *(\d+)", text)[1]), n + 1
    return total * 1024 / 1e6, n


def stop_by_verb(home, model, task, job):
    begin = time.monotonic()
    home.run("stop", str(job))
    return begin


def stop_by_mail(home, model, task, job):
    begin = time.monotonic()
    put_mail(home, f"stop{task}", f"Subject: Re: task {task}\nIn-Reply-To: <task{task}@x>\n", "STOP")
    return begin


def stop_some(home, model, tasks, stop):
    """Gives how long each took until its call was ended; None where it was not."""
    took = []
    for task in tasks:
        ((job,),) = home.query("SELECT id FROM job WHERE subject = ?", f"task {task}")
        begin = stop(home, model, task, job)
        scene.until(lambda: task in model.gone, 30, every=0.005)
        took.append(model.gone[task] - begin if task in model.gone else None)
    return took


def answers(home):
    """How often each task was answered."""
    counts = {}
    for _, head in home.mails("you"):
        for task in re.findall(r"(?m)^Subject: Re: task (\d+)$", head):
            counts[int(task)] = counts.get(int(task), 0) + 1
    return counts


def main(runs, seconds, mb_per_run, stop_seconds):
    tap, model = Tap(), Model(seconds)
    with scene.scratch() as work:
        home = scene.make_home(Path(work) / "home")
        (home.path / "secrets/model").write_text("sk-test\n")
        (home.path / "secrets/model").chmod(0o600)
        (home.path / "postrider.conf").write_text(CONFIG.format(runs=runs, port=model.port))
        home.run("account", "main", "--once")
        for task in range(runs):
            put_mail(home, f"task{task}", f"Subject: task {task}\n", f"Please do task {task}.")
        begin = time.monotonic()
        log = open(home.path.with_suffix(".log"), "w")
        serve = subprocess.Popen(home.command("serve"), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                 env=os.environ | {"POSTRIDER_LOG": "error"},
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (
                                     min(SOFT_FILES, max(runs, 24)), resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
        try:
            scene.until(lambda: len(model.waiting) == runs or serve.poll() is not None, PATIENCE)
            all_wait = len(model.waiting) == runs
            tap.diag(f"{len(model.waiting)} of {runs} wait after {time.monotonic() - begin:.1f} s")
            tap.ok(f"{runs} runs wait at the same time", [] if all_wait else ["they do not"])

            total, n = pss_mb(home)
            tap.diag(f"{total:.0f} MB in {n} processes, {total / runs:.2f} MB for each run")
            tap.ok(f"with at most {mb_per_run} MB each", [] if 0 < total / runs <= mb_per_run else [f"{total:.0f} MB in all"])

            tasks = random.sample(range(runs), 2 * STOPPED)
            for some, stop, how in ((tasks[:STOPPED], stop_by_verb, "stop"), (tasks[STOPPED:], stop_by_mail, "a mail")):
                took = stop_some(home, model, some, stop)
                tap.diag(f"{how}: " + ", ".join("never" if t is None else f"{t * 1000:.0f} ms" for t in took))
                tap.ok(f"{how} reaches any of them within {stop_seconds} s",
                       [f"{t}" for t in took if t is None or t > stop_seconds])

            model.answer_all()
            rest = set(range(runs)) - set(tasks)
            scene.until(lambda: not home.query("SELECT 1 FROM job WHERE state IN ('queued', 'running')") and
                        rest <= set(answers(home)), PATIENCE, every=0.2)
            tap.diag(f"all is over after {time.monotonic() - begin:.1f} s")
            said = answers(home)
            tap.ok("each of the others is answered once",
                   [f"task {t}: {said.get(t, 0)} answers" for t in rest if said.get(t) != 1])
            tap.ok("after one question", [f"task {t}: asked {n} times" for t, n in sorted(model.asked.items()) if n != 1])
        finally:
            status = home.stop_master(serve, 60)
        log.close()
        said = home.path.with_suffix(".log").read_text()
        tap.ok("the master ends in order, and nothing has failed",
               ([f"exit {status}"] if status else []) + said.splitlines())
        problems = scene.left_behind(home)
        tap.ok("nobody is left", problems)
    return tap.end()


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(main(int(sys.argv[1]), *map(float, sys.argv[2:])))
