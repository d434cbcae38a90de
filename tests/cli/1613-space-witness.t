#!/usr/bin/env bash
# Twenty roles, six spaces and six panels: at random the roles read, search, write notes and mails with what they have seen, by port, MCP and in
# the steps of a model, while the panels review one spec after the other, with the brains of some of these roles. A witness, who reads every
# mailbox and note as files, and all that any of them was told, finds nothing of a space or panel outside of it, and no ballot anywhere before
# the ballots of its round were opened.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/mcp.sh"
. "$(dirname "$0")/../lib/space.sh"
OPS=${POSTRIDER_SPACE_OPS:-1000} SEED=${POSTRIDER_SPACE_SEED:-7}
diag "operations $OPS, seed $SEED"
roles=$(seq -f 'r%02g' 20)
# shellcheck disable=SC2086
space_home $roles
sed -i 's/^\[postrider\]$/[postrider]\nmax-mails-per-round = 0\nmax-mails-all = 0\nmax-questions = 0/' "$HOME_DIR/postrider.conf"
for i in 1 2 3 4 5 6; do
    # shellcheck disable=SC2086
    add_space "s$i" "$(shuf -n 5 --random-source=<(yes "$SEED$i") -e $roles | tr '\n' ' ')"
done
# A panel's page names its topic; what is said about that lies in a file of the round. All other pages are a role's own.
cat >"$HOME_DIR/scripts/member" <<END
#!/bin/sh
cd '$WORK/brains' || exit 1
page=page.\$\$
cat >"\$page"
topic=\$(sed -n 's/.*TOPIC-\([0-9]*-[0-9]*\)\..*/\1/p' "\$page" | head -n 1)
[ -n "\$topic" ] || exec "$HOME_DIR/scripts/brain" "\$1" <"\$page"
for round in 1 2 3; do
    [ -e "panel.\$topic.\$1.\$round.page" ] && continue
    mv "\$page" "panel.\$topic.\$1.\$round.page"
    exec cat "panel.\$topic.\$1.\$round.says"
done
END
chmod +x "$HOME_DIR/scripts/member"
sed -i 's,/scripts/brain ,/scripts/member ,' "$HOME_DIR/postrider.conf"
mkdir -p "$WORK/project/docs/proposed"
{
    printf '[workflow]\nroot = %s\n[artifact doc]\npath = docs/{state}/{name}.md\nmoves = proposed todo p1 p2 p3 p4 p5 p6\n' "$WORK/project"
    for i in 1 2 3 4 5 6; do printf '[panel p%s]\nmembers = r%02d, r%02d, r%02d\nrule = majority\n' $i $i $((i + 6)) $((i + 12)); done
} >>"$HOME_DIR/postrider.conf"
exits 0 'the settings are right' pr config check
pr index >/dev/null # opens the store, and brings the settings into it
export POSTRIDER_HOME=$HOME_DIR
wire "$HOME_DIR" "$OPS" "$SEED" "$WORK/brains" "$WORK/project" <<'P'
import base64, email, email.policy, glob, random, re, socket, sqlite3
from pathlib import Path
pr, home, ops, rnd = sys.argv[1], sys.argv[2], int(sys.argv[3]), random.Random(int(sys.argv[4]))
brains, project = Path(sys.argv[5]), Path(sys.argv[6])
roles = [f"r{i:02}" for i in range(1, 21)]
store = sqlite3.connect(f"file:{home}/state/postrider.db?mode=ro", uri=True)
members = {}
for space, member in store.execute("SELECT space, member FROM space_member"):
    members.setdefault(space, set()).add(member)
spaces = sorted(members)
same("six spaces", len(spaces), 6)
inner = [f"p{k}-internal" for k in range(1, 7)] # of the panels; none of the roles is in there, whose brains are

def run(*argv, data=""):
    done = subprocess.run([pr, *argv], input=data, capture_output=True, text=True)
    return done.stdout.strip()

