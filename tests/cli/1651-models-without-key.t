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

# --- the panels for the other kinds: one judges what the record alone knows the state of ---
declare -A files=([vision]=VISION.md [scope]=SCOPE.md [roadmap]=ROADMAP.md [skeleton]=skeletons/a/login.h [test]=tests/a/login.t [implementation]=src/a/login.c)
mkdir -p {skeletons,tests,src}/a
for kind in "${!files[@]}"; do
    echo "$kind" >"${files[$kind]}"
    pr config set "panel $kind-reviewer-panel" walls advice
    pr notify --from you -q review-request "${files[$kind]}" "$kind-reviewer-panel" >/dev/null
done
did
for kind in "${!files[@]}"; do
    next=$([[ ${files[$kind]} == */* ]] && echo 'done' || echo todo)
    is "$(record "${files[$kind]}")" "$next|${files[$kind]}|$kind-reviewer-panel" "$kind-reviewer-panel approves its kind"
    is "$(db "SELECT m.name FROM panel p JOIN panel_member m ON m.panel = p.id WHERE p.name = '$kind-reviewer-panel' ORDER BY m.n" | tr '\n' ' ')" 'claude gpt-5 gemini ' 'by its three members'
done
exits 0 'files, mail and record agree' pr artifact check

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

# --- a solo reviewer, whose model and the writer's have no key ---
pr role resume spec-reviewer >/dev/null 2>&1
echo 'Sessions end.' >specs/proposed/sessions.md
review='{"status":"complete","current_phase":"complete","notify":[{"event":"%s","artifact":"specs/proposed/sessions.md","to":"you","issues_found":"Too short."}]}'
decides() # AUTHOR EVENT STEP...: the mail of that event by the reviewer, in DECISION
{
    STEPS=scripts/answers.jsonl steps "$(printf "$review" "$2")" "${@:3}"
    pr notify --from "$1" -q review-request specs/proposed/sessions.md spec-reviewer >/dev/null
    did
    DECISION=$(tr -d '\r' <"$(mail_of "$(db "SELECT '<' || msgid || '>' FROM event WHERE type = '$2' ORDER BY id DESC LIMIT 1")")")
}
decides you rejection
like "$DECISION" 'By default, which was asked in place of the model of spec-reviewer' 'the mail with its decision names the model that was asked'
unlike "$DECISION" 'overlook the same' 'to a person it says nothing of one model'
like "$(cat reviews/spec/*sessions*REJECTED.md)" $'\nDecided by: spec-reviewer \\(by default\\)\n' 'the review record too'
exits 0 'file, mail and record agree' pr artifact check
cp -r "$HOME_DIR" "$WORK/kept"
rm -rf "$HOME_DIR/state"
exits 0 'also without the store' pr artifact check
is "$(db "SELECT decided_by FROM cycle WHERE outcome = 'rejected'")" 'spec-reviewer (by default)' 'which knows it again'
rm -rf "$HOME_DIR" && mv "$WORK/kept" "$HOME_DIR"
like "$(pr status)" "'spec-writer' and 'spec-reviewer' are both asked by 'default', and overlook the same" 'status warns of a writer and a reviewer with one model'
unlike "$(ANTHROPIC_API_KEY=x pr status)" "'spec-writer' and 'spec-reviewer' are both asked" 'but not where one has its own'
decides spec-writer rejection
like "$DECISION" "'spec-writer' and 'spec-reviewer' are both asked by 'default'" 'so does the mail of the decision'
pr config set workflow independence strict
decides spec-writer approval '{"status":"complete","current_phase":"complete","send_emails":[{"to":["you@workflow.local"],"body":"I could not."}]}'
is "$(record 'specs/*/sessions.md' | cut -d'|' -f1)" proposed 'with independence = strict an approval by the model that wrote it moves nothing'
like "$(pr show "$(db "SELECT max(id) FROM job WHERE role = 'spec-reviewer'")@2" --context)" "both asked by 'default', and overlook the same \(\[workflow\] independence = strict\)" 'and is refused with the reason'
exits 0 'a person may approve it as the reviewer' pr notify --from spec-reviewer -q approval specs/proposed/sessions.md spec-writer
unlike "$(cat reviews/spec/*sessions*APPROVED.md)" 'by default' 'and then no model stands in the record'

is "$(grep -l 'does not work' "$HOME_DIR"/mail/you/new/* | wc -l)" 0 'nobody is told that a brain is broken'
is "$(pr status | grep -c 'does not work')" 0 'nor does status'
done_testing
