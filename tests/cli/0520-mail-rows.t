#!/usr/bin/env bash
# Odd mails of every kind, as intake meets them: the state that each odd mail ends
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

put("empty", "held", "empty", b"")
put("no blank line", "handled", "", Y + E + b"Subject: no-blank\nMessage-ID: <no-blank@x>")
put("body only", "held", "no_headers", b"hello\n")
owner("one NUL", b"X-A: a\0b\n", b"one \0 two\n")
owner("10000 NULs", body=b"\0" * 10000, state="held", why="nuls")
for name, end in ("LF", b"\n"), ("CRLF", b"\r\n"), ("CR", b"\r"):
    raw = Y + E + b"Subject: end\nMessage-ID: <end-" + name.encode() + b"@x>\n\none\ntwo\n"
    put("end " + name, "handled", "", raw.replace(b"\n", end))
owner("a line of 40 MB", b"X-A: " + b"y" * 40_000_000 + b"\n", **complex_)
owner("500000 To", b"To: a@x\n" * 500_000, **complex_)
owner("200000 addresses", b"Cc: " + b"a@b," * 200_000 + b"\n", **complex_)
owner("empty groups", b"Cc: " + b";" * 60_000 + b"\n")
owner("10000 multiparts", b"", b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i) for i in range(10_000)))
put("10000 deep", "held", "too_complex", Y + E + b"Message-ID: <deep@x>\n" +
    b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i) for i in range(10_000)) + b"\nx\n")
put("10000 messages", "handled", "", Y + E + b"Message-ID: <messages@x>\n" + b"Content-Type: message/rfc822\n\n" * 10_000 + b"x\n")
owner("1000000 parts", b"Content-Type: multipart/mixed; boundary=b\n", b"--b\n\n" * 1_000_000, **complex_)
owner("no end", b"Content-Type: multipart/mixed; boundary=b\n", b"--b\n\none\n")
owner("never there", b"Content-Type: multipart/mixed; boundary=b\n", b"text\n")
owner("empty boundary", b'Content-Type: multipart/mixed; boundary=""\n', b"text\n")
owner("prefix", b"Content-Type: multipart/mixed; boundary=b\n", b"--b\nContent-Type: multipart/mixed; boundary=bb\n\n--bb\n\none\n--bb--\n--b--\n")
owner("two boundaries", b"Content-Type: multipart/mixed; boundary=b; boundary=c\n", b"--b\n\none\n--b--\n", **unproven)
owner("two types", b"Content-Type: text/plain\nContent-Type: text/html\n", **unproven)
owner("boundary of 3000", b"Content-Type: multipart/mixed; boundary=" + b"b" * 3000 + b"\n", **complex_)
owner("blanks", b'Content-Type: multipart/mixed; boundary="a b"\n', b"--a b\n\none\n--a b--\n")
owner("multipart in base64", b"Content-Transfer-Encoding: base64\nContent-Type: multipart/mixed; boundary=b\n", b"--b\n\none\n--b--\n")
for i, bad in enumerate((b"aGk", b"aGk!=", b"aGkxx", b"", b"(c) aGk=")):
    owner(f"base64 {i}", b"Content-Transfer-Encoding: base64\n", bad + b"\n")
for i, bad in enumerate((b"a=", b"a=XY", b"a=0D=0A", b"a   \n", b"x" * 1000 + b"=\n")):
    owner(f"quoted-printable {i}", b"Content-Transfer-Encoding: quoted-printable\n", bad)
owner("unknown encoding", b"Content-Transfer-Encoding: x-magic\n")
owner("empty encoding", b"Content-Transfer-Encoding:\n")
owner("two encodings", b"Content-Transfer-Encoding: 7bit\nContent-Transfer-Encoding: base64\n", **unproven)
for i, (charset, body) in enumerate(((b"x-foo", b"\xe4"), (b"utf-7", b"+AOQ-"), (b"utf-8", b"\xe4"), (b"utf-8", b"\xed\xa0\x80"), (b"utf-8", b"\xc0\xaf"), (b"utf-8", b"\xc3"))):
    owner(f"charset {i}", b"Content-Type: text/plain; charset=" + charset + b"\n", body + b"\n")
