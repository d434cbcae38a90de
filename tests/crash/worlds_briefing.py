"""Random histories of a briefing, its replies and the homes that answer them, with a witness outside: as worlds.py.

    worlds_briefing.py SEEDS [FIRST [SEED...]]

A briefing has been sent. Its reader answers it, or an answer to it; a reply may come twice, by one account or by two; a stranger
forwards one, or writes under the briefing's id. Passes run and are killed; the store is backed up, restored, lost, the home
is copied. At the end one home goes on until nothing changes. Each reply was then answered once, by one mail or together with others, and
never twice; or it was not, and that home lists it: as NEW in thread.md, or as mail that waits for somebody. What a
stranger wrote is answered never. Where the store went back, a reply that names nothing but an answer which that store did not know
is a conversation of its own, and answered once as that.
"""
import re, sys
from email.message import EmailMessage

import worlds
from worlds import AGENT, PERSON, History

DATE = "2026-02-09"
ROOT = f"<envoy-{DATE}@envoy.local>"
SECOND = "second@test.example"
STRANGER = "eve@evil.example"
TOKEN = "(REPLY|STRANGER)-[0-9]+"

# It answers what is NEW in the thread that it is shown, and nothing else.
BRAIN = f"""#!/bin/sh
awk '/^## /{{ new = /^## NEW Reply/ }} new' | grep -oE '{TOKEN}' | sort -u | sed 's/.*/ANSWER-&./'
echo Yours.
"""
ACCOUNT = """[account other]
kind = imap
role = envoy
host = 127.0.0.1
port = {imap}
tls = none
user = second@test.example
password-file = password
[report]
role = envoy
"""


class Morning(History):
    def __init__(self, seed, server, folder):
        super().__init__(seed, server, folder)
        (self.folder / "briefing.md").write_text("# Good morning\n\n* 09:00 budget\n")
        self.home.run("briefing", "send", DATE, str(self.folder / "briefing.md"), "--to", PERSON)
        self.home.run("serve", "--once")
        self.strangers, self.ids = 0, {}

    def new_home(self, name):
        home = super().new_home(name)
        (home.path / "scripts/think").write_text(BRAIN)
        conf = home.path / "postrider.conf"
        text = conf.read_text().replace("mode = steps\nmax-iterations = 1\n", "")
        conf.write_text(text.replace("[smtp]", ACCOUNT.format(imap=self.server.ports[0]) + "[smtp]"))
        return home

    def put(self, mail, users=("agent",)):
        raw = bytes(mail).replace(b"\n", b"\r\n")
        with self.server.world.lock:
            for user in users:
                self.server.world.folder(user, "INBOX").add(raw)

    def make(self, sender, to, subject, text, answers):
        self.n += 1
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"], mail["Message-ID"] = sender, to, subject, f"<m{self.n}@test.example>"
        mail["In-Reply-To"] = mail["References"] = answers
        mail.set_content(text)
        return mail

    def act_mail(self):
        number = len(self.tasks) + 1
        newest = [worlds.header(raw.encode(), "Message-ID") for raw in self.server.got() if "ANSWER-" in raw][-1:]
        answers = self.random.choice([ROOT, *newest])
        mail = self.make(PERSON, f"{AGENT}, {SECOND}", f"Re: Good morning task {number}", f"REPLY-{number} please.\n", answers)
        self.ids[number] = mail["Message-ID"]
        self.tasks[number] = self.random.choice((("agent",), ("agent",), ("agent", "agent"), ("agent", "second"), ("second",)))
        self.put(mail, self.tasks[number])
        self.say(f"reply {number} to {answers}, in {self.tasks[number]}")

    def act_stranger(self):
        self.strangers += 1
        number = self.random.choice([*self.tasks, 0])
        text = f"> REPLY-{number} please.\n" if number else ""
        self.put(self.make(STRANGER, AGENT, "Fwd: Good morning", f"{text}STRANGER-{self.strangers} please.\n", ROOT))
        self.say(f"a stranger forwards reply {number}")

    WEIGHTS = {act_mail: 22, act_stranger: 6, History.act_pass: 34, History.act_kill: 12, History.act_clock: 4, History.act_backup: 5,
               History.act_lose: 4, History.act_old_store: 5, History.act_accept: 2, History.act_copy: 4, History.act_restore: 4,
               History.act_take_over: 3}

    def listing(self):
        found = super().listing()
        if self.went_back() and any("ANSWER-" not in raw and ROOT not in raw for raw in self.server.got()):
            found |= {worlds.number_of(row["subject"]): "handled, in a conversation of its own"
                      for row in self.home.json("mail", "list", "--state", "handled", "--limit", "1000")}
        thread = self.home.path / "reports" / DATE / "thread.md"
        sections = re.split(r"^## ", thread.read_text(), flags=re.M) if thread.exists() else []
        return found | {int(n): "NEW" for s in sections if s.startswith("NEW Reply") for n in re.findall(r"REPLY-(\d+)", s)}

    def went_back(self):
        return any(re.search(" (an old store|the store is lost|a is copied|.*restore .* -> 0)", line) for line in self.lines)

    def answers(self, number):
        own = f"In-Reply-To: {self.ids[number]}"
        word = re.compile("ANSWER-|Your mail is=? ?\\n?kept")  # that its job is stopped is no answer
        return sum(f"ANSWER-REPLY-{number}." in raw or (self.went_back() and own in raw and not word.search(raw))
                   for raw in self.server.got())

    def judge(self):
        told = [raw for raw in self.server.got() if "ANSWER-STRANGER" in raw]
        briefings = sum(f"Message-ID: {ROOT}" in raw for raw in self.server.got())
        problems = ["a stranger is answered"] * bool(told) + [f"{briefings} briefings"] * (briefings != 1)
        return problems + super().judge()


if __name__ == "__main__":
    sys.exit(worlds.main(Morning))
