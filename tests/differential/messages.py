"""The messages of the differential test, made by rule: every charset label, every transfer encoding,
structures, file names, headers and dates as they really come.

messages() yields (name, bytes, truth); truth has what the maker meant, under the fields of the readers
("subject", "text", "date"), and is what postrider must read where it says something."""
import base64, binascii, quopri

HEAD = b"From: Ann <ann@a.example>\nTo: bob@b.example\nDate: Sun, 15 Nov 2026 09:30:00 +0000\nMessage-ID: <1@a.example>\nMIME-Version: 1.0\n"
DATE = 1794735000


def seven_bits(euc):
    return bytes(byte & 0x7F for byte in euc)


JAPANESE = "日本語".encode("euc_jp") + b"\xad\xa1"
# The encodings of the WHATWG standard: a text that shows which one it is, its bytes (by Python's codec
# where it has one), and all labels. Left out are "replacement" and x-user-defined, which no iconv knows.
ENCODINGS = [
    ("Grüße, 日本 🐎", "utf-8", "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8"),
    ("Привет, мир", "cp866", "866 cp866 csibm866 ibm866"),
    ("Zażółć gęślą", "iso8859-2", "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2"),
    ("Ĉiuĵaŭde ĝis", "iso8859-3", "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3"),
    ("Ąžuolas ķīmija", "iso8859-4", "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4"),
    ("Привет, мир", "iso8859-5", "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988"),
    ("مرحبا بكم", "iso8859-6", "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e "
     "iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987"),
    ("Καλημέρα", "iso8859-7", "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 "
     "iso_8859-7:1987 sun_eu_greek"),
    ("שלום לכם", "iso8859-8", "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 "
     "iso_8859-8 iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical"),
    ("Ðað þú ąčę", "iso8859-10", "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6"),
    ("Ačiū, ķēde", "iso8859-13", "iso-8859-13 iso8859-13 iso885913"),
    ("Ẁẃ ŵ Ŷ", "iso8859-14", "iso-8859-14 iso8859-14 iso885914"),
    ("œuvre, 5 €", "iso8859-15", "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9"),
    ("Și țară €", "iso8859-16", "iso-8859-16"),
    ("Привет, мир", "koi8-r", "cskoi8r koi koi8 koi8-r koi8_r"),
    ("Привіт, її", "koi8-u", "koi8-ru koi8-u"),
    ("Grüße, œuvre", "mac-roman", "csmacintosh mac macintosh x-mac-roman"),
    ("สวัสดี…", "cp874", "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874"),
    ("Zażółć „€", "cp1250", "cp1250 windows-1250 x-cp1250"),
    ("Привет №", "cp1251", "cp1251 windows-1251 x-cp1251"),
    ("Grüße, 5 €", "cp1252", "cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 "
     "l1 latin1 windows-1252 x-cp1252 ansi_x3.4-1968 ascii us-ascii"),
    ("Καλημέρα €", "cp1253", "cp1253 windows-1253 x-cp1253"),
    ("Güneş, 5 € ığ", "cp1254", "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 "
     "windows-1254 x-cp1254"),
    ("€ שלום לכם", "cp1255", "cp1255 windows-1255 x-cp1255"),
    ("مرحبا €", "cp1256", "cp1256 windows-1256 x-cp1256"),
    ("Ačiū €", "cp1257", "cp1257 windows-1257 x-cp1257"),
    ("€ Viê\u0323t tiê", "cp1258", "cp1258 windows-1258 x-cp1258"),
    ("Привіт", "mac-cyrillic", "x-mac-cyrillic x-mac-ukrainian"),
    ("中文, 镕", "gbk", "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk"),
    ("中文, 镕 𠀀", "gb18030", "gb18030"),
    ("中文, 碁", "big5hkscs", "big5 big5-hkscs cn-big5 csbig5 x-x-big5"),
    ("日本語①", JAPANESE, "cseucpkdfmtjapanese euc-jp x-euc-jp"),
    ("日本語①", b"\x1b$B" + seven_bits(JAPANESE) + b"\x1b(B", "csiso2022jp iso-2022-jp"),
    ("日本語①", "cp932", "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis"),
    ("한국어 똠", "cp949", "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949"),
    ("한국어", "iso2022_kr", "csiso2022kr iso-2022-kr"),
    ("中文", b"\x1b$)A\x0eVPND\x0f", "iso-2022-cn iso-2022-cn-ext"),
    ("中文~a", "hz", "hz-gb-2312"),
    ("Grüße, 🐎", "utf-16be", "unicodefffe utf-16be"),
    ("Grüße, 🐎", "utf-16le", "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le"),
]
# Labels of mailers that are in no table.
MORE_LABELS = [
    ("Привет №", "cp1251", "win-1251 x-windows-1251"),
    ("日本語①", b"\x1b$B" + seven_bits(JAPANESE) + b"\x1b(B", "iso-2022-jp-ms cp50220 cp50221"),
    ("中文, 碁", "big5hkscs", "x-big5"),
    ("Grüße", "utf-7", "utf-7 unicode-1-1-utf-7 x-unicode-1-1-utf-7"),
    ("Grüße", "cp850", "ibm850 cp850"),
    ("Grüße", "utf-8", "unknown-8bit x-unknown"),
]