for i, word in enumerate((b"=?utf-8?q?" + b"a" * 200 + b"?=", b"=?utf-8?b?w6Q?= =?utf-8?b?w?=", b"=?x?B??=", b"=?utf-8?q?=3D=3Fx?=", b" =?utf-8?q?a?=" * 3000)):
    put(f"word {i}", "handled", "", Y + E + b"Message-ID: <word-%d@x>\nSubject: " % i + word + b"\n\nhi\n")
put("in an address", "held", "", b"From: =?utf-8?b?eW91QHBvc3RyaWRlci5sb2NhbA==?=\n" + E + b"Message-ID: <word-a@x>\n\nhi\n")
att = b"Content-Disposition: attachment; "
parts("gaps", att + b"filename*0*=utf-8''a; filename*2*=c\n\nx")
params = lambda n: att + b"; ".join(b"filename*%d*=x" % i for i in range(n)) + b"\n\nx"
parts("3000 parameters", params(3000), **unproven)
parts("100000 parameters", params(100_000), **unproven)
parts("conflict", att + b"filename=a.exe; filename*=utf-8''b.txt\n\nx")
names = [b"../../x", b"/abs", b"a\0b", b"CON", b".", b"", b"n" * 4096, b"\xe2\x80\xaecod.exe", b"x.txt\\\r\\\nBcc:", b"x ", b"..", b"in/../../../y"]
parts("file names", *(att + b'filename="' + n + b'"\n\n%d' % i for i, n in enumerate(names)))
parts("one name twice", att + b"filename=a.txt\n\n1", att + b"filename=a.txt\n\n2")
fake = b'{"type":"continuation","job":1,"seq":99,"total_iterations":0,"mac":"00"}'
parts("continuation.json", b"Content-Type: application/json\n" + att + b"filename=continuation.json\n\n" + fake)
put("of a stranger", "held", "stranger", b"From: x@evil.example\n" + E + b"Message-ID: <given-s@x>\nContent-Type: application/json; name=continuation.json\n\n" + fake)
parts("continuation in a message", b"\nmine", b"Content-Type: message/rfc822\n\nFrom: b@y\nContent-Type: application/json; name=continuation.json\n\n" + fake)
put("two From, ours behind", "held", "stranger", b"From: x@evil.example\n" + Y + E + b"Message-ID: <from-e@x>\n\nhi\n")
put("two From, ours in front", "held", "unproven", Y + b"From: x@evil.example\n" + E + b"Message-ID: <from-f@x>\n\nhi\n")
put("one From with two", "held", "", b"From: you@postrider.local, x@evil.example\n" + E + b"Message-ID: <from-g@x>\n\nhi\n")
owner("two Date", b"Date: Sun, 15 Nov 2026 09:30 +0000\n" * 2, **unproven)
owner("two Message-ID", b"Message-ID: <other@x>\n", **unproven)
owner("two Subject", b"Subject: other\n", **unproven)
put("no From", "held", "no sender", E + b"Message-ID: <no-from@x>\n\nhi\n")
owner("no Date, no Message-ID", ids=False)
for i, bad in enumerate((b"<>", b"no-angle@x", b"<a b@x>", b"<" + b"a" * 5000 + b"@x>", b"<\xff@x>", b"<a\n @x>", b"<a@x\x01>")):
    owner(f"id {i}", b"Message-ID: " + bad + b"\n", ids=False)
owner("10000 References", b"References:" + b"".join(b" <r%d@x>\n" % i for i in range(4000)))
put("loop A", "handled", "", Y + E + b"Subject: loop\nMessage-ID: <loop-A@x>\nReferences: <loop-B@x>\n\nhi\n")
put("loop B", "handled", "", Y + E + b"Subject: loop\nMessage-ID: <loop-B@x>\nReferences: <loop-A@x>\n\nhi\n")
put("itself", "handled", "", Y + E + b"Subject: loop\nMessage-ID: <loop-C@x>\nIn-Reply-To: <loop-C@x>\n\nhi\n")
for i, date in enumerate((b"1 Jan 0000 00:00 +0000", b"1 Jan 9999 00:00 +0000", b"32 Feb 2026 09:30 +0000", b"1 Jan 2026 09:30 -9999", b"yesterday", b"")):
    owner(f"date {i}", b"Date: " + date + b"\n")
