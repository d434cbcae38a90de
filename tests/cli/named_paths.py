#!/usr/bin/python3
"""Which files docs/ARCHITECTURE.md and CONTRIBUTING.md name that are not there: named_paths.py ROOT [PAGE...]

A path begins with src/ or tests/, or with a room (engine/mode.h). A name alone (`poke.h`) lies in the folder of the path
before it in the same cell, as a reader takes it. A word in capitals (NNNN-name.t) stands for another, and so does noun.c.
"""
import re, sys
from pathlib import Path

PATH = re.compile(r"(?<![\w/])((?:src|tests)/[\w./*-]+)|`((?:\w+/)*\w+\.(?:[ch]|def))`")


def named(page):
    for number, line in enumerate(page.read_text().splitlines(), 1):
        for cell in re.split(r" \| ", line):
            folder = None
            for found in PATH.finditer(cell):
                name = (found[1] or found[2]).rstrip("./")
                if re.search(r"[A-Z]{3}|-X\b|\*\*|_internal\.h$|^noun\b", name):
                    continue
                if "/" in name:
                    path = name if name.startswith(("src/", "tests/")) else "src/" + name
                elif folder:
                    path = f"{folder}/{name}"
                else:
                    path = f"src/**/{name}"
                yield number, name, path
                if "*" not in path:
                    folder = str(Path(path).parent) if Path(path).suffix else path


def main():
    root = Path(sys.argv[1])
    for name in sys.argv[2:] or ["docs/ARCHITECTURE.md", "CONTRIBUTING.md"]:
        for number, word, path in named(root / name):
            if not any(root.glob(path)):
                print(f"{name}:{number}: '{word}' is not there ({path})")


main()
