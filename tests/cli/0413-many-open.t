#!/usr/bin/env bash
# One answer to a whole heap of mails on one thread, which came while nobody ran: it names what it settles, so that
# none of them is answered again when the store is lost.
. "$(dirname "$0")/../lib/tap.sh"

heap() # N LENGTH: so many mails on one thread, with ids of that length
{
    python3 - "$HOME_DIR/mail/envoy/new" "$1" "$2" <<'P'
import sys
folder, n, length = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
ids = [f'{i}.'.ljust(length - 9, 'x') + '@y.example' for i in range(n)]
for i, id in enumerate(ids):
    above = f'In-Reply-To: <{ids[0]}>\nReferences: <{ids[0]}>\n' if i else ''
    with open(f'{folder}/{i}.h', 'w') as f:
        f.write(f'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: heap\nMessage-ID: <{id}>\n{above}\nthought {i}\n')
P
}
answers() { grep -rl '^Subject: Re: heap' "$HOME_DIR/mail/you/new" 2>/dev/null | wc -l; }
states() { db "SELECT state || ' ' || count(*) FROM message WHERE role = 'envoy' AND subject = 'heap' AND folder <> 'Sent' GROUP BY state"; }
home() { rm -rf "$HOME_DIR"; pr init >/dev/null; pr config set trust require-auth none >/dev/null; }
again() { find "$HOME_DIR/mail/envoy/.Done/cur" -type f -exec mv -t "$HOME_DIR/mail/envoy/cur" {} +; } # as if never filed

home
heap 120 90
exits 0 '120 mails of one thread are read' pr serve --once
is "$(answers)" 1 'and have one answer'
is "$(states)" 'handled 120' 'which settles them all'
again
rm -rf "$HOME_DIR/state"
exits 0 'the store is lost, and they lie in INBOX' pr serve --once
is "$(states)" 'handled 120' 'the answer in Sent proves each of them answered'
is "$(answers)" 1 'and none is answered again'

# More than a header holds.
home
heap 450 150
exits 0 '450 mails with long ids are read' pr serve --once
is "$(answers)" 1 'and have one answer'
is "$(states)" 'handled 450' 'which settles them all'
python3 - "$(grep -rl '^Subject: Re: heap' "$HOME_DIR/mail/you/new")" <<'P'
import email, email.policy, sys
m = email.message_from_binary_file(open(sys.argv[1], 'rb'), policy=email.policy.compat32)
ids = m['X-Postrider-Settles'].split()
assert 250 < len(ids) < 450 and all(i[0] == '<' and i[-1] == '>' for i in ids), len(ids)
P
is $? 0 'and names as many as fit'
done_testing
