"""Prints what tests/README.md lacks: rows of the three lists that no line of it names, and tests that it names and are not there.

    named_rows.py README    its folder is the tests'
"""
import re, sys
from pathlib import Path

LAST = {"C": 89, "S": 61, "W": 107}
KINDS = "cli|e2e|crash|soak|unit|fuzz|face|differential"


def rows(text, letter):
    """The numbers that stand there: A4, A5; A7 to A9."""
    found = set()
    for first, last in re.findall(rf"\b{letter}(\d+)(?: to {letter}(\d+))?\b", text):
        found.update(range(int(first), int(last or first) + 1))
    return found


def names(token):
    """crash/walk-{a,b} is two of them."""
    word = token.split()[0]
    several = re.fullmatch(r"(.*)\{(.*)\}(.*)", word)
    return [several[1] + part + several[3] for part in several[2].split(",")] if several else [word]


def is_there(folder, name):
    """A test by its file, or the beginning of its name; a unit test by its room and file: unit/mail-msgid."""
    asked = [name, re.sub(r"^unit/([a-z]+)-", r"unit/\1/", name)]
    asked.append(re.sub(r"^unit/([a-z]+)-", r"unit/\1/\1_", name))
    return any(True for n in asked for _ in folder.glob(n.rstrip("*").replace("-", "[-_]") + "*"))


def main():
    readme = Path(sys.argv[1])
    text = readme.read_text()
    lists = text.split("\n### Settings and the command line")[0]  # from there on letters count bad inputs
    for letter, last in LAST.items():
        for n in sorted(set(range(1, last + 1)) ^ rows(lists, letter)):
            print(f"{letter}{n} {'stands in no line' if n <= last else 'is none of the list'}")
    for token in dict.fromkeys(re.findall(rf"`((?:{KINDS})/[^`]*)`", text)):
        for name in names(token):
            if not is_there(readme.parent, name):
                print(f"'{name}' is not there")


main()
