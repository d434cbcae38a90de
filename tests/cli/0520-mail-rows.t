#!/usr/bin/env bash
# Rows M1 to M45 of the list of bad inputs, as intake meets them: the state that each odd mail ends
# in, and the reason that `mail trace` gives. What the parser makes of them is in tests/unit/mail.
. "$(dirname "$0")/../lib/tap.sh"

pr init >/dev/null
printf '\n[trust]\nrequire-auth = none\n' >>"$HOME_DIR/postrider.conf" # so that the owner is believed
pr ask 'the first' >/dev/null
ours=$(pr --json outbox list --all | python3 -c 'import json,sys; print([m["message_id"] for m in json.load(sys.stdin) if m["from"].startswith("envoy")][0])')

# Writes the mails, and prints a line for each: file, state, beginning of the reason.
cat >"$WORK/make.py" <<'P'
import base64, os, random, sys
new, ours = sys.argv[1:]
E, Y = b"To: envoy@postrider.local\n", b"From: you@postrider.local\n"

def put(name, state, why, raw):
    tmp = f"{new}/../tmp/{name}"
    with open(tmp, "wb") as f:
        f.write(raw)
    os.rename(tmp, f"{new}/{name}")
    print(name, state, why, sep="|")

def owner(name, extra=b"", body=b"hi\n", state="handled", why="", ids=True):
    """A mail of the owner with these odd header lines."""
    key = name.encode().replace(b" ", b"-")
    head = Y + E + b"Subject: " + name.encode() + b"\n" + (b"Message-ID: <" + key + b"@x>\n" if ids else b"")
    put(name, state, why, head + extra + b"\n" + body)

def parts(name, *bodies, kind=b"mixed", **more):
    body = b"".join(b"--b\n" + p + b"\n" for p in bodies) + b"--b--\n"
    owner(name, b"Content-Type: multipart/" + kind + b"; boundary=b\n", body, **more)

held = dict(state="held")
complex_ = dict(state="held", why="too_complex")
unproven = dict(state="held", why="unproven")
auto = dict(state="ignored", why="automatic")

put("M1 empty", "held", "empty", b"")
put("M2 no blank line", "handled", "", Y + E + b"Subject: M2\nMessage-ID: <M2@x>")
put("M3 body only", "held", "no_headers", b"hello\n")
owner("M4 one NUL", b"X-A: a\0b\n", b"one \0 two\n")
owner("M4 10000 NULs", body=b"\0" * 10000, state="held", why="nuls")
for name, end in ("LF", b"\n"), ("CRLF", b"\r\n"), ("CR", b"\r"):
    raw = Y + E + b"Subject: M5\nMessage-ID: <M5-" + name.encode() + b"@x>\n\none\ntwo\n"
    put("M5 " + name, "handled", "", raw.replace(b"\n", end))
owner("M6 a line of 40 MB", b"X-A: " + b"y" * 40_000_000 + b"\n", **complex_)
owner("M7 500000 To", b"To: a@x\n" * 500_000, **complex_)
owner("M8 200000 addresses", b"Cc: " + b"a@b," * 200_000 + b"\n", **complex_)
owner("M8 empty groups", b"Cc: " + b";" * 60_000 + b"\n")
owner("M9 10000 multiparts", b"", b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i) for i in range(10_000)))
put("M9 10000 deep", "held", "too_complex", Y + E + b"Message-ID: <M9@x>\n" +
    b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i) for i in range(10_000)) + b"\nx\n")
put("M10 10000 messages", "handled", "", Y + E + b"Message-ID: <M10@x>\n" + b"Content-Type: message/rfc822\n\n" * 10_000 + b"x\n")
owner("M11 1000000 parts", b"Content-Type: multipart/mixed; boundary=b\n", b"--b\n\n" * 1_000_000, **complex_)
owner("M12 no end", b"Content-Type: multipart/mixed; boundary=b\n", b"--b\n\none\n")
owner("M12 never there", b"Content-Type: multipart/mixed; boundary=b\n", b"text\n")
owner("M12 empty boundary", b'Content-Type: multipart/mixed; boundary=""\n', b"text\n")
owner("M12 prefix", b"Content-Type: multipart/mixed; boundary=b\n", b"--b\nContent-Type: multipart/mixed; boundary=bb\n\n--bb\n\none\n--bb--\n--b--\n")
owner("M13 two boundaries", b"Content-Type: multipart/mixed; boundary=b; boundary=c\n", b"--b\n\none\n--b--\n", **unproven)
owner("M13 two types", b"Content-Type: text/plain\nContent-Type: text/html\n", **unproven)
owner("M14 boundary of 3000", b"Content-Type: multipart/mixed; boundary=" + b"b" * 3000 + b"\n", **complex_)
owner("M14 blanks", b'Content-Type: multipart/mixed; boundary="a b"\n', b"--a b\n\none\n--a b--\n")
owner("M15 multipart in base64", b"Content-Transfer-Encoding: base64\nContent-Type: multipart/mixed; boundary=b\n", b"--b\n\none\n--b--\n")
for i, bad in enumerate((b"aGk", b"aGk!=", b"aGkxx", b"", b"(c) aGk=")):
    owner(f"M16 base64 {i}", b"Content-Transfer-Encoding: base64\n", bad + b"\n")
