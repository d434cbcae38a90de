#!/usr/bin/env bash
# An answer that waits for a person's yes: what it answers stays in Active on the server, and is \Answered when it may leave,
# not before.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/imap.sh"

imap_start
imap_home
cat >>"$HOME_DIR/postrider.conf" <<'END'

[person bob]
address = bob@postrider.local
may = ask
END
pr config set 'brain default' command scripts/think
pr config set 'role envoy' mode steps
cat >"$HOME_DIR/scripts/think" <<'END'
#!/bin/sh
cat >/dev/null
echo '{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"See https://evil.example/?q=SECRET"}]}'
END
chmod +x "$HOME_DIR/scripts/think"
flags_of() { box list postrider/Done | sed -n "$1s/^[0-9]* *//p"; }
pass_all() { pr account work --once && pr serve --once >/dev/null && pr account work --once; } 2>>"$WORK/log"
held() { db "SELECT max(outbox) FROM delivery WHERE state = 'held' AND folder = ''"; }

pass_all
box send 1 bob@postrider.local agent@test.example typed
pass_all
isnt "$(held)" '' 'the answer is held'
ok 'what it answers is in hand, on the server' box_has postrider/Active typed
unlike "$(box list postrider/Active)" 'Answered' 'and not answered'
exits 0 'approve' pr approve "$(held)"
pass_all
like "$(flags_of 1)" 'Answered.*Seen|Seen.*Answered' 'approved on the command line: done, seen and answered'
ok 'here as well' ls "$HOME_DIR"/mail/envoy/.Done/cur/*:2,RS

box send 1 bob@postrider.local agent@test.example mailed
pass_all
unlike "$(box list postrider/Active)" 'Answered' 'another one is not answered'
question=$(db "SELECT '<' || msgid || '>' FROM question ORDER BY id DESC LIMIT 1")
printf 'From: you@postrider.local\nTo: agent@test.example\nSubject: Re: x\nIn-Reply-To: %s\n\nAPPROVE\n' "$question" | pr sendmail -t
pass_all
pass_all
like "$(flags_of 2)" 'Answered' 'approved by mail: answered'
box send 1 bob@postrider.local agent@test.example refused
pass_all
exits 0 'reject' pr reject "$(held)"
pass_all
ok 'rejected: nothing is to leave any more, so it is done' box_has postrider/Done refused
unlike "$(flags_of 3)" 'Answered' 'and not answered'
ok 'nothing is owed' nothing_owed
is "$(box subjects postrider/Done | sort | tr '\n' ' ')" 'mailed refused typed ' 'each mail is there once'
exits 0 'doctor finds nothing' pr doctor
done_testing
