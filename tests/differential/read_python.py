"""What Python's email package reads; prints what reader.h says."""
import hashlib, json, sys
from datetime import timezone
from email import message_from_bytes
from email.policy import default


def addresses(message):
    values = message.get_all("to", [])
    return [[a.display_name, a.addr_spec] for value in values for a in getattr(value, "addresses", ())]


def date(message):
    value = message.get("date")
    when = getattr(value, "datetime", None)
    return int(when.replace(tzinfo=when.tzinfo or timezone.utc).timestamp()) if when else None


def part(leaf):
    kind = leaf.get_content_type()
    if leaf.get_content_maintype() == "message":
        return [kind, leaf.get_filename(), None, None]
    content = leaf.get_payload(decode=True) or b""
    if leaf.get_content_maintype() != "text":
        return [kind, leaf.get_filename(), hashlib.sha1(content).hexdigest(), None]
    try:
        text = content.decode(leaf.get_content_charset("utf-8"), "replace")
    except (LookupError, UnicodeError):
        text = None
    return [kind, leaf.get_filename(), None, text]


def leaves(message):
    if message.get_content_maintype() == "multipart" and message.is_multipart():
        for child in message.get_payload():
            yield from leaves(child)
    else:
        yield part(message)
    if message.get_content_type() == "message/rfc822" and message.is_multipart():
        yield from leaves(message.get_payload(0))


def careful(read, message):
    """Some headers make the package raise."""
    try:
        return read(message)
    except Exception:
        return "error"


def main():
    with open(sys.argv[1], "rb") as corpus:
        while line := corpus.readline():
            name, length = line.decode().rsplit(" ", 1)
            message = message_from_bytes(corpus.read(int(length)), policy=default)
            found = {"name": name, "subject": careful(lambda m: str(m.get("subject", "")), message),
                     "to": careful(addresses, message), "date": careful(date, message),
                     "parts": list(leaves(message))}
            print(json.dumps(found, ensure_ascii=True))


main()