def word(label, data, q=False):
    """An encoded word (RFC 2047)."""
    if q:
        text = "".join(chr(b) if chr(b).isascii() and chr(b).isalnum() else f"={b:02X}" for b in data)
        return f"=?{label}?Q?{text}?=".encode()
    return f"=?{label}?B?{base64.b64encode(data).decode()}?=".encode()


def qp(data):
    return quopri.encodestring(data)


def uu(data, name="a.txt"):
    lines = b"".join(binascii.b2a_uu(data[i:i + 45]) for i in range(0, len(data), 45))
    return f"begin 644 {name}\n".encode() + lines + b"`\nend\n"


def single(content_type, body, encoding=None, subject=b"one"):
    head = HEAD + b"Subject: " + subject + b"\n"
    if content_type:
        head += b"Content-Type: " + content_type + b"\n"
    if encoding:
        head += b"Content-Transfer-Encoding: " + encoding + b"\n"
    return head + b"\n" + body


def multi(*parts, kind=b"mixed", boundary=b"=_b1", head=HEAD + b"Subject: many\n"):
    """A multipart of (header lines, body)."""
    inner = b"".join(b"--" + boundary + b"\n" + fields + b"\n" + body + b"\n" for fields, body in parts)
    return (head + b"Content-Type: multipart/" + kind + b"; boundary=\"" + boundary + b"\"\n\n" + inner
            + b"--" + boundary + b"--\n")


def label_messages():
    for table in (ENCODINGS, MORE_LABELS):
        for text, codec, labels in table:
            data = codec if isinstance(codec, bytes) else text.encode(codec)
            for i, label in enumerate(labels.split()):
                body, encoding = [(base64.b64encode(data) + b"\n", b"base64"), (qp(data), b"quoted-printable")][i % 2]
                yield (f"label-{label}", single(f"text/plain; charset={label}".encode(), body, encoding,
                                                b"S " + word(label, data, q=i % 2 == 0)),
                       {"subject": "S " + text, "text": text, "date": DATE})


PLAIN = "One line.\nGrüße = 5 €.\n\n  The end. \n"
RAW = PLAIN.encode()
B64 = base64.b64encode(RAW)