# What is searched for (a word in front) is never what is looked for afterwards (a word in the middle).
secrets, words = {}, {s: [] for s in spaces + inner}
def secret(space, k):
    mark = "".join(rnd.choice("bcdfghjklmnpqrstvwxz") for _ in range(12))
    word = "".join(rnd.choice("bcdfghjklmnpqrstvwxz") for _ in range(10))
    secrets[mark], _ = space, words[space].append(word)
    return f"{word} is what we call the {k}th worry, and {mark} is how it was solved in the end."

def flow():
    run("deliver")
    run("account", "main", "--once")

for s in spaces:
    for k in range(3):
        run("send", "--to", s + "@postrider.local", "--subject", f"worry {k}", data="\n".join(secret(s, 3 * k + n) for n in range(3)) + "\n")
        run("note", "put", f"spaces/{s}/n{k}", data=secret(s, 100 + k) + "\n")
flow()

# --- the panels ---
class Panel:
    """Asked for one review after the other; its jobs are run one at a time, so that ballots lie sealed while others work."""
    def __init__(self, k):
        self.k, self.space, self.docs, self.marks = k, f"p{k}-internal", 0, {}
        self.members = [f"r{k + 6 * i:02}" for i in range(3)]
        self.begin()
    def begin(self):
        self.docs += 1
        self.topic = f"{self.k}-{self.docs}"
        for n, name in enumerate(self.members):
            for r in (1, 2):
                text, mark = secret(self.space, 1000 * self.docs + 10 * n + r), words[self.space][-1]
                self.marks[mark] = (self.topic, r)
                verdict = "revise" if n == 0 else "approve"
                said = {"verdict": verdict, "assessment": text, "findings": [{"where": "all", "what": mark, "severity": "minor"}]}
                (brains / f"panel.{self.topic}.{name}.{r}.says").write_text(json.dumps(said))
        doc = project / f"docs/proposed/d{self.topic}.md"
        doc.write_text(f"What is to be judged: TOPIC-{self.topic}.\n")
        run("notify", "--quiet", "review-request", str(doc.relative_to(project)), f"p{self.k}")
    def row(self):
        """Of the review that it was asked for last; None: it has not looked at that yet."""
        return store.execute("SELECT id, state, verdict, revealed FROM panel WHERE artifact = ?", (f"docs/*/d{self.topic}.md",)).fetchone()
    def sealed(self):
        """What nobody may have read yet."""
        row = self.row()
        return [] if not row or row[1] != "open" else [m for m, (topic, r) in self.marks.items() if topic == self.topic and r > row[3]]

panels, looked_at, early, shown = [], set(), [], 0
def look():
    """Nothing that is sealed is in any mail or note, or told by a command."""
    sealed = [m for p in panels for m in p.sealed()]
    for path in (p for top in ("mail", "notes", "spaces") for p in (Path(home) / top).rglob("*")):
        if path in looked_at or not path.is_file():
            continue
        looked_at.add(path)
        data = path.read_text(errors="replace")
        early.extend((str(path), m) for m in sealed if m in data)
def advance(more=True):
    """One job of a panel or a member goes on; a panel that has decided is asked about the next, where there is to be more."""
    global shown
    jobs = [j for j, in store.execute("SELECT id FROM job WHERE state = 'queued' AND role GLOB 'p[1-6]*'")]
    if jobs:
        run("run", str(rnd.choice(jobs)))
        run("deliver")
    look()
    p = rnd.choice(panels)
    row = p.row()
    if row:
        said = run("panel", "status", str(row[0])) + run("--json", "panel", "status", str(row[0]))
        early.extend(("panel status", m) for m in p.sealed() if m in said)
        shown += any(m in said for m, (topic, r) in p.marks.items() if topic == p.topic)
    if more and row and row[1] != "open" and p.docs <= ops // 200:
        p.begin()
        flow()

