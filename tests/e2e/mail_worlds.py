"""Where mail comes from and goes to in kills_smtp.py, and who keeps the books: mailpeer, real servers, both."""
import imaplib, json, os, re, signal, smtplib, socket, subprocess, sys, threading
from collections import Counter
from pathlib import Path

import scene  # beside whoever imports us

TESTS = Path(__file__).resolve().parent.parent


def headers(port, user, password, folder):
    """The heads of all mails of a folder; a server that breaks off is asked again."""
    for _ in range(20):
        try:
            box = imaplib.IMAP4("127.0.0.1", port)
            box.login(f"{user}@test.example", password)
            if box.select(f'"{folder}"', True)[0] != "OK":
                return []
            data = box.uid("FETCH", "1:*", "(UID BODY.PEEK[HEADER])")[1]
            return [part[1].decode("utf-8", "replace").replace("\r\n", "\n").replace("\n ", " ")
                    for part in data if isinstance(part, tuple)]
        except (imaplib.IMAP4.error, OSError):
            continue
    raise RuntimeError(f"{folder} of {user} can't be read")


def field(head, name):
    found = re.search(rf"(?im)^{name}: *<?([^>\n]*)", head)
    return found[1] if found else ""


def faults(dice, seconds):
    """What mailpeer does wrong, as long as the attack lasts: about every third mail meets something."""
    smtp = ({"on": "dot", "lost": True}, {"on": "dot", "lost": True, "end": "close"},
            {"on": "dot", "answer": "", "end": "close"}, {"on": "dot", "answer": "451 4.3.0 later"},
            {"on": "dot", "delay": 0.3}, {"on": "DATA", "answer": "", "end": "reset"},
            {"on": "RCPT", "answer": "451 4.2.1 later"}, {"on": "connect", "answer": "421 4.3.2 busy", "end": "close"})
    imap = ({"on": "UID FETCH", "cut": 300}, {"on": "UID MOVE", "cut": 0}, {"on": "APPEND", "cut": 0},
            {"on": "IDLE", "end": "reset"}, {"on": "SELECT", "end": "close"})
    for n in range(int(seconds * 1.2)):
        yield dice.choice(smtp) | {"side": "smtp", "skip": dice.randrange(int(seconds * 5))}
        if n % 4 == 0:
            yield dice.choice(imap) | {"side": "imap", "skip": 5 + dice.randrange(int(seconds * 5))}


class Peer:
    def __init__(self, work, dice, seconds, options=()):
        self.log = work / "peer.log"
        (work / "rules").write_text("".join(json.dumps(rule) + "\n" for rule in faults(dice, seconds)))
        self.process = subprocess.Popen([TESTS / "peers/mailpeer", "--log", self.log, "--script", work / "rules", *options],
                                        stdout=subprocess.PIPE, text=True)
        self.imap, self.smtp = map(int, self.process.stdout.readline().split())

    def accepted(self):
        for line in self.log.read_text().splitlines():
            event = json.loads(line)
            if event["event"] == "accepted":
                yield event

    def doubled(self):
        """Ids that it has taken more than once for somebody."""
        took = Counter((event["id"], to) for event in self.accepted() for to in event["to"])
        return [f"{i} to {to}: {n} times" for (i, to), n in took.items() if n > 1]

    def has(self, msgid):
        return any(event["id"] == f"<{msgid}>" for event in self.accepted())

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class PeerWorld:
    """mailpeer is all there is."""
    sent_copy, tls, ca = "server", "none", ""

    def __init__(self, work, dice, seconds):
        self.peer = Peer(work, dice, seconds, ["--files-sent"])
        self.imap, self.smtp = self.peer.imap, self.peer.smtp

    def take(self, msgid, raw):
        """It may be taken, and we not hear of it: its books count."""
        try:
            with smtplib.SMTP("127.0.0.1", self.smtp, timeout=20) as smtp:
                smtp.sendmail("alice@test.example", ["agent@test.example"], raw)
        except (smtplib.SMTPException, OSError):
            pass

    def make_peace(self):
        self.peer.process.send_signal(signal.SIGUSR1)

    def came(self):
        return {event["id"].strip("<>") for event in self.peer.accepted() if "agent@test.example" in event["to"]}

    def doubled(self):
        return self.peer.doubled()

    def answers(self):
        return headers(self.peer.imap, "alice", "x", "INBOX")

    def agents(self, folder):
        return headers(self.imap, "agent", "agent-pw", folder)

    def arrived(self, msgid):
        return self.peer.has(msgid)

    def stop(self):
        self.peer.stop()