def encoding_messages():
    def one(name, encoding, body, truth=PLAIN, charset=b"utf-8"):
        raw = single(b"text/plain; charset=" + charset, body, encoding)
        return f"encoding-{name}", raw, {"text": truth} if truth is not None else {}

    yield one("7bit", b"7bit", b"plain\n", "plain\n", b"us-ascii")
    for name in ("8bit", "binary", "8BIT", "x-foo", "7bit-with-8"):
        yield one(name, name.split("-with")[0].encode(), RAW)
    yield one("none", None, RAW)
    for name in ("quoted-printable", "QUOTED-PRINTABLE", "Quoted-Printable"):
        yield one(name, name.encode(), qp(RAW))
    yield one("qp-lower", b"quoted-printable", b"Gr=c3=bc=c3=9fe\n", "Grüße\n")
    yield one("qp-soft", b"quoted-printable", b"one=\n two=  \nthree=\r\nfour\n", "one twothreefour\n")
    yield one("qp-blanks", b"quoted-printable", b"one  \ntwo\t\nthree=20\n", "one\ntwo\nthree \n")
    yield one("qp-stray", b"quoted-printable", b"a=b =zz c=\n", "a=b =zz c")
    yield one("qp-crlf", b"quoted-printable", b"a=\r\nb\r\nc\r\n", "ab\nc\n")
    yield one("qp-end", b"quoted-printable", b"a=", "a")
    for name in ("base64", "BASE64", "Base64"):
        yield one(name, name.encode(), B64 + b"\n")
    yield one("base64-lines", b"base64", b"".join(B64[i:i + 10] + b"\n" for i in range(0, len(B64), 10)))
    yield one("base64-crlf", b"base64", B64[:20] + b"\r\n" + B64[20:] + b"\r\n")
    yield one("base64-unpadded", b"base64", base64.b64encode(b"abcd").rstrip(b"=") + b"\n", "abcd")
    yield one("base64-unpadded-1", b"base64", base64.b64encode(b"abcde").rstrip(b"=") + b"\n", "abcde")
    yield one("base64-chunks", b"base64", base64.b64encode(b"abcd") + b"\n" + base64.b64encode(b"efgh\n") + b"\n", "abcdefgh\n")
    yield one("base64-junk", b"base64", b"YW!Jj" + b"\x01ZA==\n", "abcd")
    yield one("base64-footer", b"base64", base64.b64encode(b"abcdef") + b"\n\n-- \nlist.example\n", None)
    yield one("base64-quoted", b'"base64"', B64 + b"\n")
    yield one("base64-comment", b"base64 (of course)", B64 + b"\n")
    yield one("base64-blank", b" base64 ", B64 + b"\n")
    for name in ("x-uuencode", "uuencode", "x-uue", "X-UUENCODE"):
        yield one(f"uu-{name}", name.encode(), uu(RAW))


PNG = bytes(range(1, 128)) * 2
PHOTO = (b"Content-Type: image/jpeg\nContent-Transfer-Encoding: base64\n", base64.encodebytes(PNG))
TEXT = (b"Content-Type: text/plain; charset=utf-8\n", RAW)
HTML = (b"Content-Type: text/html; charset=utf-8\n", "<html><style>p{color:red}</style><p>Grüße</p></html>\n".encode())


def part(content_type, body=b"inside\n", disposition=None, encoding=None):
    fields = b"Content-Type: " + content_type + b"\n" if content_type else b""
    if disposition:
        fields += b"Content-Disposition: " + disposition + b"\n"
    if encoding:
        fields += b"Content-Transfer-Encoding: " + encoding + b"\n"
    return fields, body


def forward(inner):
    return multi(TEXT, part(b"message/rfc822", inner), boundary=b"=_f" + str(len(inner)).encode())


