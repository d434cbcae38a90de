#!/usr/bin/env bash
# A job that waits for days: the frozen bytes of what it sent are forgotten after one, its copy in Sent is not.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/steps.sh"

DAY=86400
ok 'a home' steps_home
answers <<'END'
{"status":"waiting","current_phase":"waiting","send_emails":[{"to":[],"subject":"","body":"Red or blue?"}],"wait":{"for":"reply","until":"","then":"continue"}}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"subject":"","body":"Blue it is."}]}
END
mail_in 'Paint it' <<<'please'
is "$(mails)" 1 'the agent asks, and waits'
bytes() { sqlite3 -readonly "$HOME_DIR/state/postrider.db" "SELECT count(*) FROM outbox WHERE bytes IS NOT NULL"; }
question=$(grep -h '^Message-ID' "$(got)" | sed 's/.*: //')
POSTRIDER_CLOCK=+$((2 * DAY)) pr serve --once >/dev/null 2>&1
POSTRIDER_CLOCK=+$((3 * DAY)) pr serve --once >/dev/null 2>&1
is "$(bytes)" 0 'three days later the bytes of its mail are forgotten'
printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: Re: Paint it\nIn-Reply-To: %s\n\nBlue.\n' "$question" | pr sendmail -t
exits 0 'the person answers' env POSTRIDER_CLOCK=+$((3 * DAY)) "$PR_BIN" --home "$HOME_DIR" serve --once
like "$(seen 2)" 'YOU WROTE.*Red or blue\?' 'it is shown what it had asked, out of Sent'
is "$(mails)" 2 'and ends'
ok 'with the answer' grep -rq 'Blue it is' "$HOME_DIR/mail/you/new"

# Its file is gone too: somebody has cleaned up.
answers <<'END'
{"status":"waiting","current_phase":"waiting","send_emails":[{"to":[],"subject":"","body":"Round or square?"}],"wait":{"for":"reply","until":"","then":"continue"}}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"subject":"","body":"Round it is."}]}
END
mail_in 'Shape it' <<<'please'
question=$(grep -l 'Round or square' $(got) | xargs grep -h '^Message-ID' | sed 's/.*: //')
for n in 5 6; do POSTRIDER_CLOCK=+$((n * DAY)) pr serve --once >/dev/null 2>&1; done
rm -rf "$HOME_DIR/mail/envoy/.Sent"
printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: Re: Shape it\nIn-Reply-To: %s\n\nRound.\n' "$question" | pr sendmail -t
exits 0 'without the copy it goes on as well' env POSTRIDER_CLOCK=+$((6 * DAY)) "$PR_BIN" --home "$HOME_DIR" serve --once
like "$(seen 2)" 'The text of this mail is gone' 'and is told'
ok 'to its end' grep -rq 'Round it is' "$HOME_DIR/mail/you/new"
done_testing