class DovecotWorld(PeerWorld):
    """Mail comes by a real server and leaves by mailpeer."""
    sent_copy = "append"

    def __init__(self, work, dice, seconds):
        self.dir, self.taken = work / "mail", set()
        self.env = start_servers(self.dir)
        self.peer = Peer(work, dice, seconds)
        self.imap, self.smtp = int(self.env["IMAP_PORT"]), self.peer.smtp

    def take(self, msgid, raw):
        with smtplib.LMTP("127.0.0.1", int(self.env["LMTP_PORT"])) as lmtp:
            lmtp.sendmail("alice@test.example", ["agent@test.example"], raw)
        self.taken.add(msgid)

    def came(self):
        return self.taken

    def stop(self):
        self.peer.stop()
        stop_servers(self.dir)


class PostfixWorld:
    """Real servers, and a wire to Postfix that is cut."""
    sent_copy, tls = "append", "starttls"

    def __init__(self, work, dice, seconds):
        self.dir, self.taken = work / "mail", set()
        self.env = start_servers(self.dir)
        if not self.env["SMTP_PORT"]:
            skip("Postfix needs root")
        self.wire = Wire(int(self.env["SUBMISSION_PORT"]), dice)
        self.imap, self.smtp, self.ca = int(self.env["IMAP_PORT"]), self.wire.port, self.env["MAIL_CA"]

    def take(self, msgid, raw):
        with self.connect() as smtp:
            smtp.sendmail("alice@test.example", ["agent@test.example"], raw)
        self.taken.add(msgid)

    def connect(self):
        """Postfix ends a process that has served a while, sometimes in a client's face."""
        for _ in range(5):
            try:
                return smtplib.SMTP("127.0.0.1", int(self.env["SMTP_PORT"]))
            except smtplib.SMTPServerDisconnected:
                continue
        raise RuntimeError("Postfix takes no connection")

    def came(self):
        return self.taken

    def doubled(self):
        ids = Counter(field(head, "Message-ID") for head in self.answers())
        return [f"{i}: {n} times" for i, n in ids.items() if n > 1]

    def make_peace(self):
        self.wire.whole = True

    def answers(self):
        """What Postfix has accepted is there once it has nothing more to deliver: nobody looks sooner."""
        scene.until(lambda: not self.queued(), 120, every=0.05)
        return headers(self.imap, "alice", "alice-pw", "INBOX")

    def queued(self):
        """Twice: a mail may pass from a queue that was not looked at yet to one that was."""
        def look():
            queues = [self.dir / "postfix/queue" / name for name in ("maildrop", "incoming", "active", "deferred")]
            return [name for queue in queues for _, _, names in os.walk(queue) for name in names]
        return look() or look()

    def agents(self, folder):
        return headers(self.imap, "agent", "agent-pw", folder)

    def arrived(self, msgid):
        return msgid in {field(head, "Message-ID") for head in self.answers()}

    def stop(self):
        self.wire.whole = True
        stop_servers(self.dir)


class Wire:
    """Carries TCP to a server. Every second connection is cut after some bytes of the client, with what the server
    answers to the last of them."""

    def __init__(self, target, dice):
        self.target, self.dice, self.whole = target, dice, False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client = self.listener.accept()[0]
            limit = self.dice.randrange(200, 6000) if not self.whole and self.dice.random() < 0.5 else 1 << 40
            try:
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                client.close()
                continue
            threading.Thread(target=self.carry, args=(server, client, 1 << 40), daemon=True).start()
            threading.Thread(target=self.carry, args=(client, server, limit), daemon=True).start()

    def carry(self, source, sink, limit):
        try:
            while limit > 0 and (data := source.recv(65536)):
                limit -= len(data)
                if limit <= 0:
                    source.shutdown(socket.SHUT_RDWR)  # first: no answer comes back
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def skip(why):
    print(f"1..0 # SKIP {why}")
    sys.exit(0)


def start_servers(folder):
    done = subprocess.run([TESTS / "lib/mailserver", "start", folder], capture_output=True, text=True)
    if done.returncode == 77:
        skip("no mail servers here")
    if done.returncode:
        raise RuntimeError(done.stderr)
    return dict(line.split("=", 1) for line in done.stdout.splitlines())


def stop_servers(folder):
    subprocess.run([TESTS / "lib/mailserver", "stop", folder], capture_output=True)


WORLDS = {"peer": PeerWorld, "dovecot": DovecotWorld, "postfix": PostfixWorld}
