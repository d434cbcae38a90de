#!/usr/bin/env python3
"""Postrider, Python's email package and GMime read the same messages, whole and truncated.

    differential.py READ-OURS READ-GMIME

messages.py makes the messages, one process of each reader reads them all (reader.h has the form), and
known.py lists where the readers differ, with the reason why postrider is right. A difference that is not
listed fails, and so does an entry of the list that nothing needs. Where the maker of a message says what
it means, postrider must say the same."""
import json, re, subprocess, sys, tempfile, unicodedata
from pathlib import Path

import known, messages

HERE = Path(__file__).resolve().parent
FIELDS = ("subject", "to", "date", "types", "names", "digests", "texts")
SHOWN = 40


class Case:
    """One message as two readers see it; the predicates of known.py look at this."""

    def __init__(self, name, raw):
        self.name, _, at = name.partition("@")
        self.cut = int(at) if at else None
        self.raw = raw.replace(b"\r\n", b"\n")
        self.in_head = b"\n\n" not in self.raw
        # The field in which the message ends: of its own header, of its last part's, of a mail in that.
        last = re.split(rb"^--.*\n|\A|message/rfc822\n\n", self.raw, flags=re.M)[-1]
        self.field = re.split(rb"\n(?![ \t])", last)[-1] if b"\n\n" not in last else b""


def clean(text):
    """Readers mark what they can't read by U+FFFD or "?", one or several, and leave the last line's end
    or not. Accents may stand for themselves, and blanks at the end of a header say nothing."""
    if text is None:
        return None
    text = unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\ufeff", "")
    return re.sub("[?\ufffd\udc80-\udcff]+", "?", text).rstrip("\n")


def address(pair):
    name, spec = pair
    local, at, domain = spec.rpartition("@")
    return [clean(name), clean(local + at + domain.lower())]


def file_name(name):
    """Names that postrider makes up are no difference."""
    return None if not name or re.fullmatch(r"part-[\d.]+\.\w+", name) else clean(name)


def view(found):
    """What is compared."""
    parts = found["parts"]
    return {"subject": clean(found["subject"]).strip(), "to": found["to"] if found["to"] == "error" else [address(pair) for pair in found["to"]], "date": found["date"],
            "types": [part[0] for part in parts], "names": [file_name(part[1]) for part in parts],
            "digests": [part[2] for part in parts if not part[0].startswith(("text/", "message/"))],
            "texts": [clean(part[3]) for part in parts if part[0].startswith("text/")]}


def make_all():
    """{name: (bytes, truth)} of all messages, whole and cut; truth is empty for the latter. Many begin with
    the same header: what was cut to the same bytes is there once."""
    made, seen = {}, set()
    for name, raw, truth in messages.messages():
        made[name] = raw, truth
        for i, piece in messages.cut(raw):
            if piece not in seen:
                made[f"{name}@{i}"] = piece, {}
            seen.add(piece)
    return made


def write_corpus(made, path):
    with open(path, "wb") as corpus:
        for name, (raw, _) in made.items():
            corpus.write(f"{name} {len(raw)}\n".encode() + raw)


def read_all(readers, corpus):
    """{reader: {name: what it found}}, all at the same time."""
    running = {name: subprocess.Popen([*argv, corpus], stdout=subprocess.PIPE) for name, argv in readers.items()}
    found = {}
    for name, process in running.items():
        lines = process.communicate()[0].splitlines()
        if process.returncode != 0:
            sys.exit(f"differential: the reader '{name}' ended with {process.returncode}")
        found[name] = {entry["name"]: entry for entry in map(json.loads, lines)}
    return found


def differences(made, found):
    """(reader, field, case, ours, theirs) for each."""
    for name, (raw, _) in made.items():
        case, ours = Case(name, raw), view(found["postrider"][name])
        for reader in ("gmime", "python"):
            theirs = view(found[reader][name])
            for field in FIELDS:
                if field == "names" and ours["types"] != theirs["types"]:
                    continue  # other parts have other names
                if ours[field] != theirs[field]:
                    yield reader, field, case, ours[field], theirs[field]


def untrue(made, found):
    """What postrider reads other than it was meant."""
    for name, (_, truth) in made.items():
        entry = found["postrider"][name]
        parts = entry["parts"]
        got = {"subject": clean(entry["subject"]), "date": entry["date"], "text": clean(entry["text"]),
               "name": parts[-1][1] if parts else None}
        for field, want in truth.items():
            want = clean(want) if isinstance(want, str) else want
            if got[field] != want:
                yield f"{name}: {field} is {got[field]!r}, should be {want!r}"


class Points:
    def __init__(self):
        self.n = self.failed = 0

    def say(self, what, problems):
        self.n += 1
        self.failed += bool(problems)
        print(f"{'not ok' if problems else 'ok'} {self.n} - {what}")
        for line in problems[:SHOWN]:
            print(f"#   {line}")
        if len(problems) > SHOWN:
            print(f"#   and {len(problems) - SHOWN} more")


def main():
    readers = {"postrider": [sys.argv[1]], "gmime": [sys.argv[2]], "python": [sys.executable, "-B", HERE / "read_python.py"]}
    made = make_all()
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        write_corpus(made, corpus)
        found = read_all(readers, corpus)
    whole = sum("@" not in name for name in made)
    points, unlisted, used = Points(), [], set()
    points.say(f"{whole} messages, each cut at {messages.CUTS} places: {len(made)} that differ", [] if whole >= 300 else ["too few"])
    points.say("all are read by all", [f"{reader} lacks {made.keys() - entries.keys()}" for reader, entries in found.items()
                                       if made.keys() != entries.keys()])
    points.say("postrider reads what was meant", list(untrue(made, found)))
    for reader, field, case, ours, theirs in differences(made, found):
        key = known.find(reader, field, case, ours, theirs)
        used.add(key)
        if not key:
            at = "" if case.cut is None else f"@{case.cut}"
            unlisted.append(f"{reader} {field} {case.name}{at}: postrider {ours!r}, {reader} {theirs!r}"[:300])
    points.say("each difference is listed", unlisted)
    points.say("each entry of the list is needed", [" ".join(key) for key in known.all_keys() if key not in used])
    print(f"1..{points.n}")
    return points.failed > 0


sys.exit(main())