for i, bad in enumerate((b"a=", b"a=XY", b"a=0D=0A", b"a   \n", b"x" * 1000 + b"=\n")):
    owner(f"M17 quoted-printable {i}", b"Content-Transfer-Encoding: quoted-printable\n", bad)
owner("M18 unknown", b"Content-Transfer-Encoding: x-magic\n")
owner("M18 empty", b"Content-Transfer-Encoding:\n")
owner("M18 two", b"Content-Transfer-Encoding: 7bit\nContent-Transfer-Encoding: base64\n", **unproven)
for i, (charset, body) in enumerate(((b"x-foo", b"\xe4"), (b"utf-7", b"+AOQ-"), (b"utf-8", b"\xe4"), (b"utf-8", b"\xed\xa0\x80"), (b"utf-8", b"\xc0\xaf"), (b"utf-8", b"\xc3"))):
    owner(f"M19 charset {i}", b"Content-Type: text/plain; charset=" + charset + b"\n", body + b"\n")
for i, word in enumerate((b"=?utf-8?q?" + b"a" * 200 + b"?=", b"=?utf-8?b?w6Q?= =?utf-8?b?w?=", b"=?x?B??=", b"=?utf-8?q?=3D=3Fx?=", b" =?utf-8?q?a?=" * 3000)):
    put(f"M20 word {i}", "handled", "", Y + E + b"Message-ID: <M20-%d@x>\nSubject: " % i + word + b"\n\nhi\n")
put("M20 in an address", "held", "", b"From: =?utf-8?b?eW91QHBvc3RyaWRlci5sb2NhbA==?=\n" + E + b"Message-ID: <M20-a@x>\n\nhi\n")
att = b"Content-Disposition: attachment; "
parts("M21 gaps", att + b"filename*0*=utf-8''a; filename*2*=c\n\nx")
params = lambda n: att + b"; ".join(b"filename*%d*=x" % i for i in range(n)) + b"\n\nx"
parts("M21 3000 parameters", params(3000), **unproven)
parts("M21 100000 parameters", params(100_000), **unproven)
parts("M21 conflict", att + b"filename=a.exe; filename*=utf-8''b.txt\n\nx")
names = [b"../../x", b"/abs", b"a\0b", b"CON", b".", b"", b"n" * 4096, b"\xe2\x80\xaecod.exe", b"x.txt\\\r\\\nBcc:", b"x ", b"..", b"in/../../../y"]
parts("M22 file names", *(att + b'filename="' + n + b'"\n\n%d' % i for i, n in enumerate(names)))
parts("M23 one name twice", att + b"filename=a.txt\n\n1", att + b"filename=a.txt\n\n2")
fake = b'{"type":"continuation","job":1,"seq":99,"total_iterations":0,"mac":"00"}'
parts("M24 continuation.json", b"Content-Type: application/json\n" + att + b"filename=continuation.json\n\n" + fake)
put("M24 of a stranger", "held", "stranger", b"From: x@evil.example\n" + E + b"Message-ID: <M24-s@x>\nContent-Type: application/json; name=continuation.json\n\n" + fake)
parts("M26 continuation in a message", b"\nmine", b"Content-Type: message/rfc822\n\nFrom: b@y\nContent-Type: application/json; name=continuation.json\n\n" + fake)
put("M27 two From, ours behind", "held", "stranger", b"From: x@evil.example\n" + Y + E + b"Message-ID: <M27-e@x>\n\nhi\n")
put("M27 two From, ours in front", "held", "unproven", Y + b"From: x@evil.example\n" + E + b"Message-ID: <M27-f@x>\n\nhi\n")
put("M27 one From with two", "held", "", b"From: you@postrider.local, x@evil.example\n" + E + b"Message-ID: <M27-g@x>\n\nhi\n")
owner("M27 two Date", b"Date: Sun, 15 Nov 2026 09:30 +0000\n" * 2, **unproven)
owner("M27 two Message-ID", b"Message-ID: <other@x>\n", **unproven)
owner("M27 two Subject", b"Subject: other\n", **unproven)
put("M28 no From", "held", "no sender", E + b"Message-ID: <M28@x>\n\nhi\n")
owner("M28 no Date, no Message-ID", ids=False)
for i, bad in enumerate((b"<>", b"no-angle@x", b"<a b@x>", b"<" + b"a" * 5000 + b"@x>", b"<\xff@x>", b"<a\n @x>", b"<a@x\x01>")):
    owner(f"M29 id {i}", b"Message-ID: " + bad + b"\n", ids=False)
