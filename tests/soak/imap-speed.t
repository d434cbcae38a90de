#!/usr/bin/env bash
# 10,000 new mails against mbsync.
export IMAP_NEW=10000
exec bash "$(dirname "$0")/../e2e/0240-imap-speed.t"