def structure_messages():
    attached = multi(TEXT, PHOTO, part(b"application/pdf; name=a.pdf", base64.encodebytes(PNG), b"attachment; filename=a.pdf", b"base64"))
    once = forward(attached)
    for name, raw in [
        ("photo", multi(TEXT, PHOTO)),
        ("unnamed-pdf", multi(TEXT, part(b"application/pdf", base64.encodebytes(PNG), None, b"base64"))),
        ("calendar", multi(TEXT, part(b"text/calendar; method=REQUEST; charset=utf-8", b"BEGIN:VCALENDAR\nSUMMARY:x\nEND:VCALENDAR\n"))),
        ("smime", multi(TEXT, part(b"application/pkcs7-signature; name=smime.p7s", base64.encodebytes(PNG), None, b"base64"), kind=b"signed")),
        ("is-image", single(b"image/png", base64.encodebytes(PNG), b"base64")),
        ("is-pdf", single(b"application/pdf; name=b.pdf", base64.encodebytes(PNG), b"base64")),
        ("is-html", single(b"text/html; charset=utf-8", HTML[1])),
        ("empty-text", multi(part(b"text/plain", b"\n"), PHOTO)),
        ("no-body", HEAD + b"Subject: nothing\n"),
        ("alternative", multi(TEXT, HTML, kind=b"alternative")),
        ("related", multi((b"Content-Type: text/html; charset=utf-8\n", HTML[1]), PHOTO, kind=b"related")),
        ("nested", multi((b"Content-Type: multipart/alternative; boundary=in\n",
                          b"--in\n" + TEXT[0] + b"\n" + TEXT[1] + b"\n--in\n" + HTML[0] + b"\n" + HTML[1] + b"\n--in--\n"), PHOTO)),
        ("attached", attached), ("forward", once), ("forward-twice", forward(once)), ("forward-thrice", forward(forward(once))),
        ("forward-itself", forward(forward(single(b"text/plain", b"me\n")))),
        ("is-message", single(b"message/rfc822", single(b"text/plain", b"me\n"))),
        ("digest", multi((b"", single(b"text/plain", b"me\n")), kind=b"digest")),
        ("uu-in-text", single(b"text/plain; charset=us-ascii", b"see below\n\n" + uu(b"hello\n", "hello.txt") + b"\nafter\n")),
        ("two-types", multi((b"Content-Type: text/plain\nContent-Type: text/html\n", b"<b>x</b>\n"))),
        ("blank-line", HEAD + b"Subject: blank\n \nThe body.\n"),
        ("base64-at-once", multi((b"Content-Type: text/plain\nContent-Transfer-Encoding: base64\n" + base64.b64encode(b"right away\n"), b""))),
        ("header-junk", multi(TEXT, (b"Content-Type: image/jpeg\nno field at all\nContent-Transfer-Encoding: base64\n", PHOTO[1]))),
        ("html-named", multi(TEXT, part(b"text/html; charset=utf-8; name=page.html", HTML[1], b"inline; filename=page.html"))),
        ("style", single(b"text/html; charset=utf-8", b"<style>" + b"p{a:b}" * 40 + b"</style><p>seen</p>\n")),
        ("delivery-report", multi(TEXT, part(b"message/delivery-status", b"Reporting-MTA: dns;x\n\nFinal-Recipient: rfc822;a@b\n"), kind=b"report")),
        ("no-end", multi(TEXT, PHOTO)[:-7]),
        ("no-boundary", single(b"multipart/mixed", b"--x\n\ntext\n--x--\n")),
        ("wrong-boundary", single(b"multipart/mixed; boundary=y", b"--x\n\ntext\n--x--\n")),
        ("preamble", multi(TEXT).replace(b"\n\n--=_b1", b"\n\nFor old readers.\n--=_b1", 1)),
        ("epilogue", multi(TEXT) + b"Behind.\n"),
        ("crlf", multi(TEXT, PHOTO).replace(b"\n", b"\r\n")),
        ("base64-multipart", multi(TEXT).replace(b"MIME-Version: 1.0", b"Content-Transfer-Encoding: base64")),
        ("flowed", single(b"text/plain; format=flowed", b"one \ntwo\n> three \n> four\n")),
        ("unknown-charset", single(b"text/plain; charset=x-foo", b"Gr\xfc\xdfe\n")),
        ("wrong-charset", single(b"text/plain; charset=utf-8", b"Gr\xfc\xdfe\n")),
        ("other-charset", single(b"text/plain; charset=gb2312", "Grüße\n".encode())),
        ("no-charset-latin1", single(b"text/plain", b"Gr\xfc\xdfe\n")),
        ("no-charset-utf8", single(b"text/plain", "Grüße\n".encode())),
        ("no-type", single(None, "Grüße\n".encode())),
        ("odd-type", single(b"plain", b"text\n")),
    ]:
        yield f"structure-{name}", raw, {}


