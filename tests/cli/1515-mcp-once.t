#!/usr/bin/env bash
# mcp: a mail_send that is repeated within a minute is one mail, also where the run that sent it was killed and another client asks.
. "$(dirname "$0")/../lib/tap.sh"
pr init >/dev/null
cat >"$WORK/client.py" <<'P'
import sys
from mcpwire import *
w = Wire([sys.argv[1], "mcp"])
for arguments in ({"to": ["you@postrider.local"], "subject": "news", "body": "one pelican"}, *[{"body": "There are three."}] * int(sys.argv[2])):
    r = w.tool("mail_send", **arguments)
    s = r.get("structuredContent") or {}
    print(s.get("message_id"), "again" if s.get("repeated") else "refused" if r["isError"] else "sent", flush=True)
w.close()
P
# The first two runs are killed when they have sent; the third answers, and asks for its answer again.
cat >"$HOME_DIR/scripts/hello" <<END
#!/bin/sh
echo run >>'$WORK/runs'
n=\$(grep -c run '$WORK/runs')
PYTHONPATH='$POSTRIDER_SRC/tests/lib' PYTHONDONTWRITEBYTECODE=1 python3 '$WORK/client.py' '$PR_BIN' \$((n / 3 * 2)) >>'$WORK/said' 2>'$WORK/client.err'
[ \$n -gt 2 ] || { kill -KILL \$PPID; exec sleep 300; }
END
start=$(date +%s)
at() { POSTRIDER_CLOCK=@$((start + $1)) pr "${@:2}" >/dev/null 2>&1; }
at 0 inject --subject 'count the pelicans' --run </dev/null
at 30 serve --once
at 61 serve --once
is "$(cut -d' ' -f2 "$WORK/said" | paste -sd' ')" 'sent again sent sent again' 'a killed run, and a second client: within a minute it is the same mail' || diag "$(cat "$WORK/said" "$WORK/client.err")"
is "$(head -n 2 "$WORK/said" | cut -d' ' -f1 | sort -u | wc -l)" 1 'with its id'
is "$(db "SELECT count(*) FROM outbox WHERE subject = 'news'")" 2 'after it, it is another'
is "$(db "SELECT count(*) FROM outbox WHERE subject = 'Re: count the pelicans'")" 1 'who asked has one answer'
is "$(db 'SELECT count(*) FROM sent_once')" 2 'and what is older is forgotten'
done_testing
