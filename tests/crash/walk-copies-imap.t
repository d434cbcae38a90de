#!/usr/bin/env bash
# SIGKILL at every 17th system call that makes something last, between two mails of one Message-ID that come by IMAP: see
# walk_copies_imap.py. All of them are in tests/soak.
exec /usr/bin/python3 -B "$(dirname "$0")/walk_copies_imap.py" kill 17