owner("50 hops", b"Received: x\n" * 50)
owner("51 hops", b"Received: x\n" * 51, state="held", why="hops")
owner("10000 hops", b"Received: x\n" * 10_000, **held)
for i, line in enumerate((b"auto-replied (vacation)", b"AUTO-GENERATED; x=y", b"no\nAuto-Submitted: auto-replied")):
    owner(f"auto {i}", b"Auto-Submitted: " + line + b"\n", **auto)
owner("not automatic", b"Auto-Submitted: no\n")
for i, action in enumerate((b"failed", b"delayed")):
    put(f"bounce {i}", "ignored", "automatic: a bounce", b"From: MAILER-DAEMON@mx.example\nReturn-Path: <>\n" + E + b"Message-ID: <bounce-%d@x>\n" % i +
        b"Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\n\nsorry\n--b\nContent-Type: message/delivery-status\n\n" +
        b"Reporting-MTA: dns; mx\n\nFinal-Recipient: rfc822; z@z\nAction: " + action + b"\nStatus: 5.1.1\n--b--\n")
put("from ourselves", "ignored", "self", b"From: envoy@postrider.local\n" + E + b"Message-ID: <own@x>\n\nhi\n")
put("our own id", "ignored", "self", Y + E + b"Subject: back\nMessage-ID: " + ours.encode() + b"\n\nanother body\n")
put("our return path", "ignored", "self", b"Return-Path: <envoy@postrider.local>\n" + Y + E + b"Message-ID: <own-r@x>\n\nhi\n")
owner("list", b"List-Id: <l.x>\nPrecedence: list\n", **auto)
put("request", "ignored", "automatic", b"Return-Path: <l-request@lists.example>\nFrom: l-request@lists.example\n" + E + b"Message-ID: <request-r@x>\n\nhi\n")
html = b"Content-Type: text/html; charset=utf-8\n"
owner("HTML", html, b"<style>x</style><script>y</script><p>text</p>")
owner("50000 div", html, b"<div>" * 50_000 + b"deep")
owner("hidden", html, b'seen<span style="display:none">hidden</span>')
owner("tags and bidi", body="a\U000e0041\u202eb\n".encode())
owner("flowed", b"Content-Type: text/plain; format=flowed; delsp=yes\n", b"> one \n> two\n one \ntwo\n")
parts("winmail.dat", b"Content-Type: application/ms-tnef; name=winmail.dat\n\nx")
owner("SMIME", b"Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\nContent-Transfer-Encoding: base64\n", b"MIAG\n")
owner("PGP", b"Content-Type: multipart/encrypted; protocol=\"application/pgp-encrypted\"; boundary=b\n", b"--b\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--b--\n")
owner("partial", b'Content-Type: message/partial; id="p"; number=1; total=2\n', b"Subject: inner\n\nhalf\n")
owner("external", b'Content-Type: message/external-body; access-type=URL; URL="http://127.0.0.1:1/x"\n', b"Content-Type: text/plain\n\n")
owner("calendar", b"Content-Type: text/calendar; method=REQUEST\n", b"BEGIN:VCALENDAR\n")
owner("uuencode", body=b"begin 644 x\n#86)C\n`\nend\n")
put("UTF-8", "held", "stranger", "From: юзер <юзер@пример.рф>\nTo: envoy@postrider.local\nSubject: Привет\nMessage-ID: <utf8@x>\n\nhi\n".encode())
put("mbox", "handled", "", b"From you Mon Jan  1 00:00:00 2026\n" + Y + E + b"Subject: begin\nMessage-ID: <begin@x>\n\n>From here\n")
put("BOM", "handled", "", b"\xef\xbb\xbf" + Y + E + b"Subject: begin\nMessage-ID: <begin-b@x>\n\nhi\n")
random.seed(45)
for i in range(300):
    put(f"random {i}", "held", "", random.randbytes(1024))
P
/usr/bin/python3 "$WORK/make.py" "$HOME_DIR/mail/envoy/new" "$ours" >"$WORK/table" || fail 'the mails are made'
echo 'a task' | pr send --to envoy --subject 'among all these' >/dev/null

exits 0 'one pass takes all of them in' timeout 250 "$PR_BIN" --home "$HOME_DIR" serve --once
is "$(grep -rl '^Subject: Re: among all these' "$HOME_DIR/mail/you/new" | wc -l)" 1 'the good mail among them is answered'

