#!/usr/bin/env bash
# The same on a server that knows no MOVE, UIDPLUS or IDLE and names its folders INBOX.postrider.Done.
export MAILSERVER_SEPARATOR=. MAILSERVER_PREFIX=INBOX.
export MAILSERVER_CAPABILITY='IMAP4rev1 NAMESPACE LITERAL+ SPECIAL-USE'
exec bash "$(dirname "$0")/0220-imap-crash.t"