def name_messages():
    long = "ä" * 150
    for name, fields, truth in [
        ("plain", b"filename=a.txt", "a.txt"),
        ("quoted", b'filename="a b \\"c\\".txt"', 'a b "c".txt'),
        ("bare-blanks", b"filename=a b.txt", "a b.txt"),
        ("2231", b"filename*=utf-8'en'Gr%C3%BC%C3%9Fe.txt", "Grüße.txt"),
        ("2231-latin1", b"filename*=iso-8859-1''Gr%FC%DFe.txt", "Grüße.txt"),
        ("2231-alias", b"filename*=iso88591''Gr%FC%DFe.txt", "Grüße.txt"),
        ("2231-parts", b'filename*0="one "; filename*1="two"; filename*2=".txt"', "one two.txt"),
        ("2231-order", b"filename*1=two.txt; filename*0=one", "onetwo.txt"),
        ("2231-split-letter", b"filename*0*=utf-8''a%C3; filename*1*=%A4.txt", "aä.txt"),
        ("2231-mixed", b"filename*0*=utf-8''%C3%A4; filename*1=\"%41.txt\"", "ä%41.txt"),
        ("2231-gap", b"filename*0=a; filename*2=c", "a"),
        ("2231-and-plain", b"filename=bad.exe; filename*=utf-8''good.txt", "good.txt"),
        ("2231-unknown", b"filename*=x-foo''Gr%FC.txt", None),
        ("word", b'filename="=?utf-8?Q?Gr=C3=BC=C3=9Fe=2Etxt?="', "Grüße.txt"),
        ("word-gb2312", b'filename="' + word("gb2312", "镕.txt".encode("gbk")) + b'"', "镕.txt"),
        ("word-bare", b"filename==?iso-8859-1?Q?Gr=FC=DFe=2Etxt?=", "Grüße.txt"),
        ("two-charsets", b'filename="=?iso-8859-1?Q?Gr=FC?= =?koi8-r?B?0NLJ18XU?= =?utf-8?Q?=2Etxt?="', "Grüпривет.txt"),
        ("raw-utf8", "filename=\"Grüße.txt\"".encode(), "Grüße.txt"),
        ("raw-latin1", b"filename=\"Gr\xfc\xdfe.txt\"", "Grüße.txt"),
        ("twice", b"filename=a; filename=b", "a"),
        ("dots", b'filename=".."', "part-2.bin"), ("device", b"filename=CON", "_CON"),
        ("newline", b'filename="a=?utf-8?Q?=0A?=b.txt"', None), ("folder", b'filename="../../etc/passwd"', "passwd"),
        ("windows-folder", b'filename="C:\\\\x\\\\y.txt"', "y.txt"),
        ("long", f"filename*=utf-8''{long}.txt".encode(), "ä" * 98 + ".txt"),
        ("empty", b'filename=""', "part-2.bin"), ("no-value", b"filename; x=y", "part-2.bin"),
        ("open-quote", b'filename="abc', "abc"),
    ]:
        raw = multi(TEXT, part(b"application/octet-stream", b"inside\n", b"attachment; " + fields))
        yield f"name-{name}", raw, {"name": truth} if truth else {}
    both = multi(TEXT, part(b'application/octet-stream; name="=?iso-8859-1?Q?Gr=FC?="', b"inside\n", b"attachment; filename*=utf-8''Gr%C3%BC"))
    yield "name-type-and-disposition", both, {"name": "Grü"}


