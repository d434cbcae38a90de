"""The IMAP side of mailpeer: as much of IMAP4rev1 as a client of a mailbox needs."""
import base64, os, re, select

from world import Folder, Gone, Side, header

CAPABILITY = ("IMAP4rev1 SASL-IR LITERAL+ IDLE UIDPLUS MOVE NAMESPACE ID CONDSTORE AUTH=PLAIN AUTH=XOAUTH2"
              " AUTH=OAUTHBEARER")
TOKEN = re.compile(rb'\s*(?:"((?:[^"\\]|\\.)*)"|\x00(\d+)\x00|([()])|([^\s()"]+))')


class ImapSide(Side):
    name = "imap"
    folder = wake = None

    def talk(self):
        self.tls = self.world.args.implicit
        self.answer("connect", b"* OK peer ready\r\n")
        while True:
            tag, words, line = self.read_command()
            if not tag:  # refused in the middle
                continue
            command = words[0].upper() if words else ""
            step = line.partition(" ")[2]
            if command == "UID" and len(words) > 1:
                command = "UID_" + words[1].upper()
                words = words[1:]
            do = getattr(self, "do_" + command.lower(), None)
            if not do:
                self.answer(step, f"{tag} BAD what?\r\n".encode(), tag)
                continue
            try:
                with self.world.lock:
                    usual = do(tag, words[1:])
            except (IndexError, AttributeError, TypeError):
                usual = f"{tag} BAD arguments\r\n"
            if usual is not None:
                self.answer(step, as_bytes(usual), tag)
                if command == "LOGOUT":
                    raise Gone
                if command == "STARTTLS":
                    self.start_tls()
                    self.tls = True
            if command.startswith(("UID_", "APPEND")):
                self.world.changed()

    def leave(self):
        if self.wake:
            self.world.listeners.discard(self.wake[1])
            os.close(self.wake[0])
            os.close(self.wake[1])
        super().leave()

    def read_command(self):
        """Tag, words and the text of one command; literals are words like any other."""
        text, literals = b"", []
        while True:
            line = self.read_line()
            found = re.search(rb"\{(\d+)(\+?)\}$", line)
            if not found:
                text += line
                break
            if not found[2]:
                rule = self.answer("literal", b"+ go\r\n", line.split(b" ")[0].decode("latin-1"))
                if not rule.get("answer", "+").startswith("+"):
                    return "", [], ""
            text += line[:found.start()] + b"\x00%d\x00" % len(literals)
            literals.append(self.read_bytes(int(found[1])))
        tag, _, rest = text.partition(b" ")
        words = []
        for quoted, literal, paren, atom in TOKEN.findall(rest):
            if literal:
                words.append(literals[int(literal)].decode("latin-1"))
            else:
                words.append((paren or atom or re.sub(rb"\\(.)", rb"\1", quoted)).decode("latin-1"))
        return tag.decode("latin-1"), words, text.decode("latin-1")

    # before the login

    def capability(self):
        claimed = self.world.args.capability
        words = CAPABILITY if claimed is None or claimed.startswith("SMTP:") else claimed
        return words + (" STARTTLS" if self.world.context and not self.tls else "")

    def do_capability(self, tag, words):
        return f"* CAPABILITY {self.capability()}\r\n{tag} OK done\r\n"

    def do_noop(self, tag, words):
        return f"{self.news()}{tag} OK done\r\n"

    def do_id(self, tag, words):
        return f'* ID ("name" "mailpeer")\r\n{tag} OK done\r\n'

    def do_logout(self, tag, words):
        return f"* BYE see you\r\n{tag} OK done\r\n"

    def do_starttls(self, tag, words):
        return f"{tag} OK begin\r\n"

    def do_login(self, tag, words):
        return self.judge(tag, words[0], self.world.args.password in (None, words[1]))

    def do_authenticate(self, tag, words):
        secret = words[1] if len(words) > 1 else ""
        if not secret:
            self.sock.sendall(b"+ \r\n")
            secret = self.read_line().decode("latin-1")
        plain = base64.b64decode(secret).decode("latin-1")
        if words[0].upper() == "PLAIN":
            _, user, password = plain.split("\0")
            return self.judge(tag, user, self.world.args.password in (None, password))
        user = plain.partition("user=")[2].partition("\1")[0] or plain.partition("a=")[2].partition(",")[0]
        token = plain.partition("Bearer ")[2].partition("\1")[0]
        if self.world.args.token not in (None, token):
            self.sock.sendall(b"+ " + base64.b64encode(b'{"status":"400","schemes":"Bearer"}') + b"\r\n")
            self.read_line()
            return self.judge(tag, user, False)
        return self.judge(tag, user, True)

    def judge(self, tag, user, good):
        if not good:
            return f"{tag} NO [AUTHENTICATIONFAILED] wrong\r\n"
        self.login = user.partition("@")[0]
        return f"{tag} OK welcome\r\n"

    # folders

    def do_namespace(self, tag, words):
        return f'* NAMESPACE (("" "/")) NIL NIL\r\n{tag} OK done\r\n'

    def do_list(self, tag, words):
        lines = ""
        for name in self.world.folders(self.login):
            wanted = re.escape(words[1]).replace(r"\*", ".*").replace("%", "[^/]*")
            if re.fullmatch(wanted, name):
                use = "\\Sent" if name == "Sent" else ""
                lines += f'* LIST ({use}) "/" "{name}"\r\n'
        return f"{lines}{tag} OK done\r\n"

    def do_create(self, tag, words):
        if words[0] in self.world.folders(self.login):
            return f"{tag} NO [ALREADYEXISTS] there\r\n"
        self.world.folders(self.login)[words[0]] = Folder(self.world.args.uidvalidity)
        return f"{tag} OK done\r\n"

    def do_subscribe(self, tag, words):
        return f"{tag} OK done\r\n"

    def do_select(self, tag, words, mode="READ-WRITE"):
        name = "INBOX" if words[0].upper() == "INBOX" else words[0]
        self.folder = self.world.folder(self.login, name)
        if not self.folder:
            return f"{tag} NO [NONEXISTENT] no such folder\r\n"
        self.seen = [mail.uid for mail in self.folder.mails]
        return (f"* FLAGS (\\Seen \\Deleted)\r\n* {len(self.seen)} EXISTS\r\n* 0 RECENT\r\n"
                f"* OK [UIDVALIDITY {self.folder.uidvalidity}] ok\r\n* OK [UIDNEXT {self.folder.uidnext}] ok\r\n"
                f"* OK [PERMANENTFLAGS (\\Seen \\Deleted \\*)] ok\r\n{tag} OK [{mode}] done\r\n")

    def do_examine(self, tag, words):
        return self.do_select(tag, words, "READ-ONLY")

    def news(self):
        """EXPUNGE and EXISTS for what has changed since the client was last told."""
        if not self.folder:
            return ""
        now, text = [mail.uid for mail in self.folder.mails], ""
        for at in range(len(self.seen), 0, -1):
            if self.seen[at - 1] not in now:
                text += f"* {at} EXPUNGE\r\n"
        if len(now) != len(self.seen) or text:
            text += f"* {len(now)} EXISTS\r\n"
        self.seen = now
        return text

    def do_idle(self, tag, words):
        if not self.wake:
            self.wake = os.pipe()
        self.world.listeners.add(self.wake[1])
        self.world.lock.release()
        try:
            self.answer("IDLE", b"+ idling\r\n", tag)
            while True:
                with self.world.lock:
                    text = self.news()
                if text:
                    self.answer("push", text.encode(), tag)
                if b"\n" in self.buffer:
                    break
                ready, _, _ = select.select([self.sock, self.wake[0]], [], [])
                if self.wake[0] in ready:
                    os.read(self.wake[0], 4096)
                if self.sock in ready:
                    self.fill()
            self.read_line()
            self.answer("DONE", f"{tag} OK done\r\n".encode(), tag)
        finally:
            self.world.lock.acquire()
            self.world.listeners.discard(self.wake[1])

    # mail

    def chosen(self, text):
        last = max((mail.uid for mail in self.folder.mails), default=0)
        ranges = []
        for part in text.split(","):
            ends = [last if end == "*" else int(end) for end in part.split(":")]
            ranges.append((min(ends), max(ends)))
        return [mail for mail in self.folder.mails if any(a <= mail.uid <= b for a, b in ranges)]

    def do_uid_search(self, tag, words):
        found = set(mail.uid for mail in self.folder.mails)
        while words:
            key = words.pop(0).upper()
            if key == "UID":
                found &= {mail.uid for mail in self.chosen(words.pop(0))}
            elif key == "HEADER":
                name, value = words.pop(0), words.pop(0)
                found &= {mail.uid for mail in self.folder.mails if value in header(mail.raw, name)}
        return f"* SEARCH{''.join(f' {uid}' for uid in sorted(found))}\r\n{tag} OK done\r\n"

    def do_uid_fetch(self, tag, words):
        wants, out = " ".join(words[1:]).upper(), []
        for mail in self.chosen(words[0]):
            number = self.folder.mails.index(mail) + 1
            line = (f"* {number} FETCH (UID {mail.uid} FLAGS ({' '.join(sorted(mail.flags))})"
                    f' INTERNALDATE "{mail.date}" RFC822.SIZE {len(mail.raw)}').encode()
            if "BODY.PEEK[HEADER]" in wants:
                head = mail.raw.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
                line += b" BODY[HEADER] {%d}\r\n" % len(head) + head
            elif "BODY.PEEK[]" in wants:
                line += b" BODY[] {%d}\r\n" % len(mail.raw) + mail.raw
            out.append(line + b")\r\n")
        return b"".join(out) + f"{tag} OK done\r\n".encode()

    def do_uid_store(self, tag, words):
        flags = {word for word in words[2:] if word not in "()"}
        for mail in self.chosen(words[0]):
            mail.flags = mail.flags | flags if words[1].startswith("+") else mail.flags - flags
        return f"{tag} OK done\r\n"

    def do_uid_copy(self, tag, words):
        to = self.world.folder(self.login, words[1])
        if not to:
            return f"{tag} NO [TRYCREATE] no such folder\r\n"
        pairs = [(mail.uid, to.add(mail.raw, mail.flags).uid) for mail in self.chosen(words[0])]
        if not pairs:
            return f"{tag} OK nothing\r\n"
        old, new = (",".join(str(pair[i]) for pair in pairs) for i in (0, 1))
        return f"{tag} OK [COPYUID {to.uidvalidity} {old} {new}] done\r\n"

    def do_uid_move(self, tag, words):
        answer = self.do_uid_copy(tag, words)
        if "COPYUID" in answer:
            self.remove(self.chosen(words[0]))
        return answer.replace(f"{tag} OK", "* OK") + f"{self.news()}{tag} OK done\r\n"

    def do_uid_expunge(self, tag, words):
        self.remove([mail for mail in self.chosen(words[0]) if "\\Deleted" in mail.flags])
        return f"{self.news()}{tag} OK done\r\n"

    def remove(self, mails):
        self.folder.mails = [mail for mail in self.folder.mails if mail not in mails]

    def do_append(self, tag, words):
        to = self.world.folder(self.login, words[0])
        if not to:
            return f"{tag} NO [TRYCREATE] no such folder\r\n"
        flags = {word for word in words[1:-1] if word.startswith(("\\", "$"))}
        mail = to.add(words[-1].encode("latin-1"), flags)
        self.log("appended", folder=words[0], id=header(mail.raw, "Message-ID"), uid=mail.uid)
        return f"{tag} OK [APPENDUID {to.uidvalidity} {mail.uid}] done\r\n"


def as_bytes(text):
    return text if isinstance(text, bytes) else text.encode()
