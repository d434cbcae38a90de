#!/usr/bin/env bash
# The real Claude Code, Codex and opencode have mail and notes of their run as tools, and ask nobody before they use them.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/realagent.sh"
[ -n "${POSTRIDER_TEST_AGENTS:-}" ] || skip_all "no agents' programs: set POSTRIDER_TEST_AGENTS, see tools/install-agents"

# A tool of ours by the name that the kind has for it.
tool()
{
    case $KIND in
    claude) printf '["mcp__postrider__%s", %s]' "$1" "$2" ;;
    codex) printf '["%s", %s, "mcp__postrider"]' "$1" "$2" ;;
    opencode) printf '["postrider_%s", %s]' "$1" "$2" ;;
    esac
}
for KIND in claude codex opencode; do
    AGENT=$POSTRIDER_TEST_AGENTS/$KIND
    [ -x "$AGENT" ] || { skip "$KIND" 'not there'; continue; }
    model < <(
        calls 'I look.' "$(tool mail_inbox '{}')"
        calls 'I write it down.' "$(tool note_write '{"key": "tools", "content": "they work"}')"
        calls 'I say that it is complete.' "$(tool todo_update '{"id": "SC-1", "status": "complete"}')"
        calls 'I mail.' "$(tool mail_send '{"to": ["you@postrider.local"], "subject": "between", "body": "A word in between."}')"
        echo '"Used all of them."')
    agent_home $KIND
    pr config set 'role envoy' permissions ask
    (cd "$REPO" && printf '# P\n- [ ] SC-1: make a (check: touch %s/checked)\n' "$WORK" >PLAN.md && "$PR_BIN" plan execute PLAN.md >/dev/null &&
        git add -fA && git commit -qm Plan)
    mail - 'Use your tools.' 'the tools' && work
    is "$(pr note get tools)" 'they work' "$KIND: a note"
    ok "$KIND: a mail of its own" owner_has 'A word in between.'
    ok "$KIND: its mail reached the model" [ "$(shown 'the tools')" -ge 2 ]
    ok "$KIND: and it has answered" owner_has 'Used all of them.'
    is "$(asked)" '' "$KIND: nobody was asked"
    [ $KIND = opencode ] || ok "$KIND: which the model was told" grep -q 'a command that nobody was asked about' "$WORK/model.log"
    ok "$KIND: nor was a check run that this role may not run" [ ! -e "$WORK/checked" ]
done
done_testing
