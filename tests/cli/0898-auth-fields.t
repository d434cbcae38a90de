#!/usr/bin/env bash
# One Authentication-Results field speaks: a second one below the server's own proves nothing, and where the setting that counts
# it would have proved a mail, trace and status name it.
. "$(dirname "$0")/../lib/tap.sh"

pr init >/dev/null
pr config set postrider owner ann@example.org
pr config set trust authserv-id mail.me.example
N=0
come() { # FIELD...: a mail of the owner with these results above the border
    N=$((N + 1))
    { for f in "$@"; do echo "Authentication-Results: mail.me.example; $f"; done
      printf '%s\n' 'Received: from mail.example.org (mail.example.org [203.0.113.5]) by mail.me.example (Postfix) with ESMTPS id 1;' \
          'From: Ann <ann@example.org>' 'To: envoy@postrider.local' "Subject: mail $N" "Message-ID: <m$N@example.org>" \
          'Date: Sun, 15 Nov 2026 10:00:00 +0000' '' 'please'; } >"$HOME_DIR/mail/envoy/new/$N.x"
    run pr serve --once
}
became() { db "SELECT state || ' ' || coalesce(why, '') FROM message WHERE msgid = 'm$N@example.org'"; }
fail='spf=fail smtp.mailfrom=x@evil.example'
pass='dmarc=pass header.from=example.org'

come "$pass"
like "$(became)" '^handled' 'what the first field proves is work'
run pr status
unlike "$OUT" 'authserv-fields' 'status has nothing to say'
come "$fail" "$pass"
like "$(became)" '^held unproven' 'what only the second proves is held'
ok 'its trace' pr mail trace "<m$N@example.org>"
like "$OUT" 'a later field says dmarc, which counts with \[trust\] authserv-fields = several' 'names the setting'
run pr status
like "$OUT" "first Authentication-Results field, but by a later one .see: postrider mail trace '<m$N@example.org>'.*config set trust authserv-fields several; else set it to one" 'status too'
pr config set trust authserv-fields one
run pr status
unlike "$OUT" 'authserv-fields' 'until it is set'
come "$fail" "$pass"
like "$(became)" '^held unproven' 'one: as before'
pr config set trust authserv-fields several
come "$fail" "$pass"
like "$(became)" '^handled' 'several: the second counts for what the first does not name'
come "dmarc=none header.from=example.org; dkim=none; $fail" "$pass"
like "$(became)" '^held unproven' 'and for nothing that the first names'
exits 78 'neither one nor several' pr config set trust authserv-fields two

printf '\n[account fm]\nkind = imap\npreset = fastmail\nuser = x@fastmail.com\nrole = envoy\n' >>"$HOME_DIR/postrider.conf"
sed -i '/^authserv-fields/d' "$HOME_DIR/postrider.conf"
like "$(pr config show)" 'authserv-fields += +several' 'an account of Fastmail has several'

done_testing
