#!/usr/bin/env bash
# postrider sendmail takes what programs hand to a sendmail.
. "$(dirname "$0")/../lib/tap.sh"

rcpts() { db "SELECT group_concat(address, ' ') FROM (SELECT address FROM delivery WHERE outbox = (SELECT max(id) FROM outbox) ORDER BY id)"; }
bytes() { db "SELECT CAST(bytes AS TEXT) FROM outbox ORDER BY id DESC LIMIT 1"; }

ok 'a home' pr init
printf 'From: you@postrider.local\nTo: envoy@postrider.local\nBcc: Kim <kim@example.org>,\n lee@example.org\nSubject: x\n\nhidden\n' >"$WORK/mail"
ok 'a mail with Bcc' bash -c '"$1" --home "$2" sendmail -t <"$3"' - "$PR_BIN" "$HOME_DIR" "$WORK/mail"
is "$(rcpts)" 'envoy@postrider.local kim@example.org lee@example.org' 'goes to all of them'
unlike "$(bytes)" 'example.org' 'and names them to nobody'

# MAIL [ARG]...
sends() { local mail=$1; shift; printf "$mail" | pr sendmail "$@" >"$WORK/out" 2>&1; }
gets_task() { # SUBJECT WORD DESC: envoy has it as work of the owner
    pr serve --once >"$WORK/log" 2>&1
    is "$(db "SELECT from_spec || ' ' || state FROM message WHERE subject = '$1'")" 'you@postrider.local handled' "$3"
    ok "$3: with its text" grep -rq "$2" "$HOME_DIR/mail/envoy/.Done"
}
user=$(id -un)

# As cron writes: a bare name with a comment, the user's name as recipient, no Date.
cron='From: root (Cron Daemon)\nTo: envoy\nSubject: Cron <root@host> job\nContent-Type: text/plain; charset=UTF-8\nX-Cron-Env: <LOGNAME=root>\n\nthe disk is full\n'
ok 'cron: a comment as name, a bare role' sends "$cron" -FCronDaemon -i -B8BITMIME -oem envoy
like "$(bytes)" 'From: Cron Daemon <you@postrider.local>' 'the comment is the name, the user the sender'
like "$(bytes)" 'To: envoy@postrider.local' 'the role has its address'
like "$(bytes)" 'Date: ' 'and a date is there'
gets_task 'Cron <root@host> job' 'the disk is full' 'what cron wrote is work'
ok 'cron: the user is the owner' sends 'From: root (Cron Daemon)\nTo: '"$user"'\nSubject: for me\n\nx\n' -i "$user"
is "$(rcpts)" you@postrider.local 'who gets it'

# As s-nail writes: no From.
ok 's-nail: no From' sends 'Date: Sun, 15 Nov 2026 09:30:00 +0000\nTo: envoy\nSubject: s-nail\n\nwater the plants\n' -i envoy
gets_task s-nail 'water the plants' 'what s-nail wrote is work'
is "$(bytes | grep -c '^Date:')" 1 'its date stays the only one'

ok 'a role in capitals' sends 'From: you@postrider.local\nTo: ENVOY@Postrider.Local\nSubject: loud\n\nwash the car\n' -t
gets_task loud 'wash the car' 'is the role'

ok 'no headers at all' sends 'feed the cat\nand the dog\n' envoy
gets_task '' 'and the dog' 'a text alone is work'
ok 'a text with a colon in its second line' sends 'feed the cat\nnote: and the dog\n' envoy
like "$(bytes)" 'To: envoy@postrider.local
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 8bit

feed the cat
note: and the dog' 'is a body'
ok 'a text alone for two' sends 'walk the dog\n' envoy you
is "$(rcpts)" 'envoy@postrider.local you@postrider.local' 'goes to both'
ok 'bare names in -t' sends 'To: Envoy <envoy>, "Lee, Kim" <kim@example.org>, you\nBcc: envoy (hidden), lee@example.org\nSubject: bare\n\nx\n' -t
is "$(rcpts)" 'envoy@postrider.local kim@example.org you@postrider.local lee@example.org' 'are people and roles, once each'
like "$(bytes)" 'To: Envoy <envoy@postrider.local>, "Lee, Kim" <kim@example.org>,
 you@postrider.local' 'and the others stay'
ok 'hidden recipients' sends 'From: you@postrider.local\nSubject: h\n\nx\n' envoy@postrider.local kim@example.org
unlike "$(bytes)" 'example.org' 'stay hidden'
n=$(db 'SELECT count(*) FROM outbox')
not_ok 'a name that is nobody' sends 'To: nosuch\n\nx\n' -t
is "$(cat "$WORK/out")" "postrider: 'nosuch' is no address, and nobody's name here" 'is named'
not_ok 'nor as operand' sends 'Subject: y\n\nx\n' nosuch
not_ok 'a name of our domain that nobody has' sends 'To: you@postrider.local, envoi@postrider.local\n\nx\n' -t
is "$(cat "$WORK/out")" "postrider: sendmail: nobody here is 'envoi@postrider.local'; did you mean 'envoy@postrider.local'?" 'is told the nearest'
not_ok 'nor as operand' sends 'Subject: y\n\nx\n' you nosuch@Postrider.Local
not_ok 'a header block that is broken in its middle' sends 'To: envoy\nhello\n\nx' -t
is "$(db 'SELECT count(*) FROM outbox')" "$n" 'and nothing is sent'

done_testing
