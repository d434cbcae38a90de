#!/usr/bin/env bash
# A member who leaves in mid-review gives no ballot; the others decide, or there is no quorum. A panel that is cancelled is void.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
workflow_home
cd "$ROOT" || exit 1
for brain in ann ben eve; do
    printf '#!/bin/sh\ncat >/dev/null\n[ ! -e "%s" ] || . "%s"\necho %s >>"%s"\necho "{\\"verdict\\": \\"approve\\", \\"assessment\\": \\"By %s.\\"}"\n' \
        "$WORK/$brain.does" "$WORK/$brain.does" $brain "$WORK/asked" $brain >"$WORK/$brain"
    chmod +x "$WORK/$brain"
    printf '[brain %s]\ncommand = %s\n' $brain "$WORK/$brain" >>"$HOME_DIR/postrider.conf"
done
pr config set postrider workers 1 >/dev/null # one after the other: ann is asked first
CONF=$(cat "$HOME_DIR/postrider.conf")
alone="unset POSTRIDER_PORT POSTRIDER_ROLE"

# The run dies too, so that the next one reads the settings anew.
cat >"$WORK/ann.does" <<END
sed -i '/^\[brain eve\]/,/^command/d' "$HOME_DIR/postrider.conf"
rm "$WORK/ann.does"
kill -9 \$PPID; exit 1
END
pr panel review --no-wait --discuss 0 --rule majority --members ann,ben,eve "$SPEC" >/dev/null
for hours in 0 1 2; do POSTRIDER_CLOCK=@$(($(date +%s) + hours * 3600)) pr serve --once >/dev/null 2>&1; done
run pr panel status 1
like "$OUT" 'approve: 2 approve, 1 silent of 3 members' 'and the member counts as silent'
like "$OUT" 'eve .*none .*left: its brain is not in the settings any more' 'with the reason'
is "$(sort "$WORK/asked" | uniq -c | tr -s ' ' | tr '\n' ';')" ' 1 ann; 1 ben;' 'it was not asked'
printf '%s\n' "$CONF" >"$HOME_DIR/postrider.conf"

cat >"$WORK/ann.does" <<END
job=\$(sqlite3 -readonly "$HOME_DIR/state/postrider.db" 'SELECT job FROM ballot WHERE member = 2 ORDER BY id DESC LIMIT 1')
($alone; "$PR_BIN" --home "$HOME_DIR" job cancel "\$job" >"$WORK/cancelled" 2>&1)
END
run pr panel review --discuss 0 --rule majority --quorum 3 --members ann,ben,eve "$SPEC"
is "$STATUS" 75 'a job that is cancelled: there is no quorum of three' || diag "$(cat "$WORK/cancelled")"
like "$OUT" 'no quorum: 2 of 3 members gave a verdict, and 3 are needed' 'and that is said'
like "$OUT" 'left: its job was cancelled' 'with the reason'
like "$OUT" 'By ann.*By ben' 'what the others said is kept'
exits 0 'the audit is clean' pr panel audit 2

cat >"$WORK/ann.does" <<END
job=\$(sqlite3 -readonly "$HOME_DIR/state/postrider.db" 'SELECT job FROM panel ORDER BY id DESC LIMIT 1')
($alone; "$PR_BIN" --home "$HOME_DIR" job cancel "\$job" >"$WORK/cancelled" 2>&1)
END
run pr panel review --discuss 0 --members ann,ben "$SPEC"
is "$STATUS" 75 'the panel itself is cancelled'
is "$(pr panel list --json | jq -r '.[0].state + ": " + .[0].why')" 'void: it was cancelled' 'and void'
rm "$WORK/ann.does"
pr serve --once >/dev/null 2>&1
is "$(db "SELECT count(*) FROM ballot WHERE panel = 3 AND verdict = 'approve' AND late = 0")" 0 'no ballot of it counts'
exits 0 'doctor is clean' pr doctor
done_testing
