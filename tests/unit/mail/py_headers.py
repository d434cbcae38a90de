#!/usr/bin/env python3
"""Prints what Python's email package reads in the messages of its own tests, as JSON:
[{"file": path, "subject": text, "from": [[name, spec]…], "to": […]}…].

Prints nothing and ends with 77 where Python's tests are not installed."""
import glob
import json
import os
import sys
from email import message_from_binary_file
from email.policy import default


def data_folder():
    try:
        import test
    except ImportError:
        return None
    folder = os.path.join(os.path.dirname(test.__file__), "test_email", "data")
    return folder if os.path.isdir(folder) else None


def addresses(message, name):
    return [
        [a.display_name, a.addr_spec]
        for value in message.get_all(name, [])
        for a in getattr(value, "addresses", ())
    ]


def read(path):
    with open(path, "rb") as f:
        message = message_from_binary_file(f, policy=default)
    return {
        "file": path,
        "subject": str(message.get("subject", "")),
        "from": addresses(message, "from"),
        "to": addresses(message, "to"),
    }


def main():
    folder = data_folder()
    if not folder:
        return 77
    paths = sorted(glob.glob(os.path.join(folder, "msg_*.txt")))
    json.dump([read(path) for path in paths], sys.stdout)
    return 0


sys.exit(main())
