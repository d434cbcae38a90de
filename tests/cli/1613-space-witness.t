#!/usr/bin/env bash
# Twenty roles and six spaces: at random they read, search, write notes and mails with what they have seen, by port, MCP and in the steps of
# a model. A witness, who reads every mailbox and note as files, and all that any of them was told, finds nothing of a space outside of it.
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
exits 0 'the settings are right' pr config check
pr index >/dev/null # opens the store, and brings the settings into it
export POSTRIDER_HOME=$HOME_DIR
wire "$HOME_DIR" "$OPS" "$SEED" "$WORK/brains" <<'P'
import base64, email, email.policy, glob, random, re, socket, sqlite3
from pathlib import Path
pr, home, ops, rnd = sys.argv[1], sys.argv[2], int(sys.argv[3]), random.Random(int(sys.argv[4]))
brains = Path(sys.argv[5])
roles = [f"r{i:02}" for i in range(1, 21)]
store = sqlite3.connect(f"file:{home}/state/postrider.db?mode=ro", uri=True)
members = {}
for space, member in store.execute("SELECT space, member FROM space_member"):
    members.setdefault(space, set()).add(member)
spaces = sorted(members)
same("six spaces", len(spaces), 6)

def run(*argv, data=""):
    done = subprocess.run([pr, *argv], input=data, capture_output=True, text=True)
    return done.stdout.strip()

# What is searched for (a word in front) is never what is looked for afterwards (a word in the middle).
secrets, words = {}, {s: [] for s in spaces}
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
    who = rnd.choice(everyone)
    everyone_lines = who.lines
    what = rnd.randrange(10)
    key = rnd.choice([f"spaces/{rnd.choice(spaces)}/n{rnd.randrange(3)}", f"{rnd.choice(roles)}/n", f"common{rnd.randrange(4)}"])
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
        to = rnd.choice([rnd.choice(spaces), rnd.choice(roles), rnd.choice(roles)]) + "@postrider.local"
        body = text() + (f"\nSee <{rnd.choice(who.ids)}>." if who.ids and rnd.random() < 0.3 else "")
        more = {"in_reply_to": "<" + rnd.choice(who.ids) + ">"} if who.ids and rnd.random() < 0.2 else {}
        if rnd.random() < 0.15:
            more["attachments"] = [{"filename": "a.txt", "content_base64": base64.b64encode(text().encode()).decode()}]
        ok, _ = who.ask("send", to=[to], subject=text()[:70].replace("\n", " ") if rnd.random() < 0.2 else "talk", body=body, **more)
        count["passed" if ok else "refused"] += 1
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
    return [s for s in spaces if s not in spaces_of and any(w in data for w in words[s])] + \
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
seen = sum(1 for who in everyone for s in spaces if who.name in members[s] and any(w in t for w in words[s] for t in who.told))
check("but members were", seen > 5, seen)
seen = sum(1 for who in thinkers for s in spaces if who.name in members[s] and any(w in t for w in words[s] for t in who.told))
check("and models that are members, on their pages", seen > 1, seen)
sent = store.execute("SELECT count(*) FROM step WHERE job IN (SELECT id FROM job WHERE role IN (%s))" % ",".join(f"'{w.name}'" for w in thinkers)).fetchone()[0]
check("who have worked in steps", sent > ops / 50, sent)
P
exits 0 'doctor finds nothing' pr doctor
done_testing
