"""What the crash tests of longer jobs share: a job of many steps, and what must be true when it has ended.

The brain is a script. Every step writes a note of its own and appends a line to a common one, so that a step that is
lost shows, and one that happens twice too; some send a mail to a person of the home. A run may take few steps only:
then the job parks, leaves itself a checkpoint mail, and goes on when that was seen. Whatever went wrong on the way,
after recovery

 (1) notes, their versions, the mails that people have, their copies in Sent, and the list of steps are those of a
     job that nobody disturbed;
 (2) every checkpoint mail lies in Done once and in Sent once, each with higher counts than the one before;
 (3) nothing is owed, and `doctor` finds nothing.
"""
import email, email.policy, json, re

import scene
from scene import ROLE

PERSONS = ("you", "bob")
PAUSE = 4  # hours by which the clock must be moved on before a parked job goes on

CONFIG = """
[postrider]
owner = you@postrider.local
domain = postrider.local
ack-after = 0
progress-every = 0
retry-first = 1s
log-level = error
continue-after = 3h
instance = walk

[account main]
kind = maildir

[brain default]
kind = script
script = scripts/steps.jsonl

[role envoy]
address = envoy@postrider.local
brain = default
max-iterations = STEPS_PER_RUN
max-attempts = 1000

[role bob]
person = yes
address = bob@postrider.local
"""

LISTS = ("add_notes", "add_emails", "search_emails", "search_notes", "read_attachments", "drop", "write_notes",
         "rename_notes", "delete_notes", "send_emails", "move_emails")


def answer(**fields):
    """What the brain says in one step; fields that are not given are empty."""
    whole = dict(status="continue", current_phase="working", working_note="", bundle_key="", reasoning="as told")
    whole |= {name: [] for name in LISTS} | {"wait": {"for": "reply", "until": "", "then": "continue"}} | fields
    return json.dumps(whole)


def note(key, content, mode="replace"):
    return {"key": key, "content": content, "mode": mode, "if_version": 0}


def mail(to, subject, body, *attachments):
    return {"to": to, "cc": [], "subject": subject, "body": body, "in_reply_to": "",
            "attachments": [{"note_key": key, "filename": name} for key, name in attachments]}


def script(steps, mail_every):
    for n in range(1, steps):
        yield answer(working_note=f"after step {n}",
                     write_notes=[note(f"scratch/n{n}", f"text of step {n}\n"), note("scratch/log", f"{n}\n", "append")],
                     send_emails=[] if n % mail_every else [mail(["bob@postrider.local"], f"News {n}", f"Step {n}.")])
    yield answer(status="complete", current_phase="complete",
                 send_emails=[mail([], "", "All done.", ("scratch/log", "log.txt"))])


def settings(home, steps, mail_every, steps_per_run):
    """The next mail to the role becomes a job of so many steps."""
    (home.path / "postrider.conf").write_text(CONFIG.replace("STEPS_PER_RUN", str(steps_per_run)))
    (home.path / "scripts").mkdir(exist_ok=True)
    (home.path / "scripts/steps.jsonl").write_text("\n".join(script(steps, mail_every)) + "\n")


def make_home(path, *how):
    home = scene.make_home(path)
    settings(home, *how)
    return home


def state(home):
    """The newest state of the one job; None: there is none yet."""
    rows = home.query("SELECT state FROM job")
    return rows[0][0] if rows else None


def finish(home, hours, passes=60):
    """Passes, each later than any wait, until the job has ended; gives what is wrong with that."""
    for i in range(passes):
        done = home.run("serve", "--once", hours=hours + i * PAUSE)
        if done.returncode == 0 and not scene.owed(home):
            return []
    return [f"recovery: exit {done.returncode}: {done.stderr.strip()}", *scene.owed(home)]


def parsed(path):
    return email.message_from_bytes(path.read_bytes(), policy=email.policy.default)


def files(home, mailbox, folder):
    box = home.path / "mail" / mailbox / folder
    return sorted(p for sub in ("new", "cur") for p in (box / sub).glob("*"))


def is_checkpoint(message):
    return any(part.get_filename() == "continuation.json" for part in message.iter_attachments())


def documents(home, folder):
    """The continuation documents of the checkpoint mails in a folder of the role, oldest first."""
    found = [json.loads(part.get_content()) for path in files(home, ROLE, folder)
             for part in parsed(path).iter_attachments() if part.get_filename() == "continuation.json"]
    return sorted(found, key=lambda d: d["seq"])


def in_words(message):
    """A mail without what differs from one life to the next."""
    body = message.get_body(("plain",)).get_content()
    names = [(p.get_filename(), p.get_content()) for p in message.iter_attachments()]
    return str(message["Subject"]), str(message["To"]), body, names


def snapshot(home):
    """What the job has brought about: {what: value}."""
    notes = home.path / "notes"
    found = {f"note {p.relative_to(notes)}": p.read_bytes() for p in notes.rglob("*.md") if p.name[0] != "."}
    for key, version, body in home.query("SELECT key, version, body FROM note_version"):
        found[f"version {key}@{version}"] = body
    for person in PERSONS:
        found[f"mail of {person}"] = sorted(in_words(parsed(p)) for p in files(home, person, ""))
    for folder in ("", ".Active", ".Done", ".Sent"):
        own = [parsed(p) for p in files(home, ROLE, folder)]
        found[f"in {folder or 'INBOX'}"] = sorted(str(m["Subject"]) for m in own if not is_checkpoint(m))
    found["job"] = home.query("SELECT state, round, steps, total_iterations FROM job")
    found["steps"] = [(n, re.sub(r"<[^>]*>", "<ID>", did)) for n, did in home.query("SELECT n, did FROM step ORDER BY n")]
    return found


def check(home, want):
    """All rules, against the snapshot of a job that nobody disturbed."""
    got = snapshot(home)
    problems = [f"{what}: {got.get(what)!r:.300}, want {want.get(what)!r:.300}"
                for what in sorted(got.keys() | want.keys()) if got.get(what) != want.get(what)]
    return problems + check_checkpoints(home) + scene.check_store(home)


def check_checkpoints(home):
    problems = [f"a checkpoint is left in {folder or 'INBOX'}" for folder in ("", ".Active") if documents(home, folder)]
    done, sent = documents(home, ".Done"), documents(home, ".Sent")
    if done != sent:
        problems.append(f"checkpoints {[d['seq'] for d in done]} in Done, {[d['seq'] for d in sent]} in Sent")
    for count in ("seq", "total_iterations"):
        counts = [d[count] for d in sent]
        if any(b <= a for a, b in zip(counts, counts[1:])):
            problems.append(f"{count} of the checkpoints is {counts}")
    return problems


COUNTS = {
    "steps": "SELECT coalesce(sum(steps), 0) FROM job", "steps of the round": "SELECT coalesce(sum(total_iterations), 0) FROM job",
    "epoch": "SELECT coalesce(sum(epoch), 0) FROM job", "fence": "SELECT coalesce(sum(fence), 0) FROM job",
    "checkpoints": "SELECT coalesce(sum(seq), 0) FROM job", "rows of steps": "SELECT count(*) FROM step",
    "versions of notes": "SELECT count(*) FROM note_version", "mails out": "SELECT count(*) FROM outbox"}


def counts(home):
    """What may only grow."""
    return {name: home.query(sql)[0][0] for name, sql in COUNTS.items()}


def shrunk(before, after):
    return [f"{name} went from {before[name]} to {after[name]}" for name in after if after[name] < before.get(name, 0)]