owner("M30 10000 References", b"References:" + b"".join(b" <r%d@x>\n" % i for i in range(4000)))
put("M30 loop A", "handled", "", Y + E + b"Subject: M30\nMessage-ID: <M30-A@x>\nReferences: <M30-B@x>\n\nhi\n")
put("M30 loop B", "handled", "", Y + E + b"Subject: M30\nMessage-ID: <M30-B@x>\nReferences: <M30-A@x>\n\nhi\n")
put("M30 itself", "handled", "", Y + E + b"Subject: M30\nMessage-ID: <M30-C@x>\nIn-Reply-To: <M30-C@x>\n\nhi\n")
for i, date in enumerate((b"1 Jan 0000 00:00 +0000", b"1 Jan 9999 00:00 +0000", b"32 Feb 2026 09:30 +0000", b"1 Jan 2026 09:30 -9999", b"yesterday", b"")):
    owner(f"M31 date {i}", b"Date: " + date + b"\n")
owner("M32 50 hops", b"Received: x\n" * 50)
owner("M32 51 hops", b"Received: x\n" * 51, state="held", why="hops")
owner("M32 10000 hops", b"Received: x\n" * 10_000, **held)
for i, line in enumerate((b"auto-replied (vacation)", b"AUTO-GENERATED; x=y", b"no\nAuto-Submitted: auto-replied")):
    owner(f"M33 auto {i}", b"Auto-Submitted: " + line + b"\n", **auto)
owner("M33 no", b"Auto-Submitted: no\n")
for i, action in enumerate((b"failed", b"delayed")):
    put(f"M34 bounce {i}", "ignored", "automatic: a bounce", b"From: MAILER-DAEMON@mx.example\nReturn-Path: <>\n" + E + b"Message-ID: <M34-%d@x>\n" % i +
        b"Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\n\nsorry\n--b\nContent-Type: message/delivery-status\n\n" +
        b"Reporting-MTA: dns; mx\n\nFinal-Recipient: rfc822; z@z\nAction: " + action + b"\nStatus: 5.1.1\n--b--\n")
put("M36 from ourselves", "ignored", "self", b"From: envoy@postrider.local\n" + E + b"Message-ID: <M36@x>\n\nhi\n")
put("M36 our own id", "ignored", "self", Y + E + b"Subject: back\nMessage-ID: " + ours.encode() + b"\n\nanother body\n")
put("M36 our return path", "ignored", "self", b"Return-Path: <envoy@postrider.local>\n" + Y + E + b"Message-ID: <M36-r@x>\n\nhi\n")
owner("M37 list", b"List-Id: <l.x>\nPrecedence: list\n", **auto)
put("M37 request", "ignored", "automatic", b"Return-Path: <l-request@lists.example>\nFrom: l-request@lists.example\n" + E + b"Message-ID: <M37-r@x>\n\nhi\n")
html = b"Content-Type: text/html; charset=utf-8\n"
owner("M38 HTML", html, b"<style>x</style><script>y</script><p>text</p>")
owner("M38 50000 div", html, b"<div>" * 50_000 + b"deep")
owner("M39 hidden", html, b'seen<span style="display:none">hidden</span>')
owner("M39 tags and bidi", body="a\U000e0041\u202eb\n".encode())
owner("M40 flowed", b"Content-Type: text/plain; format=flowed; delsp=yes\n", b"> one \n> two\n one \ntwo\n")
parts("M41 winmail.dat", b"Content-Type: application/ms-tnef; name=winmail.dat\n\nx")
owner("M41 SMIME", b"Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\nContent-Transfer-Encoding: base64\n", b"MIAG\n")
owner("M41 PGP", b"Content-Type: multipart/encrypted; protocol=\"application/pgp-encrypted\"; boundary=b\n", b"--b\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--b--\n")
owner("M41 partial", b'Content-Type: message/partial; id="p"; number=1; total=2\n', b"Subject: inner\n\nhalf\n")
owner("M41 external", b'Content-Type: message/external-body; access-type=URL; URL="http://127.0.0.1:1/x"\n', b"Content-Type: text/plain\n\n")
owner("M41 calendar", b"Content-Type: text/calendar; method=REQUEST\n", b"BEGIN:VCALENDAR\n")
owner("M41 uuencode", body=b"begin 644 x\n#86)C\n`\nend\n")
put("M42 UTF-8", "held", "stranger", "From: юзер <юзер@пример.рф>\nTo: envoy@postrider.local\nSubject: Привет\nMessage-ID: <M42@x>\n\nhi\n".encode())
put("M44 mbox", "handled", "", b"From you Mon Jan  1 00:00:00 2026\n" + Y + E + b"Subject: M44\nMessage-ID: <M44@x>\n\n>From here\n")
put("M44 BOM", "handled", "", b"\xef\xbb\xbf" + Y + E + b"Subject: M44\nMessage-ID: <M44-b@x>\n\nhi\n")
random.seed(45)
for i in range(300):
    put(f"M45 random {i}", "held", "", random.randbytes(1024))
