#!/usr/bin/env bash
# Every verb with options that its help names, and with random ones: no crash. `make fuzz` runs 3,000 of them.
. "$(dirname "$0")/../lib/tap.sh"

ok 'a mail with Bcc, each verb, and some of their options' "$POSTRIDER_SRC/tests/fuzz/verbs" "$PR_BIN" --runs 150
like "$OUT" '150 runs of [3-9][0-9] verbs with [0-9]{2,} options: 0 failed' 'all that help names were seen'
done_testing
