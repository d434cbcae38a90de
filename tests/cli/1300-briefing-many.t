#!/usr/bin/env bash
# A reply on a date with 1,000 costs, beyond writing thread.md and the prompt, at most 1.2 times what the first did: counted in
# instructions (callgrind), which a busy machine does not change. And `briefing status` of so many.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/briefing.sh"
command -v valgrind >/dev/null || skip_all 'no valgrind here'
PR_BIN=$POSTRIDER_PLAIN_BIN # valgrind and the sanitizers do not go together
MAIL=$(dirname "$PR_BIN")/src/cli/postrider-mail
[ -x "$MAIL" ] || skip_all 'no program without sanitizers here'
briefing_home
cat >"$WORK/agent" <<'A'
#!/bin/sh
cat >/dev/null
echo Answer.
A
# counted: what the pass that records a reply and answers it costs, without the two.
counted()
{
    reply "$1" >/dev/null
    pr deliver >/dev/null 2>&1
    valgrind -q --tool=callgrind --callgrind-out-file="$WORK/calls" "$MAIL" --home "$HOME_DIR" serve --once >/dev/null 2>"$WORK/vg.log"
    callgrind_annotate --inclusive=yes --threshold=100 "$WORK/calls" 2>/dev/null | python3 -c '
import re, sys
costs = {}
for line in sys.stdin:
    m = re.match(r"\s*([\d,]+) \([^)]*\)\s+(.*)", line)
    if m:
        name = re.sub(r" \[.*", "", m[2]).split(":")[-1]
        costs.setdefault(name, int(m[1].replace(",", "")))
print(costs["PROGRAM TOTALS"] - costs["run_context"] - costs["settle_views"])'
}
send_briefing >/dev/null
turn
first=$(counted 'the first')
is "$(cat "$R/responses/01-response.md")" 'Answer.' 'the first reply is answered'
# A date with so many, which only its files know.
M=2026-02-10
python3 - "$HOME_DIR/reports/$M" 1000 <<'P'
import pathlib, sys
top, n = pathlib.Path(sys.argv[1]), int(sys.argv[2])
(top / "responses").mkdir(parents=True)
(top / "briefing.md").write_text("# Good morning\n")
thread = f"# Carlton Thread — {top.name}\n\n## Briefing Sent (2026-02-10 05:00 GMT)\n# Good morning\n\n---\n"
for i in range(1, n + 1):
    at = f"2026-02-10 {6 + i // 60 % 12:02}:{i % 60:02}"
    (top / f"responses/{i:02}-reply.md").write_text(f"From: you@postrider.local\nDate: {at}\nMessage-ID: <r{i}@phone>\nSubject: Re: x\n\nwords {i}\n")
    (top / f"responses/{i:02}-response.md").write_text(f"Answer {i}.\n")
    thread += f"\n## Reply #{i} ({at} from you@postrider.local)\nwords {i}\n\n## Response to Reply #{i}\nAnswer {i}.\n\n---\n"
(top / "thread.md").write_text(thread)
P
turn
D=$M
R=$HOME_DIR/reports/$M
is "$(open_replies)" 0 'a date with 1,000 replies is taken over from its files'
reply 'to warm up' >/dev/null
turn
is "$(cat "$R/responses/1001-response.md")" 'Answer.' 'reply 1,001 is answered'
many=$(counted 'one more')
is "$(cat "$R/responses/1002-response.md")" 'Answer.' 'and reply 1,002, which is counted'
diag "instructions: $first for the first, $many for reply 1,002"
ok "it costs at most 1.2 times what the first did" test $((many * 10)) -le $((first * 12))
is "$(grep -c '^## Reply #' "$R/thread.md")" 1002 'thread.md has all of them'
cp "$R/thread.md" "$WORK/kept.md"
exits 0 'rebuild' pr briefing rebuild "$M"
ok 'gives the same bytes' cmp "$WORK/kept.md" "$R/thread.md"
done_testing
