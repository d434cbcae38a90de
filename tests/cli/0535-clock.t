#!/usr/bin/env bash
# A clock that was ahead and is set right again: what was written meanwhile waits for its span, not for years.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
AHEAD=+126000000 # four years

pr init >/dev/null
# Mail outside that nobody takes: tried again later, by that clock.
mkdir "$WORK/bin"
printf '#!/bin/sh\ncat >/dev/null\ntest -e "%s/open" || exit 75\n' "$WORK" >"$WORK/bin/sendmail"
chmod +x "$WORK/bin/sendmail"
export PATH=$WORK/bin:$PATH
pr config set 'account main' smtp sendmail
echo out | POSTRIDER_CLOCK=$AHEAD pr send --from envoy --to bob@test.example --subject outside >/dev/null
POSTRIDER_CLOCK=$AHEAD pr submit 2>/dev/null
state() { pr --json outbox list --all | python3 -c 'import json,sys
print(*sorted({r["state"] for r in json.load(sys.stdin) if r["to"].startswith(sys.argv[1])}))' "$1"; }
is "$(state bob)" retry "mail outside waits for a time of the wrong clock"
echo in | POSTRIDER_CLOCK=$AHEAD pr send --to envoy --subject inside >/dev/null
is "$(state envoy)" ready "and so does mail to a role"

touch "$WORK/open"
pr serve --once >/dev/null 2>"$WORK/log"
is "$(state bob) $(state envoy)" "retry sent" "serve --once finds what was ready, and the other waits for its five minutes"
like "$(cat "$WORK/log")" 'the clock was set back by 1458 d' 'and says why'
POSTRIDER_CLOCK=+301 pr serve --once >/dev/null 2>&1
is "$(state bob)" sent "then that leaves too"
ok "the job is done" job_is done
is "$(answers)" 1 "and answered"

echo in | POSTRIDER_CLOCK=$AHEAD pr send --to envoy --subject again >/dev/null
start_serve
ok "so does a master that starts" wait_for has_answers 2
ok "and says why" logged 'the clock was set back'
stop_serve

# Waits by the right clock stay.
rm "$WORK/open"
echo out | pr send --from envoy --to bob@test.example --subject later >/dev/null
pr submit 2>/dev/null
touch "$WORK/open"
pr serve --once >/dev/null 2>&1
like "$(state bob)" retry "a wait that a try led to is kept"
done_testing