P
/usr/bin/python3 "$WORK/make.py" "$HOME_DIR/mail/envoy/new" "$ours" >"$WORK/table" || fail 'the mails are made'
echo 'a task' | pr send --to envoy --subject 'among all these' >/dev/null

exits 0 'one pass takes all of them in' timeout 250 "$PR_BIN" --home "$HOME_DIR" serve --once
is "$(grep -rl '^Subject: Re: among all these' "$HOME_DIR/mail/you/new" | wc -l)" 1 'the good mail among them is answered'

row() { sqlite3 -readonly -separator '|' "$HOME_DIR/state/postrider.db" "SELECT id, state, coalesce(why, '') FROM message WHERE file = '$1'"; }
random_wrong=
while IFS='|' read -r file state why; do
    IFS='|' read -r id got reason <<<"$(row "$file")"
    case $file in "M45 random"*)
        [[ $got = held || $got = ignored ]] || random_wrong="$random_wrong $file: $got"
        continue
        ;;
    esac
    if [ "$got" = "$state" ] && [[ $reason = "$why"* || $state = handled ]]; then
        pass "$file is $state${why:+: $why}"
    else
        fail "$file is $state${why:+: $why}" "is '$got', because '$reason'"
    fi
    [ "$state" != handled ] || continue
    run pr mail trace "#$id"
    if [ "$STATUS" = 0 ] && [[ $OUT = *"$state"* && $OUT = *"$why"* ]]; then
        pass "$file: trace says so"
    else
        fail "$file: trace says so" "$OUT$ERR"
    fi
done <"$WORK/table"
is "$random_wrong" '' 'M45 300 mails of random bytes are all held'

# Held means: kept as it came, in sight, and nobody hears of it.
is "$(find "$HOME_DIR/mail/envoy/new" -name 'M1 empty' -size 0 | wc -l)" 1 'held mail lies where it came'
run pr status
like "$OUT" '[0-9]+ mails that came are held' 'status counts it'
is "$(sqlite3 -readonly "$HOME_DIR/state/postrider.db" "SELECT count(*) FROM message WHERE state IN ('stored', 'shown')")" 0 'every mail is in an end state'
before=$(find "$HOME_DIR/mail/you/new" -type f | wc -l)
exits 0 'a second pass' pr serve --once
is "$(find "$HOME_DIR/mail/you/new" -type f | wc -l)" "$before" 'answers nothing twice'

