"""The SMTP side of mailpeer."""
import base64

from world import Gone, Side

EHLO = "PIPELINING 8BITMIME SMTPUTF8 DSN SIZE_50000000"


class SmtpSide(Side):
    name = "smtp"

    def line(self, text):
        return text if text.endswith("\n") or not text else text + "\r\n"

    def reply(self, step, text):
        """The reply code that the client saw as the answer to this step."""
        rule = self.answer(step, (text + "\r\n").encode())
        return int((rule.get("answer") or text)[:3] or 0)

    def talk(self):
        self.envelope()
        self.tls = self.world.args.implicit
        self.reply("connect", "220 peer.example ESMTP")
        while True:
            line = self.read_line().decode("latin-1")
            word = line.split(" ")[0].upper()
            command = getattr(self, "do_" + word.lower(), None)
            if not command:
                self.reply(line, "500 5.5.1 what?")
            else:
                command(line)

    def envelope(self):
        self.sender, self.recipients = None, []

    def features(self):
        claimed = self.world.args.capability or ""
        words = claimed.removeprefix("SMTP:").split() if claimed.startswith("SMTP:") else EHLO.split()
        if self.world.context and not self.tls:
            words.append("STARTTLS")
        if not claimed.startswith("SMTP:"):
            words.append("AUTH_PLAIN_LOGIN_XOAUTH2_OAUTHBEARER")
        return [word.replace("_", " ") for word in words]

    def do_ehlo(self, line):
        lines = ["peer.example", *self.features()]
        text = "".join(f"250-{word}\r\n" for word in lines[:-1]) + f"250 {lines[-1]}"
        self.reply(line, text)

    def do_helo(self, line):
        self.reply(line, "250 peer.example")

    def do_starttls(self, line):
        if self.reply(line, "220 2.0.0 go") == 220:
            self.start_tls()
            self.tls = True

    def do_auth(self, line):
        words = line.split(" ")
        secret = words[2] if len(words) > 2 else ""
        if not secret:
            self.sock.sendall(b"334 \r\n")
            secret = self.read_line().decode("latin-1")
        if words[1].upper() == "LOGIN":
            self.sock.sendall(b"334 UGFzc3dvcmQ6\r\n")
            user, word = secret, self.read_line().decode("latin-1")
            user, good = decode(user), self.fits(decode(word), None)
        elif words[1].upper() == "PLAIN":
            _, user, word = decode(secret).split("\0")
            good = self.fits(word, None)
        else:
            plain = decode(secret)
            user = plain.partition("user=")[2].partition("\1")[0] or plain.partition("a=")[2].partition(",")[0]
            good = self.fits(None, plain.partition("Bearer ")[2].partition("\1")[0])
            if not good:
                self.sock.sendall(b"334 eyJzdGF0dXMiOiI0MDAifQ==\r\n")
                self.read_line()
        code = self.reply(line, "235 2.7.0 welcome" if good else "535 5.7.8 wrong")
        self.login = user if code == 235 else None

    def fits(self, password, token):
        args = self.world.args
        if token is not None:
            return args.token in (None, token)
        return args.password in (None, password)

    def do_mail(self, line):
        self.envelope()
        if self.reply(line, "250 2.1.0 ok") == 250:
            self.sender = address(line)

    def do_rcpt(self, line):
        if self.reply(line, "250 2.1.5 ok") == 250:
            self.recipients.append(address(line))

    def do_data(self, line):
        if not self.recipients:
            self.reply(line, "554 5.5.1 no valid recipients")
            return
        if self.reply(line, "354 go on") != 354:
            return
        raw = self.read_message()
        self.world.log("data", side="smtp", conn=self.number, bytes=len(raw))
        rule, now = self.world.rule("smtp", "dot"), ""
        if rule.get("lost") or not rule.get("swallow") and rule.get("answer", "250").startswith("2"):
            # First the mailboxes: whoever asks them after our 250 finds the mail there.
            now = self.world.accept(raw, self.sender, self.recipients, self.login)
        if rule.get("lost"):
            self.finish(rule.get("end", "reset"))
        self.answer("dot", f"250 2.0.0 ok: queued as {now}\r\n".encode(), rule=rule)
        self.envelope()

    def read_message(self):
        while not (self.buffer.startswith(b".\r\n") or b"\r\n.\r\n" in self.buffer):
            self.fill()
        if self.buffer.startswith(b".\r\n"):
            raw, self.buffer = b"", self.buffer[3:]
        else:
            raw, _, self.buffer = self.buffer.partition(b"\r\n.\r\n")
            raw += b"\r\n"
        lines = raw.split(b"\r\n")
        return b"\r\n".join(line[1:] if line.startswith(b".") else line for line in lines)

    def do_rset(self, line):
        self.envelope()
        self.reply(line, "250 2.0.0 ok")

    def do_noop(self, line):
        self.reply(line, "250 2.0.0 ok")

    def do_quit(self, line):
        self.reply(line, "221 2.0.0 bye")
        raise Gone


def decode(text):
    return base64.b64decode(text).decode("latin-1")


def address(line):
    return line.partition("<")[2].partition(">")[0]