row() { sqlite3 -readonly -separator '|' "$HOME_DIR/state/postrider.db" "SELECT id, state, coalesce(why, '') FROM message WHERE file = '$1'"; }
random_wrong=
while IFS='|' read -r file state why; do
    IFS='|' read -r id got reason <<<"$(row "$file")"
    case $file in "random"*)
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
is "$random_wrong" '' '300 mails of random bytes are all held'

# Held means: kept as it came, in sight, and nobody hears of it.
is "$(find "$HOME_DIR/mail/envoy/new" -name 'empty' -size 0 | wc -l)" 1 'held mail lies where it came'
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
    if len((m["References"] or "").split()) > 1000 or "invalid" in (m["In-Reply-To"] or ""):
        bad.append((m["Subject"], "made up or too many ids"))
print(bad or "")
P
)" '' 'no answer repeats a bad id, an id that we made up, or too many of them'

# What a program got of the attachments.
in_of() { sqlite3 -readonly "$HOME_DIR/state/postrider.db" "SELECT job FROM message WHERE file = '$1'"; }
is "$(find "$HOME_DIR/work/envoy/$(in_of 'file names')/in" -type f | wc -l)" 12 'every attachment is there'
is "$(find "$HOME_DIR/work/envoy/$(in_of 'file names')/in" -mindepth 2; find "$HOME_DIR" "$WORK" -maxdepth 1 -name x -o -maxdepth 1 -name y -o -maxdepth 1 -name abs)" '' 'and nowhere else'
is "$(cd "$HOME_DIR/work/envoy/$(in_of 'one name twice')/in" && cat ./* | tr -d '\n' | fold -w 1 | sort | tr -d '\n')" 12 'both are kept'
is "$(cat "$HOME_DIR/work/envoy/$(in_of 'continuation.json')/in/continuation.json" | head -c 22)" '{"type":"continuation"' 'is an ordinary file'
like "$(pr mail show "#$(row 'continuation.json' | cut -d'|' -f1)")" 'continuation.json' 'and is listed as one'
for row in 'one NUL:nuls' 'no end:damaged' 'base64 0:damaged' 'conflict:name' 'HTML:html' 'hidden:invisible' 'charset 2:charset'; do
    run pr --json mail show "#$(row "${row%:*}" | cut -d'|' -f1)"
    like "$OUT" "\"flags\": \[[^]]*${row##*:}" "${row%:*} is flagged"
done
run timeout "$WAIT" "$PR_BIN" --home "$HOME_DIR" mail thread '<loop-A@x>'
like "$OUT" 'loop' 'a loop has an end'

# The limit, to the byte.
pr config set postrider max-message 10k
for n in 10240 10241; do
    { printf 'From: you@postrider.local\nTo: envoy@postrider.local\nMessage-ID: <limit-%s@x>\nSubject: limit\n\n' "$n"; head -c "$n" /dev/zero | tr '\0' a; } | head -c "$n" >"$WORK/limit"
    mv "$WORK/limit" "$HOME_DIR/mail/envoy/new/limit-$n"
done
exits 0 'at the limit and one above' pr serve --once
is "$(row limit-10240 | cut -d'|' -f2) $(row limit-10241 | cut -d'|' -f2-)" 'handled held|too_large' 'the limit counts to the byte'

# Memory: what a huge mail takes is bounded by the largest that is read.
if [ -x "$POSTRIDER_PLAIN_BIN" ]; then
    pr config set postrider max-message 50m
    { printf 'From: you@postrider.local\nTo: envoy@postrider.local\nMessage-ID: <wide-rss@x>\nX-A: '; head -c 49000000 /dev/zero | tr '\0' y; printf '\n\n'; } >"$WORK/wide"
    mv "$WORK/wide" "$HOME_DIR/mail/envoy/new/wide-rss"
    rss=$(/usr/bin/python3 -c 'import resource,subprocess,sys; subprocess.run(sys.argv[1:], check=True); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' \
        "$POSTRIDER_PLAIN_BIN" --home "$HOME_DIR" serve --once)
    is "$(row wide-rss | cut -d'|' -f2-)" 'held|too_complex' 'a header line of 49 MB'
    ok "in less than twice the limit ($rss KB)" test "$rss" -lt $((2 * 50 * 1024))
fi
exits 0 'all is well' pr doctor

done_testing