def header_messages():
    def one(name, field, truth):
        raw = HEAD.replace(b"MIME-Version", field + b"\nMIME-Version") + b"Content-Type: text/plain; charset=utf-8\n\nbody\n"
        return f"header-{name}", raw, truth

    for name, value, truth in [
        ("plain", b"plain text", "plain text"), ("folded", b"one\n two", "one two"),
        ("q", b"=?utf-8?q?Gr=C3=BC=C3=9Fe_x?=", "Grüße x"), ("b", b"=?UTF-8?B?R3LDvMOfZQ==?=", "Grüße"),
        ("language", b"=?utf-8*de?q?Gr=C3=BC?=", "Grü"), ("neighbours", b"=?utf-8?q?a?=\n =?utf-8?q?b?=", "ab"),
        ("between", b"=?utf-8?q?a?= b =?utf-8?q?c?=", "a b c"), ("split-letter", b"=?utf-8?q?=C3?= =?utf-8?q?=A4?=", "ä"),
        ("split-padded", b"=?utf-8?B?5pc=?= =?utf-8?B?pQ==?=", "日"),
        ("unpadded", b"=?utf-8?B?R3LDvMOfZQ?=", "Grüße"),
        ("two-charsets", b"=?utf-8?q?=C3=A4?= =?iso-8859-1?q?=E4?=", "ää"), ("inside", b"a=?utf-8?q?b?=c", "abc"),
        ("touching", b"=?utf-8?q?a?==?utf-8?q?b?=", "ab"), ("open", b"=?utf-8?q?abc", "=?utf-8?q?abc"),
        ("open-then-good", b"=?utf-8?q?abc =?utf-8?q?d?=", "=?utf-8?q?abc d"),
        ("blank-inside", b"=?utf-8?q?a b?=", "a b"), ("quoted", b'"=?utf-8?q?a?="', '"a"'),
        ("raw-utf8", "Grüße".encode(), "Grüße"), ("raw-latin1", b"Gr\xfc\xdfe", "Grüße"),
        ("raw-in-word", b"=?iso-8859-1?Q?caf\xe9?=", "café"), ("raw-in-koi8", b"=?koi8-r?Q?\xd0\xd2?=", "пр"),
        ("raw-utf8-in-word", "=?utf-8?Q?caf\u00e9?=".encode(), "café"),
        ("unknown-charset", b"=?x-foo?Q?Gr=FC?=", None), ("wrong-charset", b"=?utf-8?Q?Gr=FC?=", None),
        ("newline-in-word", b"=?utf-8?q?a=0D=0ABcc:_x?=", "a  Bcc: x"), ("tab", b"a\tb", "a b"), ("empty", b"", ""),
        ("long", b"=?utf-8?Q?" + b"=C3=A4" * 60 + b"?=", "ä" * 60),
    ]:
        yield one(f"subject-{name}", b"Subject: " + value, {"subject": truth} if truth is not None else {})
    for name, value in [
        ("two", b"a@x.example, B <b@y.example>"), ("quoted-comma", b'"Smith, Ann" <ann@x.example>'),
        ("comment", b"ann@x.example (Ann)"), ("group", b"team: a@x.example, b@x.example;"), ("no-one", b"undisclosed-recipients:;"),
        ("word", b"=?utf-8?q?J=C3=BCrgen?= <j@x.example>"), ("word-quoted", b'"=?utf-8?q?J=C3=BCrgen?=" <j@x.example>'),
        ("word-comma", b"=?utf-8?q?a=2C_b?= <j@x.example>"), ("raw-utf8", "Jürgen <j@x.example>".encode()),
        ("raw-latin1", b"J\xfcrgen <j@x.example>"), ("case", b"A@EXAMPLE.Org"), ("semicolons", b"a@x.example; b@y.example"),
        ("two-brackets", b"<a@x.example> <b@y.example>"), ("name-is-address", b'"boss@c.example" <x@evil.example>'),
        ("word-is-address", b"=?utf-8?b?YXR0YWNrZXJAZXZpbC5jb20=?="), ("open-bracket", b"Ann <ann@x.example"),
        ("open-quote", b'"Ann <ann@x.example>'), ("no-address", b"Ann Smith"), ("literal", b"a@[192.0.2.1]"),
        ("route", b"<@relay.example:a@x.example>"), ("quoted-local", b'"a b"@x.example'), ("idn", "a@grüße.example".encode()),
        ("blanks", b"ann @ x.example"), ("empty", b""),
    ]:
        yield f"header-to-{name}", one(name, b"Subject: to", {})[1].replace(b"To: bob@b.example", b"To: " + value), {}
    for name, value, truth in [
        ("zone", b"Sun, 15 Nov 2026 10:30:00 +0100", DATE), ("no-day", b"15 Nov 2026 09:30 +0000", DATE),
        ("comment", b"Sun, 15 Nov 2026 09:30:00 +0000 (UTC)", DATE), ("est", b"Sun, 15 Nov 2026 04:30:00 EST", DATE),
        ("gmt", b"Sun, 15 Nov 2026 09:30:00 GMT", DATE), ("no-zone", b"Sun, 15 Nov 2026 09:30:00", DATE),
        ("two-digits", b"15 Nov 26 09:30:00 +0000", DATE), ("dashes", b"15-Nov-2026 09:30:00 +0000", DATE),
        ("ctime", b"Sun Nov 15 09:30:00 2026", DATE), ("ctime-zone", b"Sun Nov 15 04:30:00 EST 2026", DATE),
        ("iso", b"2026-11-15T09:30:00Z", DATE), ("iso-zone", b"2026-11-15T10:30:00+01:00", DATE),
        ("iso-blanks", b"2026-11-15 10:30:00 +0100", DATE), ("colon", b"Sun, 15 Nov 2026 10:30:00 +01:00", DATE),
        ("wrong-day", b"Mon, 15 Nov 2026 09:30:00 +0000", DATE), ("february", b"Sun, 30 Feb 2026 09:30:00 +0000", None),
        ("year-0", b"Sun, 15 Nov 0000 09:30:00 +0000", None), ("year-9999", b"Sun, 15 Nov 9999 09:30:00 +0000", None),
        ("zone-9999", b"Sun, 15 Nov 2026 09:30:00 -9999", None), ("words", b"yesterday", None), ("empty", b"", None),
    ]:
        raw = one(name, b"Subject: date", {})[1].replace(b"Date: Sun, 15 Nov 2026 09:30:00 +0000", b"Date: " + value)
        yield f"header-date-{name}", raw, {"date": truth}


def messages():
    for make in (label_messages, encoding_messages, structure_messages, name_messages, header_messages):
        yield from make()


CUTS = 20


def cut(raw):
    """The message truncated at CUTS places, evenly over its length."""
    for i in range(CUTS):
        yield i, raw[:len(raw) * i // CUTS]