class Port:
    def __init__(self, role):
        self.child = subprocess.Popen([pr, "session", "--role", role], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        path = self.child.stdout.readline().strip()
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.lines = self.socket.makefile("rw")
    def ask(self, verb, **members):
        self.lines.write(json.dumps({"verb": verb, **members}) + "\n")
        self.lines.flush()
        answer = json.loads(self.lines.readline())
        return answer["ok"], answer
    def close(self):
        self.child.stdin.close()
        self.child.wait(WAIT)

TOOLS = {"mail.list": "mail_inbox", "mail.show": "mail_read", "mail.search": "mail_search", "send": "mail_send", "note.get": "note_read",
         "note.search": "note_read", "note.list": "note_read", "note.put": "note_write"}
class Mcp:
    def __init__(self, role):
        self.wire = Wire([pr, "mcp", "--role", role])
    def ask(self, verb, **members):
        if verb not in TOOLS or "attachments" in members or verb == "note.search":
            return True, {}
        if verb == "mail.list":
            members = {}
        r = self.wire.tool(TOOLS[verb], **members)
        return not r.get("isError"), r
    def close(self):
        self.wire.close()

# A model says at once what it wants, in three steps of a job; what its pages showed is read behind them.
FIELDS = {"mail.search": ("search_emails", lambda m: {"text": m["query"]}), "note.search": ("search_notes", lambda m: m["query"]),
          "note.get": ("add_notes", lambda m: m["key"]), "mail.show": ("add_emails", lambda m: {"message_id": m["id"], "folder": "INBOX"}),
          "note.put": ("write_notes", lambda m: {"key": m["key"], "content": m["content"], "mode": "replace"}),
          "note.rename": ("rename_notes", lambda m: {"from": m["from"], "to": m["to"]}),
          "send": ("send_emails", lambda m: {"to": m["to"], "subject": m["subject"], "body": m["body"], "in_reply_to": m.get("in_reply_to", "")})}
class Steps:
    def __init__(self, role):
        self.role, self.wants, self.pages = role, [], 0
    def ask(self, verb, **members):
        if verb in FIELDS:
            self.wants.append((FIELDS[verb][0], FIELDS[verb][1](members)))
        return True, {}
    def say(self):
        """Its answers to the next job's questions."""
        answers = []
        for n in range(3):
            answer = {"status": "complete" if n == 2 else "continue", "current_phase": "working"}
            for field, value in self.wants[n::3]:
                answer.setdefault(field, []).append(value)
            answers.append(json.dumps(answer))
        (brains / f"{self.role}.says").write_text("\n".join(answers) + "\n")
        self.wants = []
    def read(self):
        """The pages that are new."""
        new = sorted(brains.glob(f"{self.role}.seen.*"), key=lambda p: int(p.suffix[1:]))[self.pages:]
        self.pages += len(new)
        return [p.read_text(errors="replace") for p in new]
    def close(self):
        pass

class Role:
    def __init__(self, name, door):
        self.name, self.door, self.lines, self.ids, self.told = name, door, ["Nothing to tell but that the weather is as it was."], [], []
    def ask(self, verb, **members):
        ok, answer = self.door.ask(verb, **members)
        self.hear(json.dumps(answer))
        return ok, answer
    def hear(self, said):
        self.told.append(said)
        self.ids += [i for i in re.findall(r"<?(\d{10,}\.\d+\.[a-z2-7]+@postrider\.local)>?", said)]
        self.lines += [line for line in re.findall(r"[^\\\"]{45,}", said.replace("\\n", '"'))][:30]
        del self.lines[1:-300], self.ids[:-300]

everyone = [Role(r, (Port, Steps, Mcp, Port)[i % 4](r)) for i, r in enumerate(roles)]
thinkers = [who for who in everyone if isinstance(who.door, Steps)]
def think():
    """One job of each model with what it has wanted since the last one."""
    for who in thinkers:
        who.door.say()
        run("send", "--to", who.name, "--subject", "go", data="Go on.\n")
    flow()
    for job, in store.execute("SELECT id FROM job WHERE state = 'queued' AND role IN (%s)" % ",".join(f"'{w.name}'" for w in thinkers)).fetchall():
        run("run", str(job))
    for who in thinkers:
        for page in who.door.read():
            who.hear(page)
count = {"read": 0, "passed": 0, "refused": 0}
panels += [Panel(k) for k in range(1, 7)]
flow()
everywhere = spaces + inner
def text():
    line = rnd.choice(everyone_lines)
    how = rnd.randrange(5)
    if how == 0: return "> " + line
    if how == 1: return "\n".join(line[i:i + 30] for i in range(0, len(line), 30)) if " " not in line else line.replace(" ", "\n> ", 3)
    if how == 2: return "They say: " + line + " So they do."
    return line
for n in range(ops):
    if n % 200 == 199:
        think()
    elif n % 100 == 99:
        flow()
    if n % 20 == 19:
        advance()
    who = rnd.choice(everyone)
    everyone_lines = who.lines
    what = rnd.randrange(10)
    key = rnd.choice([f"spaces/{rnd.choice(everywhere)}/n{rnd.randrange(3)}", f"{rnd.choice(roles)}/n", f"common{rnd.randrange(4)}"])
    if what == 0: who.ask("mail.list", limit=50)
    elif what == 1: who.ask("mail.search", query=rnd.choice(list(secrets)) if rnd.random() < 0.7 else "worry")
    elif what == 2: who.ask("note.get", key=key)
    elif what == 3: who.ask("note.list", prefix=rnd.choice(["", "spaces/", "common"])), who.ask("note.search", query=rnd.choice(list(secrets)))
    elif what == 4 and who.ids: who.ask("mail.show", id="<" + rnd.choice(who.ids) + ">")
    elif what == 5:
        ok, _ = who.ask("note.put", key=key, content=text() + "\n")
        count["passed" if ok else "refused"] += 1
    elif what == 6:
        ok, _ = who.ask("note.rename", **{"from": f"{who.name}/n", "to": f"common{rnd.randrange(100, 999)}"})
        count["passed" if ok else "refused"] += 1
    else:
        to = rnd.choice([rnd.choice(everywhere), rnd.choice(roles), rnd.choice(roles)]) + "@postrider.local"
        body = text() + (f"\nSee <{rnd.choice(who.ids)}>." if who.ids and rnd.random() < 0.3 else "")
        more = {"in_reply_to": "<" + rnd.choice(who.ids) + ">"} if who.ids and rnd.random() < 0.2 else {}
        if rnd.random() < 0.15:
            more["attachments"] = [{"filename": "a.txt", "content_base64": base64.b64encode(text().encode()).decode()}]
        ok, _ = who.ask("send", to=[to], subject=text()[:70].replace("\n", " ") if rnd.random() < 0.2 else "talk", body=body, **more)
        count["passed" if ok else "refused"] += 1
for _ in range(400):
    if all(p.row() and p.row()[1] != "open" for p in panels):
        break
    advance(more=False)
flow()
for who in everyone:
    who.ask("mail.list", limit=500)
    who.door.close()
print("# " + json.dumps(count))
check("many things passed", count["passed"] > ops / 20, count)
check("and many were refused", count["refused"] > ops / 50, count)

# --- the witness ---
ids = {}
for msgid, space in store.execute("SELECT msgid, space FROM outbox WHERE space IS NOT NULL"):
    ids[msgid.split("@")[0]] = space
check("mail went to spaces", len(ids) > 18, len(ids))
def find(data, spaces_of):
    """What of it is of a space that is none of these."""
    return [s for s in everywhere if s not in spaces_of and any(w in data for w in words[s])] + \
           [i for i, s in ids.items() if s not in spaces_of and i in data]
def mail_text(path):
    m = email.message_from_bytes(open(path, "rb").read(), policy=email.policy.default)
    parts = [p.get_payload(decode=True).decode("utf-8", "replace") for p in m.walk() if not p.is_multipart()]
    return "\n".join([str(v) for v in m.values()] + parts)
def flat(s): return re.sub(r"[\s>]+", " ", s)
bad, files = [], 0
for role in roles:
    own = {s for s in spaces if role in members[s]}
    for path in glob.glob(f"{home}/mail/{role}/**/*", recursive=True) + glob.glob(f"{home}/mail/{role}/.*/**/*", recursive=True):
        if os.path.isfile(path) and os.path.basename(os.path.dirname(path)) in ("cur", "new"):
            files += 1
            bad += [(path[len(home):], f) for f in find(mail_text(path), own)]
same("no mailbox has anything of a space that its role is not of", bad, [])
check("which were looked at", files > 100, files)
bad = []
for path in glob.glob(f"{home}/notes/**/*.md", recursive=True):
    key = path[len(home) + 7:-3]
    top = key.split("/")
    own = {top[1]} if top[0] == "spaces" else {s for s in spaces if top[0] in members[s]} if len(top) > 1 else set()
    bad += [(key, f) for f in find(open(path).read(), own)]
same("no note has", bad, [])
bad = []
for who in everyone:
    own = {s for s in spaces if who.name in members[s]}
    bad += [(who.name, f) for said in who.told for f in find(said, own)]
same("nobody was told anything", bad, [])
same("no ballot was read before its round was opened", early, [])
check("after that it is told", shown > 3, shown)
decided = store.execute("SELECT count(*) FROM panel WHERE state = 'closed' AND verdict = 'approve' AND round = 2").fetchone()[0]
check("each panel has discussed and decided", decided >= 6 and all(p.row()[1] == "closed" for p in panels), [p.row() for p in panels])
yours = [mail_text(f) for f in glob.glob(f"{home}/mail/you/new/*")]
unified = [m for p in panels for m in p.marks if any(m in t for t in yours)]
check("whoever asked has what they said", len(unified) >= 18, len(unified))
bad, discussed = [], 0
for path in brains.glob("panel.*.page"):
    _, topic, member, r, _ = path.name.split(".")
    data, space = path.read_text(errors="replace"), f"p{topic.split('-')[0]}-internal"
    bad += [(path.name, f) for f in find(data, {space})]
    own = next(p for p in panels if p.space == space).marks
    shown_here = [own[m] for m in own if m in data]
    bad += [(path.name, at) for at in shown_here if at[0] != topic or at[1] >= int(r)]
    discussed += bool(shown_here)
same("no page of a member has anything of another panel, review, or of its own round", bad, [])
check("and in the discussion it has what the others found", discussed >= 18, discussed)
bad = []
for path in glob.glob(f"{home}/mail/p[1-6].*/**/*", recursive=True):
    if os.path.isfile(path) and os.path.basename(os.path.dirname(path)) in ("cur", "new"):
        bad += [(path[len(home):], f) for f in find(mail_text(path), {path[len(home):].split("/")[2].split(".")[0] + "-internal", "doc-discussion"})]
same("no mailbox of a member has anything of another panel", bad, [])
seen = sum(1 for who in everyone for s in spaces if who.name in members[s] and any(w in t for w in words[s] for t in who.told))
check("but members were", seen > 5, seen)
seen = sum(1 for who in thinkers for s in spaces if who.name in members[s] and any(w in t for w in words[s] for t in who.told))
check("and models that are members, on their pages", seen > 1, seen)
sent = store.execute("SELECT count(*) FROM step WHERE job IN (SELECT id FROM job WHERE role IN (%s))" % ",".join(f"'{w.name}'" for w in thinkers)).fetchone()[0]
check("who have worked in steps", sent > ops / 50, sent)
P
exits 0 'doctor finds nothing' pr doctor
done_testing
