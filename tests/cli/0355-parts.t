#!/usr/bin/env bash
# What a mail holds beside its text: listed, readable where it is text, and read on in pages.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/steps.sh"

json() { python3 -c 'import json,sys; d=json.loads(sys.argv[1]); print(eval(sys.argv[2]))' "$OUT" "$1"; }
digests() { for n in "$@"; do pr show "$n" --context 2>/dev/null | sha256sum | cut -c1-64; done; }
kept() { for n in "$@"; do pr --json show "$n" --context 2>/dev/null | sed -n 's/.*"sha256": "\([0-9a-f]\{64\}\)",$/\1/p' | sed -n 1p; done; }
drop() { cat >"$HOME_DIR/mail/envoy/tmp/$1" && mv "$HOME_DIR/mail/envoy/tmp/$1" "$HOME_DIR/mail/envoy/new/$1"; }

# Mail as programs really write it; each is one of the names here.
mail()
{
    python3 - "$1" <<'P'
import binascii, sys
from email.message import EmailMessage, MIMEPart
from email.mime.message import MIMEMessage
m = EmailMessage()
m['From'], m['To'], m['Subject'], m['Message-ID'] = 'you@postrider.local', 'envoy@postrider.local', sys.argv[1], f'<{sys.argv[1]}@x>'
def nameless(kind, data):
    p = MIMEPart()
    p.set_content(data, *kind.split('/'))
    if not m.is_multipart(): m.make_mixed()
    m.attach(p)
if sys.argv[1] == 'photo':
    m.set_content(b'\xff\xd8\xff\xe0', 'image', 'jpeg')
elif sys.argv[1] == 'parts':
    m.set_content('Please look.\n')
    nameless('image/jpeg', b'\xff\xd8\xff\xe0')
    nameless('application/pdf', b'%PDF-1.7\n\x00')
    inner = EmailMessage()
    inner['From'], inner['Date'], inner['Subject'] = 'Bo <bo@far.example>', 'Mon, 16 Nov 2026 09:00:00 +0000', 'The inner one'
    inner.set_content('What Bo wrote.\n')
    inner.add_attachment('a;b\n1;2\n', filename='bo.csv')
    m.attach(MIMEMessage(inner))
    for name, kind, data in (('table.csv', 'text/csv', 'x;y\nGrüße;2\n'.encode('latin-1')), ('run.log', 'application/octet-stream', b'at nine: all well\n'),
                             ('Makefile', 'application/x-stuff', b'all:\n\ttrue\n'), ('q.sql', 'application/sql', b'select 42;\n'),
                             ('t.toml', 'application/toml', b'[t]\n'), ('n.ipynb', 'application/x-ipynb+json', b'{"cells": []}\n'),
                             ('fix.patch', 'text/x-diff', b'-a\n+b\n'), ('day.ics', 'text/calendar', b'BEGIN:VCALENDAR\n'),
                             ('d.xml', 'application/xml', b'<d/>\n'), ('tool.exe', 'application/octet-stream', b'MZ\x00\x01')):
        m.add_attachment(data, *kind.split('/'), filename=name)
elif sys.argv[1] == 'long':
    m.set_content('A long one.\n')
    m.add_attachment(''.join(f'line {i:05}\n' for i in range(3000)).encode(), 'text', 'x-log', filename='long.log')
elif sys.argv[1] == 'uu':
    line = binascii.b2a_uu(b'the old way').decode()
    m.set_content(f'Attached, the old way.\n\nbegin 644 old.txt\n{line}`\nend\n')
elif sys.argv[1] == 'names':
    m['Content-Type'] = 'multipart/mixed; boundary=b'
    names = ('=".."', '=CON', "*=utf-8''new%0Aline.txt", '="' + 'x' * 300 + '.txt"', '="a/../../b.txt"',
             "*=utf-8''%C3%A4.txt; filename*=iso-8859-1''%F6.txt")
    m.set_payload('--b\n\nOdd names.\n' + ''.join(f'--b\nContent-Disposition: attachment; filename{n}\n\nodd\n' for n in names) + '--b--\n')
sys.stdout.buffer.write(m.as_bytes())
P
}

