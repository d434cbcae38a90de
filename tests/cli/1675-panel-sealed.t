#!/usr/bin/env bash
# While a panel is at work nobody reads a ballot that is in: by no verb, in no form, by no port, by no client of MCP, and in no file but
# the store itself.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
workflow_home
cd "$ROOT" || exit 1
printf '[panel spec-reviewer-panel]\nmembers = ann, ben\ndiscuss = 0\n' >>"$HOME_DIR/postrider.conf"
# Ann's ballot has a word that nothing else has; ben waits at the door while everybody looks.
cat >"$WORK/ann" <<END
#!/bin/sh
cat >/dev/null
echo '{"verdict": "revise", "assessment": "Zanzibar is not mentioned.", "findings": [{"where": "Timbuktu", "what": "no Zanzibar", "severity": "blocker"}]}'
END
cat >"$WORK/ben" <<END
#!/bin/sh
cat >/dev/null
read -r _ <"$WORK/door"
echo '{"verdict": "approve", "assessment": "Fine.", "findings": []}'
END
chmod +x "$WORK/ann" "$WORK/ben"
printf '[brain ann]\ncommand = %s\n[brain ben]\ncommand = %s\n' "$WORK/ann" "$WORK/ben" >>"$HOME_DIR/postrider.conf"
program_role implementer <<END
for words in 'mail search Zanzibar' 'mail search Timbuktu' 'note search Zanzibar' 'mail list' 'note list' 'artifact log $SPEC' 'panel status 1' 'panel status 1 --unseal' 'search Zanzibar'; do
    postrider \$words
done >'$WORK/port' 2>&1
postrider panel vote approve x >'$WORK/agent' 2>&1
echo Done.
END
shut_door
start_serve
request=$(notify spec-writer review-request "$SPEC" spec-reviewer-panel)
is_in() { [ "$(db "SELECT count(*) FROM ballot WHERE verdict <> ''")" = 1 ]; }
wait_for is_in
is "$(db "SELECT verdict FROM ballot WHERE job > 0 AND verdict <> ''")" revise 'one ballot is in'
secret='Zanzibar|Timbuktu|is revise|: revise'

# Each verb that reads, with all jobs, steps and mails there are; in both forms.
jobs=$(db "SELECT id FROM job") steps=$(db "SELECT job || '@' || n FROM step") mails=$(db "SELECT '<' || msgid || '>' FROM message UNION SELECT '<' || msgid || '>' FROM outbox")
look()
{
    for form in '' --json; do
        for words in status  cost 'cost --by role' 'job list' 'job list --all' 'mail list' 'mail list --all' 'note list' 'outbox list' 'artifact list' 'artifact check' \
            "artifact log $SPEC" 'panel list' 'panel list --open' 'panel status 1' 'panel audit 1' 'role list' 'role inbox spec-writer' 'role inbox spec-reviewer' \
            'every list' 'permit list' log doctor 'config show' 'mail search Zanzibar' 'mail search Timbuktu' 'note search Zanzibar' briefing 'note get panel' 'plan list --all' 'outbox show 1' 'outbox show 2' 'outbox show 3'; do
            pr $form $words
        done
        for job in $jobs; do
            for words in "show $job" "job log $job" "show --context $job" "job show $job" "cost $job" "job diff $job"; do pr $form $words; done
        done
        for step in $steps; do
            for words in "show $step" "show --context $step" "job show $step"; do pr $form $words; done
        done
        for mail in $mails; do
            for words in 'mail show' 'mail thread' 'mail trace' show; do pr $form $words "$mail"; done
        done
    done
    timeout 5 "$PR_BIN" --home "$HOME_DIR" watch --once
}
look >"$WORK/looked" 2>&1
ok 'a lot was looked at' test "$(wc -l <"$WORK/looked")" -gt 200
is "$(grep -nE "$secret" "$WORK/looked" | grep -v "no mail\|unknown\|search\|expected" | head -5)" '' 'no verb says what is in a ballot'
like "$(pr panel status 1)" 'ann.*in, sealed' 'but that it is in'

# Another agent, by its port.
pr send --to implementer --subject try <<<'Try.' >/dev/null
wait_for test -s "$WORK/agent"
is "$(grep -E "$secret" "$WORK/port" "$WORK/agent" | grep -v "search" | head -3)" '' 'no agent reads it by its port'

# A client of MCP.
{
    printf '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n'
    printf '{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
    n=2
    for call in '"mail_search","arguments":{"query":"Zanzibar"}' '"mail_list","arguments":{}' '"note_search","arguments":{"query":"Zanzibar"}' '"note_list","arguments":{}' '"note_read","arguments":{"key":"panel"}'; do
        printf '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%s}}\n' $((n++)) "$call"
    done
    printf '{"jsonrpc":"2.0","id":20,"method":"tools/list"}\n{"jsonrpc":"2.0","id":21,"method":"resources/list"}\n{"jsonrpc":"2.0","id":22,"method":"prompts/list"}\n'
} | timeout 20 "$PR_BIN" --home "$HOME_DIR" mcp >"$WORK/mcp" 2>&1
ok 'a client of MCP is answered' grep -q '"id":22' "$WORK/mcp"
is "$(grep -oE "$secret" "$WORK/mcp" | head -1)" '' 'and reads none'

# Files.
is "$(grep -rlE 'Zanzibar|Timbuktu' "$HOME_DIR" "$ROOT" --exclude-dir=state --exclude-dir=scripts | sed "s#$HOME_DIR/##")" '' 'no file has it'
is "$(grep -rlE 'Zanzibar|Timbuktu' "$HOME_DIR/state" | sed 's#.*/##' | grep -v '^postrider.db')" '' 'and none of state/ but the store'

open_door
is_over() { [ "$(db "SELECT state FROM panel")" = closed ]; }
wait_for is_over
like "$(pr panel status 1)" 'Zanzibar' 'once all are in it is open'
stop_serve
done_testing
