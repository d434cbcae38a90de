#!/usr/bin/env bash
# Models of a team that have no key: another brain is asked, and whoever reads what came of it sees which.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"
. "$(dirname "$0")/../lib/workflow.sh"
unset ANTHROPIC_API_KEY OPENAI_API_KEY GEMINI_API_KEY
mkdir -p "$ROOT"
git -C "$ROOT" init -q -b main
cd "$ROOT" || exit 1
pr init --workflow >/dev/null
echo 'The user logs in.' >specs/proposed/user-auth.md

# --- a panel ---
cat >"$HOME_DIR/scripts/default" <<'S'
#!/bin/sh
cat >/dev/null
echo '{"verdict": "approve", "assessment": "Fine.", "findings": []}'
S
chmod +x "$HOME_DIR/scripts/default"
pr config set 'brain default' command scripts/default
pr config set 'panel spec-reviewer-panel' walls advice
pr notify --from spec-writer -q review-request specs/proposed/user-auth.md spec-reviewer-panel >/dev/null
did
run pr panel status 1
like "$OUT" "no key for \[brain claude\]: asked is 'default'" 'panel status says who was asked in whose place'
like "$OUT" "no key for \[brain gemini\]: asked is 'default'" 'for each member'
decision=$(mail_of "$(db "SELECT '<' || msgid || '>' FROM event WHERE type = 'approval'")")
like "$(cat "$decision")" "no key for \[brain gpt-5\]: asked is 'default'" 'and so does the mail with the decision'
is "$(record)" 'todo|specs/todo/user-auth.md|spec-reviewer-panel' 'which counts'
exits 0 'the audit knows it too' pr panel audit 1
like "$OUT" 'claude +default ' 'and names the brain that was asked'

# --- a command takes no key ---
printf '#!/bin/sh\ncat >/dev/null\n' >"$HOME_DIR/scripts/mine"
pr config set 'brain gemini' command scripts/mine
pr config set 'brain gemini' kind command
unlike "$(pr status)" "the brain 'gemini' has no key" 'a brain that has become a command is asked itself'
pr config set 'brain gemini' kind openai

# --- a role ---
pr config set 'brain default' kind script
pr config set 'brain default' script scripts/answers.jsonl
STEPS=scripts/answers.jsonl steps '{"status":"complete","current_phase":"complete","send_emails":[{"to":["you@workflow.local"],"body":"It is done."}]}'
pr send --to spec-writer --subject 'a task' <<<'Do it.' >/dev/null
did
like "$(cat "$(grep -l 'It is done' "$HOME_DIR"/mail/you/new/*)")" ' by default =C2' 'the last line of a mail of a role says it'
is "$(grep -l 'does not work' "$HOME_DIR"/mail/you/new/* | wc -l)" 0 'nobody is told that a brain is broken'
is "$(pr status | grep -c 'does not work')" 0 'nor does status'
done_testing
