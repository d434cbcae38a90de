#!/usr/bin/python3
"""Does JSON have the members that docs/formats.md promises? formats.py PAGE VERB < JSON prints what differs.

The first code in braces or brackets of the verb's row is the promise: {a, b: [{c}], d: {e} or null}. "one of `mail list` and"
in front of it means: the members of that row, too; "one of the steps of `job show` and": of a member of that row. Members that
the row names elsewhere in code may be there.
"""
import json, re, sys

CODE = re.compile(r"`([^`]+)`")
TOKEN = re.compile(r"[{}\[\],:]|\"[^\"]*\"|[\w.]+")


def parse(tokens):
    """A promise: {name: promise, ...}, [promise], or None for what is neither."""
    token = tokens.pop(0)
    if token == "[":
        inner = parse(tokens)
        tokens.pop(0)
        value = [inner]
    elif token == "{":
        value = {}
        while tokens[0] != "}":
            names = [tokens.pop(0)]
            while tokens[0] == "or":
                tokens.pop(0)
                names.append(tokens.pop(0))
            value[tuple(names)] = None
            if tokens[0] == ":":
                tokens.pop(0)
                value[tuple(names)] = parse(tokens)
            if tokens[0] == ",":
                tokens.pop(0)
        tokens.pop(0)
    else:
        value = None
    while tokens and tokens[0] == "or":
        del tokens[:2]
    return value


def promise(rows, verb):
    """What the row of a verb promises, and the names of members that may be there."""
    at = next(i for i, row in enumerate(rows) if f"`{verb}`" in row[0])
    cell = rows[at][1]
    codes = CODE.findall(cell)
    like = re.match(r"one of (?:the (\w+) of )?`([^`]+)` and `([^`]+)`", cell)
    if like:
        want, others = promise(rows, like[2])
        want = want[(like[1],)] if like[1] else want
        want = want[0] | parse(TOKEN.findall("{" + like[3] + "}"))
    else:
        want, others = parse(TOKEN.findall(next(code for code in codes if code[0] in "[{"))), set()
    return want, others | {name for code in codes for name in re.findall(r"\w+", code)}


def compare(want, got, may, where):
    if got is None or want is None:
        return
    if isinstance(want, list) != isinstance(got, list) or isinstance(want, dict) != isinstance(got, dict):
        yield f"{where} is {type(got).__name__}"
    elif isinstance(want, list):
        for item in got:
            yield from compare(want[0], item, may, where)
    else:
        for names in want:
            if not any(name in got for name in names):
                yield f"{where}: no {' or '.join(names)}"
        for name, value in got.items():
            found = [below for names, below in want.items() if name in names]
            if not found and name not in may:
                yield f"{where}: {name} is not promised"
            elif found:
                yield from compare(found[0], value, may, f"{where}.{name}")


def main():
    lines = open(sys.argv[1]).read().splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if line.startswith("| ")]
    want, may = promise(rows, sys.argv[2])
    text = sys.stdin.read()
    values = [json.loads(line) for line in text.splitlines()] if isinstance(want, dict) and text.count("\n{") else [json.loads(text)]
    if isinstance(want, list) and not values[0]:
        print("nothing to compare")
    print("\n".join(dict.fromkeys(word for value in values for word in compare(want, value, may, sys.argv[2]))), end="")


main()