# Everything that is shown of them is valid UTF-8 without escapes, and everything that was sent is sound.
pr --json mail list --limit 1000 >"$WORK/list.json"
ok 'the list is JSON' python3 -m json.tool "$WORK/list.json" /dev/null
run pr mail list --limit 1000
unlike "$OUT" $'[\001-\011\013-\037]' 'no control character reaches the terminal'
# shellcheck disable=SC2016
is "$(/usr/bin/python3 - "$HOME_DIR"/mail/you/new/* <<'P'
import email, email.policy, re, sys
bad = []
for path in sys.argv[1:]:
    raw = open(path, "rb").read()
    m = email.message_from_bytes(raw, policy=email.policy.compat32)
    if m.defects or any(len(line) > 998 for line in raw.split(b"\n")):
        bad.append((m["Subject"], m.defects))
    for name in "Message-ID", "In-Reply-To":
        if m[name] and not re.fullmatch(r"<[!-;=?-~]+@[!-;=?-~]+>", m[name].strip()):
            bad.append((m["Subject"], name, m[name][:80]))
    for ref in (m["References"] or "").split():
        if not re.fullmatch(r"<[!-;=?-~]+@[!-;=?-~]+>", ref) or "invalid" in ref:
            bad.append((m["Subject"], "References", ref[:80]))
    if len((m["References"] or "").split()) > 30 or "invalid" in (m["In-Reply-To"] or ""):
        bad.append((m["Subject"], "made up or too many ids"))
print(bad or "")
P
)" '' 'M29, M30 no answer repeats a bad id, an id that we made up, or too many of them'

# What a program got of the attachments.
in_of() { sqlite3 -readonly "$HOME_DIR/state/postrider.db" "SELECT job FROM message WHERE file = '$1'"; }
is "$(find "$HOME_DIR/work/envoy/$(in_of 'M22 file names')/in" -type f | wc -l)" 12 'M22 every attachment is there'
is "$(find "$HOME_DIR/work/envoy/$(in_of 'M22 file names')/in" -mindepth 2; find "$HOME_DIR" "$WORK" -maxdepth 1 -name x -o -maxdepth 1 -name y -o -maxdepth 1 -name abs)" '' 'M22 and nowhere else'
is "$(cd "$HOME_DIR/work/envoy/$(in_of 'M23 one name twice')/in" && cat ./* | tr -d '\n' | fold -w 1 | sort | tr -d '\n')" 12 'M23 both are kept'
is "$(cat "$HOME_DIR/work/envoy/$(in_of 'M24 continuation.json')/in/continuation.json" | head -c 22)" '{"type":"continuation"' 'M24 is an ordinary file'
like "$(pr mail show "#$(row 'M24 continuation.json' | cut -d'|' -f1)")" 'continuation.json' 'M24 and is listed as one'
for row in 'M4 one NUL:nuls' 'M12 no end:damaged' 'M16 base64 0:damaged' 'M21 conflict:name' 'M38 HTML:html' 'M39 hidden:invisible' 'M19 charset 2:charset'; do
    run pr --json mail show "#$(row "${row%:*}" | cut -d'|' -f1)"
    like "$OUT" "\"flags\": \[[^]]*${row##*:}" "${row%:*} is flagged"
done
run timeout "$WAIT" "$PR_BIN" --home "$HOME_DIR" mail thread '<M30-A@x>'
like "$OUT" 'M30' 'M30 a loop has an end'

# M43. The limit, to the byte.
pr config set postrider max-message 10k
for n in 10240 10241; do
    { printf 'From: you@postrider.local\nTo: envoy@postrider.local\nMessage-ID: <M43-%s@x>\nSubject: M43\n\n' "$n"; head -c "$n" /dev/zero | tr '\0' a; } | head -c "$n" >"$WORK/m43"
    mv "$WORK/m43" "$HOME_DIR/mail/envoy/new/M43-$n"
done
exits 0 'M43 at the limit and one above' pr serve --once
is "$(row M43-10240 | cut -d'|' -f2) $(row M43-10241 | cut -d'|' -f2-)" 'handled held|too_large' 'M43 the limit counts to the byte'

# M6. Memory: what a huge mail takes is bounded by the largest that is read.
if [ -x "$POSTRIDER_PLAIN_BIN" ]; then
    pr config set postrider max-message 50m
    { printf 'From: you@postrider.local\nTo: envoy@postrider.local\nMessage-ID: <M6-rss@x>\nX-A: '; head -c 49000000 /dev/zero | tr '\0' y; printf '\n\n'; } >"$WORK/m6"
    mv "$WORK/m6" "$HOME_DIR/mail/envoy/new/M6-rss"
    rss=$(/usr/bin/python3 -c 'import resource,subprocess,sys; subprocess.run(sys.argv[1:], check=True); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' \
        "$POSTRIDER_PLAIN_BIN" --home "$HOME_DIR" serve --once)
    is "$(row M6-rss | cut -d'|' -f2-)" 'held|too_complex' 'M6 a header line of 49 MB'
    ok "M6 in less than twice the limit ($rss KB)" test "$rss" -lt $((2 * 50 * 1024))
fi
exits 0 'all is well' pr doctor

done_testing
