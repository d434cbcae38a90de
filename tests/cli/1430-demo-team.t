#!/usr/bin/env bash
# `make demo-team` as somebody sees it who has just built it.
. "$(dirname "$0")/../lib/tap.sh"
export POSTRIDER_BIN
began=$SECONDS
TMPDIR=$WORK "$POSTRIDER_SRC/tools/demo-team" >"$WORK/out" 2>"$WORK/said"
is "$?" 0 'the demo runs'
is "$(cat "$WORK/said")" '' 'without a word on stderr'
ok 'in less than 30 s' test $((SECONDS - began)) -lt 30
like "$(cat "$WORK/out")" 'spec-reviewer-panel: login.md: revise: 2 approve, 1 revise of 3 members' 'one dissents'
like "$(cat "$WORK/out")" 'gemini: When does the session end\?.*\[blocker\] line 2: no word about the timeout' 'and says why'
is "$(grep -c 'Subject: \[REVISION NEEDED\]' "$WORK/out")" 1 'the author has one mail'
like "$(cat "$WORK/out")" 'spec-reviewer-panel: login.md: approve: 3 approve of 3 members' 'mended, all approve'
like "$(cat "$WORK/out")" 'specs/todo/login.md' 'and it has moved'
is "$(grep -c 'instructions, artifact' "$WORK/out")" 9 'nine ballots, three of them after a discussion, each by who was shown the artifact alone'
done_testing
