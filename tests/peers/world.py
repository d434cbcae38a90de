"""What both sides of mailpeer share: the mailboxes, the rules, the log, and one connection's wire."""
import hashlib, json, os, re, socket, ssl, struct, threading, time
from dataclasses import dataclass, field
from email.utils import parseaddr


class Gone(Exception):
    """The connection is over, by a rule or by the client."""


@dataclass
class Mail:
    uid: int
    raw: bytes
    flags: set = field(default_factory=set)
    date: str = "15-Nov-2026 09:30:00 +0000"


class Folder:
    def __init__(self, uidvalidity):
        self.uidvalidity, self.uidnext, self.mails = uidvalidity, 1, []

    def add(self, raw, flags=()):
        mail = Mail(self.uidnext, raw, set(flags))
        self.uidnext += 1
        self.mails.append(mail)
        return mail


class World:
    def __init__(self, args, rules, context):
        self.args, self.rules, self.context = args, rules, context
        self.lock = threading.RLock()
        self.users, self.listeners, self.n_accepted = {}, set(), 0
        self.log_file = open(args.log, "w", buffering=1) if args.log else None
        for i in range(args.mails):
            self.folder("agent", "INBOX").add(sample(i + 1))

    def folders(self, user):
        return self.users.setdefault(user, {name: Folder(self.args.uidvalidity) for name in ("INBOX", "Sent")})

    def folder(self, user, name):
        return self.folders(user).get(name)

    def changed(self):
        for wake in list(self.listeners):
            os.write(wake, b"x")

    def log(self, event, **what):
        if self.log_file:
            with self.lock:
                self.log_file.write(json.dumps({"t": round(time.time(), 6), "event": event, **what}) + "\n")

    def rule(self, side, step):
        """The first rule that is for this step now; it is used up by that."""
        with self.lock:
            for rule in list(self.rules):
                on = rule["on"].upper()
                if rule.get("side", side) != side or not (step.upper() + " ").startswith(on + " "):
                    continue
                rule["seen"] = rule.get("seen", 0) + 1
                n = rule["seen"] - rule.get("skip", 0)
                if n > 0 and (rule.get("times", 1) == 0 or n <= rule.get("times", 1)):
                    return rule
        return {}

    def accept(self, raw, sender, recipients, login):
        """A mail that SMTP took: filed for everybody, changed as this server likes. Gives what the 250 names."""
        args = self.args
        with self.lock:
            self.n_accepted += 1
            ours, now = message_id(raw), message_id(raw)
            digest = hashlib.sha256(raw).hexdigest()
            if args.rewrite_message_id and login:
                now = f"<server.{self.n_accepted}@peer.example>"
                raw = set_header(raw, "Message-ID", now)
                if "header" in args.rewrite_message_id:
                    raw = f"X-Microsoft-Original-Message-ID: {ours}\r\n".encode() + raw
            if args.rewrites_from and login:
                raw = set_header(raw, "From", args.rewrites_from)
                raw = f"Return-Path: <{parseaddr(args.rewrites_from)[1]}>\r\n".encode() + raw
            for recipient in recipients:
                user = recipient.partition("@")[0].partition("+")[0]
                head = f"Delivered-To: {recipient}\r\n".encode() if args.delivered_to else b""
                self.folder(user, "INBOX").add(head + raw)
            if args.files_sent and login:
                self.folder(login.partition("@")[0], "Sent").add(raw, {"\\Seen"})
            self.log("accepted", id=ours, id_now=now, digest=digest, sender=sender, to=recipients)
            self.changed()
            return now if "reply" in (args.rewrite_message_id or "reply") else f"Q{self.n_accepted}"


def sample(n):
    return (f"From: alice@test.example\r\nTo: agent@test.example\r\nSubject: mail {n}\r\n"
            f"Message-ID: <mail.{n}@test.example>\r\n\r\nThis is mail {n}.\r\n").encode()


def header(raw, name):
    found = re.search(rb"(?im)^" + re.escape(name.encode()) + rb":[ \t]*((?:.*\r?\n[ \t]+)*.*?)\r?$",
                      raw.replace(b"\r\n\r\n", b"\n\n", 1).partition(b"\n\n")[0])
    return found[1].decode("latin-1") if found else ""


def message_id(raw):
    return header(raw, "Message-ID")


def set_header(raw, name, value):
    head, gap, body = raw.partition(b"\r\n\r\n")
    line = re.compile(rb"(?im)^" + name.encode() + rb":.*(?:\r\n[ \t]+.*)*")
    text = f"{name}: {value}".encode()
    head = line.sub(lambda _: text, head, 1) if line.search(head) else head + b"\r\n" + text
    return head + gap + body


class Side:
    """One connection: lines in, answers out, each answer by its rule."""
    name = ""

    def __init__(self, sock, number, world):
        self.sock, self.number, self.world = sock, number, world
        self.buffer, self.login = b"", None

    def run(self):
        self.log("connect")
        try:
            if self.world.args.implicit:
                self.start_tls()
            self.talk()
        except (Gone, OSError, ValueError):
            pass
        finally:
            self.leave()
            self.sock.close()

    def talk(self):
        raise NotImplementedError

    def leave(self):
        self.log("closed")

    def log(self, event, **what):
        self.world.log(event, side=self.name, conn=self.number, **what)

    def start_tls(self):
        self.buffer = b""
        try:
            self.sock = self.world.context.wrap_socket(self.sock, server_side=True)
        except (ssl.SSLError, OSError) as error:
            self.log("no tls", why=str(error))
            raise Gone from error
        self.log("tls")

    def read_line(self):
        while b"\n" not in self.buffer:
            self.fill()
        line, _, self.buffer = self.buffer.partition(b"\n")
        self.log("got", line=line.decode("latin-1").rstrip("\r"))
        return line.rstrip(b"\r")

    def read_bytes(self, n):
        while len(self.buffer) < n:
            self.fill()
        taken, self.buffer = self.buffer[:n], self.buffer[n:]
        return taken

    def fill(self):
        more = self.sock.recv(65536)
        if not more:
            raise Gone
        self.buffer += more

    def answer(self, step, usual, tag="", rule=None):
        """Sends the usual answer (bytes), or what the rule for this step makes of it."""
        rule = self.world.rule(self.name, step) if rule is None else rule
        text = usual
        if "answer" in rule:
            text = self.line(rule["answer"]).replace("{tag}", tag).encode("latin-1")
        before = rule.get("before", "").replace("{tag}", tag).encode("latin-1") * rule.get("repeat", 1)
        after = rule.get("after", "").replace("{tag}", tag).encode("latin-1")
        time.sleep(rule.get("delay", 0))
        self.send(before + text + after, rule)
        self.log("sent", step=step, text=(before + text + after)[:300].decode("latin-1"), rule=bool(rule))
        self.finish(rule.get("end"))
        return rule

    def line(self, text):
        return text

    def send(self, data, rule):
        cut, split = rule.get("cut"), rule.get("split")
        if cut is not None:
            data = data[:cut]
        for at in range(0, len(data), split or max(len(data), 1)):
            self.sock.sendall(data[at:at + split] if split else data)
            if split:
                time.sleep(rule.get("pause", 0.002))
        if cut is not None:
            self.finish("close")

    def finish(self, end):
        if end == "reset":
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif end == "close":
            self.sock.shutdown(socket.SHUT_RDWR)
        elif end == "hang":
            while self.sock.recv(65536):
                pass
        elif end is None:
            return
        self.sock.close()
        raise Gone
