#!/usr/bin/env bash
# `make demo` as somebody sees it who has just built it: short, quick, and what it tells to try works. The picture of
# it in docs/ is current.
. "$(dirname "$0")/../lib/tap.sh"

export POSTRIDER_BIN
began=$SECONDS
TMPDIR=$WORK CLICOLOR_FORCE=1 "$POSTRIDER_SRC/tools/demo" >"$WORK/coloured" 2>"$WORK/said"
is "$?" 0 'the demo runs'
is "$(cat "$WORK/said")" '' 'and complains about nothing'
ok 'in less than 60 seconds' test $((SECONDS - began)) -lt 60
sed 's/\x1b\[[0-9]*m//g' "$WORK/coloured" >"$WORK/printed"
ok 'in at most 40 lines' test "$(wc -l <"$WORK/printed")" -le 40
ok 'none too long for a terminal' test "$(grep -v POSTRIDER_HOME= "$WORK/printed" | wc -L)" -le 120
like "$(cat "$WORK/printed")" 'step 3 .*kill -9, rm -rf state/.*came back from its checkpoint mail.*step 4 +answered' \
    'it loses its store, and goes on'

like "$(sed -n '/^quoted()/p' "$POSTRIDER_SRC/tools/demo" | { cat; echo 'quoted "/tmp/it'"'"'s a/b"; quoted /tmp/b'; } | sh)" "^'/tmp/it'.''s a/b'/tmp/b$" \
    'a path is printed as a shell reads it'

# The last lines: where it is, and three commands.
tail -n 4 "$WORK/printed" >"$WORK/commands"
like "$(head -n 1 "$WORK/commands")" '^ +export POSTRIDER_HOME=.+ PATH=.+:\$PATH$' 'it says where the home is'
eval "$(head -n 1 "$WORK/commands")"
ok 'which is kept' test -f "$POSTRIDER_HOME/postrider.conf"
tail -n 3 "$WORK/commands" >"$WORK/three"
while read -r command; do
    ok "works as printed: $command" bash -c "$command"
    isnt "$OUT" '' 'and shows something'
done <"$WORK/three"
like "$OUT" 'Sent +sent +envoy@[^ ]+ +Re: The three offers' 'the last finds the answer'
ok 'the home is sound' postrider doctor

ok 'docs/demo.svg is what it prints; else run: tools/draw-demo' \
    "$POSTRIDER_SRC/tools/draw-demo" --check --from "$WORK/coloured"
sed 's/North/Nowhere/' "$WORK/coloured" >"$WORK/other"
not_ok 'and would not be, were it something else' "$POSTRIDER_SRC/tools/draw-demo" --check --from "$WORK/other"
ok 'it is well-formed' python3 -c 'import sys, xml.etree.ElementTree as t; t.parse(sys.argv[1])' "$POSTRIDER_SRC/docs/demo.svg"
done_testing
