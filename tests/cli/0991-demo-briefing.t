#!/usr/bin/env bash
# `make demo-briefing` as somebody sees it who has just built it. The picture of it in the README is what it prints.
. "$(dirname "$0")/../lib/tap.sh"
export POSTRIDER_BIN
began=$SECONDS
TMPDIR=$WORK CLICOLOR_FORCE=1 "$POSTRIDER_SRC/tools/demo-briefing" >"$WORK/coloured" 2>"$WORK/said"
is "$?" 0 'the demo runs'
is "$(cat "$WORK/said")" '' 'without a word on stderr'
ok 'in less than 30 s' test $((SECONDS - began)) -lt 30
like "$(cat "$WORK/coloured")" 'Response to Reply #1, #2' 'two replies, one answer'
ok 'docs/demo-briefing.svg is what it prints; else run: tools/draw-demo demo-briefing' \
    "$POSTRIDER_SRC/tools/draw-demo" --check --from "$WORK/coloured" demo-briefing
ok 'it is well-formed' python3 -c 'import sys, xml.etree.ElementTree as t; t.parse(sys.argv[1])' "$POSTRIDER_SRC/docs/demo-briefing.svg"
done_testing