# --- nothing is invisible ---

ok 'a home whose agent works in steps' steps_home
pr config set 'role envoy' max-iterations 9
answers <<<"$done_now"
mail photo | pr inject --run >/dev/null
like "$(seen 1)" 'available attachment: filename part-1.jpg, content_type image/jpeg, size_bytes 4, readable false' 'a mail that is a photo lists it'
like "$(seen 1)" '\(This mail has no text. It holds: part-1.jpg \(image/jpeg, 4 B[a-z]*\).\)' 'and says that it has no text'

files='"part-4.eml","bo.csv","table.csv","run.log","Makefile","q.sql","t.toml","n.ipynb","fix.patch","day.ics","d.xml","tool.exe","part-3.pdf"'
python3 - "$files" "$done_now" <<'P' | answers
import json, sys
print(json.dumps({'status': 'continue', 'current_phase': 'gathering',
                  'read_attachments': [{'message_id': '<parts@x>', 'filename': f, 'offset': None} for f in json.loads(f'[{sys.argv[1]}]')]}))
print(sys.argv[2])
P
mail parts | pr inject --run >/dev/null
like "$(seen 1)" 'filename part-2.jpg, content_type image/jpeg, size_bytes 4, readable false' 'a photo without a name'
like "$(seen 1)" 'filename part-3.pdf, content_type application/pdf, size_bytes 10, readable false' 'a paper without a name'
like "$(seen 1)" 'filename part-4.eml, content_type message/rfc822, size_bytes [0-9]+, readable true' 'a forwarded mail'
like "$(seen 1)" 'filename bo.csv, content_type text/plain, size_bytes 8, readable true, within part-4.eml' 'and its attachment'
like "$(seen 1)" 'filename tool.exe, .* readable false' 'a program is not readable'
unlike "$(seen 1)" 'What Bo wrote' 'the forwarded words are not those of the sender'
for f in 'table.csv.*Grüße;2' 'run.log.*all well' 'Makefile.*true' 'q.sql.*select 42' 't.toml.*\[t\]' 'n.ipynb.*"cells"' 'fix.patch.*\+b' \
    'day.ics.*BEGIN:VCALENDAR' 'd.xml.*<d/>' 'bo.csv.*1;2'; do
    like "$(seen 2)" "=== ATTACHMENT: $f" "read: ${f%%.\**}"
done
like "$(seen 2)" '=== ATTACHMENT: part-4.eml .*From: Bo <bo@far.example>.*Date: .*Subject: The inner one.*available attachment: filename bo.csv.*What Bo wrote' \
    'a forwarded mail is read as a mail'
like "$(results 2)" 'UNSUPPORTED: ATTACHMENT tool.exe' 'a program is not'
like "$(results 2)" 'UNSUPPORTED: ATTACHMENT part-3.pdf' 'nor a paper for a brain that takes none'
is "$(digests 2@1 2@2)" "$(kept 2@1 2@2)" '--context builds it again'
run pr --json mail show '<parts@x>'
is "$(json '[(a["filename"], a["readable"], a.get("within")) for a in d["available_attachments"]][:4]')" \
    "[('part-2.jpg', False, None), ('part-3.pdf', False, None), ('part-4.eml', True, None), ('bo.csv', True, 'part-4.eml')]" 'mail show lists them'
is "$(pr mail show '<parts@x>' --attachment bo.csv)" $'a;b\n1;2' 'and prints one of the forwarded mail'

answers <<END
{"status":"continue","current_phase":"gathering","read_attachments":[{"message_id":"<uu@x>","filename":"old.txt"}]}
$done_now
END
mail uu | pr inject --run >/dev/null
like "$(seen 1)" 'filename old.txt, content_type text/plain, size_bytes 11, readable true' 'uuencode in a text is a file'
unlike "$(seen 1)" 'begin 644' 'and not text'
like "$(seen 2)" '=== ATTACHMENT: old.txt .*the old way' 'which can be read'

