#!/usr/bin/env bash
# `role run` in the forms of the seed: mail is shown before, while and after a role works; a helper
# takes none.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"
. "$(dirname "$0")/../lib/workflow.sh"
workflow_home
cd "$ROOT" || exit 1
request=$(notify spec-writer review-request "$SPEC" spec-reviewer CONTEXT="Focus on errors")

# --- a person, who has a shell or a command ---
run pr role run --with-email spec-reviewer -- sh -c 'echo "at work as $POSTRIDER_ROLE"; '"$PR_BIN"' notify -q approval specs/proposed/user-auth.md spec-writer; exit 3'
is "$STATUS" 3 'the exit status is that of the command'
like "$OUT" "Mail that waits:.  review-request of spec-writer: specs/\\*/user-auth.md  $request.at work as spec-reviewer.<.*>.No new mail" \
    'mail is shown before; notify speaks as the role, and mail is shown after it'
is "$(record)" 'todo|specs/todo/user-auth.md|spec-reviewer' 'what the role decided is done'
run pr role run --with-email spec-writer -- sh -c "$PR_BIN notify --from spec-reviewer -q status-update specs/todo/user-auth.md spec-writer CONTEXT=news"
like "$OUT" 'Mail that waits:.  approval of spec-reviewer.*New mail:.  status-update of spec-reviewer' 'what came meanwhile is shown at the end'
is "$(find "$HOME_DIR/mail/spec-writer/new" -type f | wc -l)" 2 'and mail has been delivered'
is "$(pr --json role inbox spec-writer | grep -c '"event"')" 1 'what was shown before is read'

# --- while it works ---
mkfifo "$WORK/go"
pr role run --with-email --email-poll-interval 1 spec-writer -- sh -c "$PR_BIN notify --from spec-reviewer -q question - spec-writer QUESTION=now >/dev/null; read -r line <'$WORK/go'; echo end" >"$WORK/out" &
runs=$!
told() { grep -q 'New mail:' "$WORK/out"; }
wait_for told
unlike "$(cat "$WORK/out")" 'end' 'mail that comes while it works is shown meanwhile'
echo go >"$WORK/go"
wait "$runs"
is "$?; $(grep -c question "$WORK/out")" '0; 1' 'once'

# --- an agent: what waits is worked off, or an artifact ---
agent_role spec-reviewer
echo two >specs/proposed/second.md
says spec-reviewer '{"status":"complete","current_phase":"complete","notify":[{"event":"approval","artifact":"specs/proposed/second.md","to":"spec-writer"}]}'
notify spec-writer review-request specs/proposed/second.md spec-reviewer >/dev/null
run pr role run --with-email spec-reviewer
like "$OUT" 'Mail that waits:.  review-request of spec-writer: specs/\*/second.md' 'an agent is shown with the mail that waits'
is "$(record 'specs/*/second.md')" 'todo|specs/todo/second.md|spec-reviewer' 'and works it off'
is "$(pr --json role inbox spec-reviewer --event review-request | grep -c '"event"')" 0 'then nothing waits'
says spec-reviewer '{"status":"complete","current_phase":"complete","notify":[{"event":"question","artifact":"specs/*/second.md","to":"spec-writer","question":"Is it all?"}]}'
ok 'it works on an artifact' pr role run --with-email spec-reviewer specs/todo/second.md
like "$(pr show "$(db "SELECT max(id) FROM job WHERE role = 'spec-reviewer'")@1" --context)" 'Work on the artifact specs/todo/second.md' 'as it is told'
is "$(pr --json role inbox spec-writer --event question | grep -c 'second.md')" 1 'and sends what it has to say'
exits 65 'an artifact outside of the root' pr role run --with-email spec-reviewer ../x.md
exits 66 'an unknown role' pr role run spec-reviwer
exits 64 'polling without mail' pr role run --email-poll-interval 5 spec-writer

# --- an agent at the terminal ---
run pr role run -i spec-reviewer -- sh -c "$PR_BIN notify question - spec-writer QUESTION='Who are you?'; test -n \"\$POSTRIDER_PORT\" && test \"\$POSTRIDER_ATTENDED\" = 1"
is "$STATUS" 0 'an agent at the terminal has the port of a job of its own, and is told that a person sits there'
like "$OUT" '<.*\.spec-reviewer@workflow\.local>' 'through which it notifies as itself'
is "$(db "SELECT state FROM job WHERE role = 'spec-reviewer' ORDER BY id DESC LIMIT 1")" 'done' 'the job is done when it ends'

