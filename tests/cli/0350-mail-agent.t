#!/usr/bin/env bash
# mail inside a program agent: through the port of its run, and only what its role may see.
. "$(dirname "$0")/../lib/tap.sh"

pr init >/dev/null
printf 'From: x@evil.example\nTo: envoy@postrider.local\nMessage-ID: <held@x>\nSubject: held one\n\nsecret\n' >"$HOME_DIR/mail/envoy/new/1"
cat >"$HOME_DIR/scripts/hello" <<END
#!/bin/sh
exec 2>&1
p='$PR_BIN'
t() { echo "[\$*]"; "\$p" "\$@"; echo "[status \$?]"; }
t mail list
t --json mail list --limit 1
t mail thread
id=\$("\$p" --json mail list | sed -n 's/.*"message_id": "\(.*\)",/\1/p' | head -n 1)
t mail show "\$id"
t mail show '<held@x>'
t mail list --state held
t mail thread "\$id"
t mail show --raw "\$id"
t mail search see
t mail search secret
t mail trace "\$id"
END
ok 'an agent that looks around' pr ask 'what do you see'
part() { printf '%s\n' "$SEEN" | awk -v want="[$1" 'index($0, want) == 1 {on = 1; next} on && /^\[status/ {print; exit} on'; }
SEEN=$OUT
like "$(part 'mail list]')" 'what do you see.*status 0' 'it has its mail'
unlike "$SEEN" 'held one' 'but not what is held'
unlike "$SEEN" 'secret$' 'nor its text'
like "$(part '--json mail list --limit 1]')" '"message_id".*status 0' 'as JSON too'
like "$(part 'mail thread]')" 'what do you see.*status 0' 'it has its thread'
like "$(part 'mail show <1')" 'Message-ID: .*what do you see.*status 0' 'it reads a mail'
like "$(part 'mail show <held@x>]')" 'status 66' 'held mail looks like none'
like "$(part 'mail list --state held]')" 'status 64' 'it can not ask for it'
like "$(part 'mail thread <')" 'status 64' 'it has one thread'
like "$(part 'mail show --raw <')" 'status 77' 'no raw bytes'
like "$(part 'mail search see]')" 'what do you see.*status 0' 'it can search its mail'
like "$(part 'mail search secret]')" '^no mail.*status 0' 'where held mail is not found'
like "$(part 'mail trace <')" 'status 77' 'no trace'

done_testing