answers <<<"$done_now"
mail names | pr inject --run >/dev/null
run pr --json mail show '<names@x>'
is "$(json '[a["filename"][:20] for a in d["available_attachments"]], max(len(a["filename"]) for a in d["available_attachments"])')" \
    "(['part-2.txt', '_CON', 'newline.txt', 'xxxxxxxxxxxxxxxxxxxx', 'b.txt', 'ä.txt'], 200)" 'odd names are safe ones'

# --- in pages ---

pr config set 'brain default' context-bytes 24k
python3 -c 'print("".join(f"word {i:05}\n" for i in range(3000)), end="")' | pr note put big/note >/dev/null
answers <<END
{"status":"continue","current_phase":"gathering","read_attachments":[{"message_id":"<long@x>","filename":"long.log","offset":0}]}
{"status":"continue","current_phase":"gathering","read_attachments":[{"message_id":"<long@x>","filename":"long.log","offset":22000}]}
{"status":"continue","current_phase":"gathering","add_notes":["big/note"],"read_attachments":[{"message_id":"<long@x>","filename":"long.log","offset":99999}]}
{"status":"continue","current_phase":"gathering","add_notes":["big/note@11000"]}
{"status":"continue","current_phase":"gathering","add_notes":["big/note@99999"],"drop":["<long@x>"]}
$done_now
END
pr config set 'role envoy' max-iterations 2
mail long | pr inject --run >/dev/null
first=$(seen 2 | sed -n 's/.*cut: bytes 0 to \([0-9]*\) of 33000; to read on: read_attachments, the same filename, offset \1\]$/\1/p')
ok 'a long attachment is cut, and says how to read on' test -n "$first"
ok 'a run ends, the next goes on' pr resume --run
like "$(seen 3)" '=== ATTACHMENT: long.log from byte 22000 \(from <long@x>\) \[[^]]*\] ===.line 02000.' 'a page begins where it was asked for'
unlike "$(seen 3)" 'line 00001' 'and takes the place of the one before'
like "$(seen 4)" 'ATTACHMENT: long.log from byte 22000' 'one behind the end does not'
like "$(results 4)" 'long.log of <long@x> has 33000 bytes: there is nothing at 99999' 'and is said to be none'
ok 'and once more' pr resume --run
like "$(seen 4)" 'NOTE: big/note \(version 1.*to read on: add_notes, big/note@[0-9]+\]' 'a note that is cut says how to read on'
like "$(seen 5)" 'NOTE: big/note from byte 11000 \(version 1, by operator\) \[[^]]*\] ===.word 01000.' 'KEY@BYTES reads on'
like "$(results 6)" 'note big/note has 33000 bytes: there is nothing at 99999' 'not behind its end'
job=$(last_job)
is "$(digests "$job@2" "$job@3" "$job@4" "$job@5" "$job@6")" "$(kept "$job@2" "$job@3" "$job@4" "$job@5" "$job@6")" '--context builds every page again'

# --- too large ---

pr config set postrider max-message 10k
{ printf 'From: Ann <ann@far.example>\nTo: envoy@postrider.local\nDate: Mon, 16 Nov 2026 09:00:00 +0000\nSubject: =?utf-8?q?A_gro=C3=9Fes_file?=\nMessage-ID: <huge@far.example>\n\n'
  head -c 20000 /dev/zero | tr '\0' 'a'; } | drop huge
ok 'a mail over the limit' pr serve --once
run pr --json mail list --state held
is "$(json '[(m["from"], m["subject"], m["date"], m["why"]) for m in d if m["message_id"] == "<huge@far.example>"]')" \
    "[('Ann <ann@far.example>', 'A großes file', '2026-11-16T09:00:00Z', 'too_large')]" 'is held with its headers read'
run pr mail show '<huge@far.example>'
like "$OUT" 'From: .*ann@far.example.*Subject: A großes file.*\(larger than max-message: only its headers were read\)' 'and shown'
exits 65 'it can not be released' pr doctor --release '<huge@far.example>'
like "$ERR" 'only the headers are here: it is larger than max-message' 'one line says why'
pr config set postrider max-message 50m
like "$(pr mail show '<huge@far.example>')" 'aaaaaaaa' 'with a higher limit it is shown whole'

done_testing