# --- what it is told comes with it ---
mkdir -p "$HOME_DIR/roles"
printf 'Be kind.\nAsk twice.\n' >"$HOME_DIR/roles/spec-reviewer.md"
pr config set 'role spec-reviewer' instructions roles/spec-reviewer.md
cat >"$HOME_DIR/scripts/agent" <<'S'
#!/bin/sh
for a; do printf '[%s]' "$a"; done
S
chmod +x "$HOME_DIR/scripts/agent"
pr config set 'brain terminal' command scripts/agent
pr config set 'role spec-reviewer' brain terminal
for kind in claude:--append-system-prompt opencode:--prompt codex:; do
    pr config set 'brain terminal' kind "${kind%:*}"
    run pr role run -i spec-reviewer
    option=${kind#*:}
    is "$OUT" "${option:+[$option]}[Be kind."$'\nAsk twice.\n]' "${kind%:*} is told its instructions as it starts"
done
pr config set 'brain terminal' kind command
run pr role run -i spec-reviewer
is "$OUT" '' 'a program of one'"'"'s own has no words that it does not know'
run pr role run -i spec-reviewer -- sh -c 'cat "$POSTRIDER_INSTRUCTIONS"'
is "$OUT" $'Be kind.\nAsk twice.' 'any command finds them'

# --- a helper takes no mail ---
printf '[role spec-writing-helper]\nmail = no\nbrain = default\n' >>"$HOME_DIR/postrider.conf"
run env POSTRIDER_ROLE=x "$PR_BIN" --home "$HOME_DIR" role run -i spec-writing-helper -- sh -c 'echo "role [$POSTRIDER_ROLE] port [$POSTRIDER_PORT]"; echo three >specs/proposed/third.md'
is "$STATUS $OUT" '0 role [] port []' 'a helper works with a person alone, with no role and no port'
for verb in "send --to spec-writer --subject x hello" "ask --to spec-writer x" "notify question - spec-writer QUESTION=x" 'mail list' 'mail search logs' 'role inbox spec-writer' \
    'role run spec-writer -- true' 'outbox list' 'mcp' 'sendmail spec-writer@workflow.local'; do
    before=$(db 'SELECT (SELECT count(*) FROM outbox), (SELECT count(*) FROM event), (SELECT count(*) FROM job)')
    run pr role run -i spec-writing-helper -- sh -c "$PR_BIN --home $HOME_DIR $verb"
    is "$STATUS $OUT" '77 ' "$verb is refused in a helper's session"
    like "$ERR" "'spec-writing-helper' takes no mail and sends none: it works with you alone, so ${verb%% *}" 'and says why'
    is "$(db 'SELECT (SELECT count(*) FROM outbox), (SELECT count(*) FROM event), (SELECT count(*) FROM job)')" "$before" 'and nothing is sent'
done
run pr role run -i spec-writing-helper -- sh -c "$PR_BIN --home $HOME_DIR artifact list; $PR_BIN --home $HOME_DIR status >/dev/null"
is "$STATUS" 0 'what is no mail is not'
ok 'its file is what the flow begins with' test -s specs/proposed/third.md
exits 0 'which somebody sends for review' pr notify -q --from spec-writer review-request specs/proposed/third.md test-writer
is "$(record 'specs/*/third.md')" 'proposed|specs/proposed/third.md|' 'and the record has it'
exits 65 'with mail it does not work' pr role run --with-email spec-writing-helper
exits 65 'nobody writes to it' pr notify --from spec-writer question - spec-writing-helper QUESTION=x
like "$ERR" "'spec-writing-helper' takes no mail" 'and hears why'
exits 65 'and it writes to nobody' pr notify --from spec-writing-helper question - spec-writer QUESTION=x
pr serve --once >/dev/null 2>&1
not_ok 'it has no mailbox' test -e "$HOME_DIR/mail/spec-writing-helper"
not_ok 'and no address' sh -c "echo hi | $PR_BIN --home $HOME_DIR send --to spec-writing-helper --subject x"
exits 66 'no inbox' pr role inbox spec-writing-helper
done_testing
