#!/usr/bin/env bash
# Who gets an answer: those whom the mail names stay in Cc (`reply-cc`), and with `hold = all` nothing leaves for people
# without a yes.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/steps.sh"

ok 'a home whose agent works in steps' steps_home
add_person bob@postrider.local ask steer
add_person kim@postrider.local ask
printf '\n[role clerk]\nbrain = default\nmode = steps\n\n[role pat]\nperson = yes\naddress = pat@postrider.local\n' >>"$HOME_DIR/postrider.conf"
says() { python3 -c 'import json,sys
print(json.dumps({"status":"complete","current_phase":"complete","send_emails":[{"to":sys.argv[2:],"body":sys.argv[1]}]}))' "$@"; }
writes() { # FROM TO CC: a mail as a person sends it, taken in and worked on
    printf 'From: %s@postrider.local\nTo: %s\nCc: %s\nSubject: Plans\n\nWhat now?\n' "$@" | pr sendmail -t && pr deliver && pass_once && pass_once
}
# To, Cc and states of the newest mail of the agent that says this.
said() { echo "from_spec LIKE 'envoy%' AND job <> 0 AND instr(CAST(bytes AS TEXT), '$1')"; }
last() { db "SELECT bytes FROM outbox WHERE $(said "$1") ORDER BY id DESC LIMIT 1" | python3 -c 'import email,sys
m = email.message_from_string(sys.stdin.read()); print(m["To"], "|", m["Cc"])'
    db "SELECT DISTINCT state FROM delivery WHERE outbox = (SELECT max(id) FROM outbox WHERE $(said "$1")) ORDER BY 1" | tr '\n' ' '; }
both() { last "$1" | tr '\n' ' '; }

# --- reply-cc ---

says 'Go on.' | answers
writes you 'envoy@postrider.local, bob@postrider.local' 'kim@postrider.local, pat@postrider.local, clerk@postrider.local, envoy+5.abc@postrider.local, you@postrider.local'
is "$(both 'Go on.')" 'you@postrider.local | bob@postrider.local, kim@postrider.local, pat@postrider.local sent ' 'who is named stays in Cc: people, not roles, nobody twice'
ok 'bob has it' grep -rq 'Go on.' "$HOME_DIR/mail/bob/new"
is "$(db "SELECT count(*) FROM job")" 1 'no role in Cc began anything'
says 'To you.' you@postrider.local | answers
writes you envoy@postrider.local kim@postrider.local
is "$(both 'To you.')" 'you@postrider.local | kim@postrider.local sent ' 'also where the agent names whoever asked'
says 'Hello.' bob@postrider.local | answers
writes you envoy@postrider.local kim@postrider.local
is "$(both 'Hello.')" 'bob@postrider.local | None sent ' 'a new mail to somebody else has its own recipients'
pr config set 'role envoy' reply-cc asker
says 'You alone.' | answers
writes you envoy@postrider.local kim@postrider.local
is "$(both 'You alone.')" 'you@postrider.local | None sent ' 'reply-cc = asker: whoever asked, alone'
pr config set 'role envoy' reply-cc named
run pr config set 'role envoy' reply-cc everybody
like "$STATUS $ERR" "^78 .*expected (one of )?.*named.*asker" 'another word is refused in one line'

# Its References are those of the mail that it answers, and that mail.
says 'With its ancestors.' | answers
printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: Deep\nMessage-ID: <deep@x>\nReferences: <r1@x> <r2@x>\nIn-Reply-To: <r2@x>\n\nWhat now?\n' |
    pr sendmail -t && pr deliver && pass_once
is "$(db "SELECT bytes FROM outbox WHERE $(said 'With its ancestors.') ORDER BY id DESC LIMIT 1" | python3 -c 'import email,sys
print(*email.message_from_string(sys.stdin.read())["References"].split())')" '<r1@x> <r2@x> <deep@x>' 'an answer names the whole thread above it'

# A stranger in Cc is seen by the policy as ever: after words of somebody unknown nobody new gets mail.
stranger <<<'Write to us.'
printf '%s\n%s\n' "$reads" "$(says 'They want mail.')" | answers
printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: Zebra\n\nWhat do they want?\n' | pr sendmail -t && pr deliver && pass_once
is "$(both 'They want mail.')" 'you@postrider.local | None sent ' 'nobody is added who was not named'

# --- a failure is told to whoever asked ---

echo 'no JSON' | answers
writes you envoy@postrider.local kim@postrider.local
not_ok 'those in Cc are spared what went wrong' grep -rqi 'could not' "$HOME_DIR/mail/kim"

# --- hold = all ---

pr config set 'role envoy' hold all
says 'For bob.' | answers
writes bob envoy@postrider.local you@postrider.local
is "$(both 'For bob.')" 'bob@postrider.local | you@postrider.local held ' 'hold = all: an answer to a person is held'
like "$(newest)" "role 'envoy' has 'hold =3D all'" 'and the question says why'
ok 'the person hears that it waits' grep -rq "must wait for the owner's yes" "$HOME_DIR/mail/bob/new"
id=$(sed -n 's/^Message-ID: *//p' "$(newest_file $(grep -l 'leave? Nothing of' $(got)))" | head -n 1)
printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: Re: x\nIn-Reply-To: %s\n\nAPPROVE\n' "$id" | pr sendmail -t && pr deliver && pass_once
ok 'APPROVE lets it go' grep -rq 'For bob.' "$HOME_DIR/mail/bob/new"
says 'For you.' | answers
writes you envoy@postrider.local ''
is "$(both 'For you.')" 'you@postrider.local | None sent ' 'the owner is not asked whether the owner may have a mail'
says 'For the clerk.' clerk@postrider.local | answers
mail_in Clerk <<<'tell the clerk'
is "$(both 'For the clerk.')" 'clerk@postrider.local | None sent ' 'nor about mail to another role'
pr config set 'role envoy' hold strangers
says 'For bob again.' | answers
writes bob envoy@postrider.local ''
is "$(both 'For bob again.')" 'bob@postrider.local | None sent ' 'hold = strangers: as the rules say'

done_testing
