#!/usr/bin/env bash
# Four pollers want to start the agent of a date at the same moment, again and again: it is started once for each reply.
# The design that this comes from had a lock file: 16 double starts in 300 rounds. ROUNDS is 30 here; ROUNDS=300 measures it.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/briefing.sh"
ROUNDS=${ROUNDS:-30}
[ -x "$POSTRIDER_PLAIN_BIN" ] || skip_all 'there is no plain build'
PR_BIN=$POSTRIDER_PLAIN_BIN
briefing_home
send_briefing >/dev/null
python3 - "$PR_BIN" "$HOME_DIR" "$D" "$ROUNDS" >"$WORK/said" <<'P'
import subprocess, sys, time
from pathlib import Path
program, home, date, rounds = sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
responses = home / "reports" / date / "responses"
for n in range(1, rounds + 1):
    (responses / f"{n:02d}-reply.md").write_text(f"reply {n}\n")
    pollers = [subprocess.Popen([program, "--home", home, "briefing", "run", date],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
               for _ in range(4)]
    bad = [p for p in pollers if p.wait() != 0]
    if bad:
        print(f"round {n}: a trigger failed")
    end = time.monotonic() + 60
    while not (responses / f"{n:02d}-response.md").exists() or (responses / ".processing").exists():
        if time.monotonic() > end:
            sys.exit(f"round {n}: no response")
        time.sleep(0.005)
P
is "$?" 0 "$ROUNDS rounds end" || diag "$(cat "$WORK/said")"
is "$(cat "$WORK/said")" '' 'no trigger fails'
is "$(starts)" "$ROUNDS" 'the agent was started once per reply: no double start'
is "$(db 'SELECT count(*) FROM report_response')" "$ROUNDS" 'each reply has one response'
is "$(grep -c '^## Response to Reply #[0-9]*$' "$R/thread.md")" "$ROUNDS" 'and one section'
is "$(find "$R" -name '*.edited-*' | wc -l)" 0 'no file was taken for an edit'
cp "$R/thread.md" "$WORK/kept.md"
exits 0 'rebuild' pr briefing rebuild "$D"
ok 'gives the same bytes' cmp "$WORK/kept.md" "$R/thread.md"
done_testing
