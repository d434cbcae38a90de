"""Where other readers differ from postrider, and why postrider is right.

An entry: the reader, the fields, which messages, why. Messages are names of messages.py, which stand
for their pieces too, or a function of (case, ours, theirs). The first entry that fits counts, so functions come
first. Each field of each of them must be needed."""
import re


def named(kind, text):
    return " ".join(f"{kind}-{name}" for name in text.split())


def labels(text):
    return named("label", text)


def cut_in_field_name(case, ours, theirs):
    """A header ends in the middle of a field's name: no colon yet."""
    return case.cut is not None and case.field and b":" not in case.field


def cut_in(name):
    def within(case, ours, theirs):
        return case.cut is not None and case.field.startswith(name.encode() + b":")

    within.__name__ = f"cut in {name}"
    return within


def cut_in_word(case, ours, theirs):
    """In an encoded word."""
    return b"=?" in case.field and not case.field.endswith(b"?=")


def cut_before_parts(case, ours, theirs):
    """In front of the first part of a multipart, or within the boundary there."""
    return case.cut is not None and re.search(rb'boundary="[^"]*"\n*([^-\n]+\n?)?(-|--[^\n]*\n?)?$', case.raw)


def cut_behind_boundary(case, ours, theirs):
    return case.cut is not None and re.search(rb"\n--[^\n]+\n?$", case.raw)


def cut_in_letter(case, ours, theirs):
    """In a letter of several bytes: theirs is ours without the mark."""
    return case.cut is not None and (ours[:-1] + [ours[-1].removesuffix("?")] == theirs if ours and ours[-1] else False)


def cut_to_nothing(case, ours, theirs):
    return case.raw == b""


def cut_in_base64(case, ours, theirs):
    return case.cut is not None and not case.field and re.search(rb"Content-Transfer-Encoding: *base64( |\n)", case.raw, re.I)


def cut_in_escape(case, ours, theirs):
    """In the last escape of quoted-printable."""
    return case.cut is not None and re.search(rb"=[0-9A-Fa-f]?$", case.raw) and not case.field


ENTRIES = [
    # Truncated.
    ("python", "types texts", cut_to_nothing, "an empty file has no part; Python makes one up"),
    ("gmime", "subject to date types texts digests", cut_in_field_name,
     "GMime reads nothing at all of a message whose header ends within a field's name"),
    ("python", "texts", cut_in_field_name, "half a field's name is no text of the message"),
    ("gmime", "to", cut_in("To"), "a word without a domain is no address"),
    ("python", "to", cut_in("To"), "a word without a domain is no address"),
    ("gmime", "date", cut_in("Date"), "a date without its time or with half a zone is not known; GMime takes what is missing for zero"),
    ("python", "date", cut_in("Date"), "a date without its time or with half a zone is not known; Python takes what is missing for zero"),
    ("python", "subject names", cut_in_word, "an encoded word without its end is none (RFC 2047); Python decodes it"),
    ("gmime", "names", cut_in_word, "an encoded word without its end is none (RFC 2047); GMime decodes it"),
    ("gmime", "texts digests", cut_in_base64, "GMime loses the last bytes of base64 that has no padding"),
    ("gmime", "types texts digests", cut_in("Content-Type"), "half a type is none, and what has no type is text (RFC 2045 5.2)"),
    ("python", "types texts digests", cut_in("Content-Type"), "half a type is none, and what has no type is text (RFC 2045 5.2)"),
    ("gmime", "types texts", cut_before_parts, "a multipart without a part is shown as it is; GMime shows nothing"),
    ("python", "types texts digests", cut_before_parts, "a multipart without a part is shown as it is; Python shows no text"),
    ("python", "types digests", cut_in_field_name, "a part of which not even the header came whole has nothing to list"),
    ("python", "types texts", cut_behind_boundary, "a boundary with nothing behind it begins no part"),
    ("gmime", "texts names", cut_in_letter, "GMime drops half a letter without a mark"),
    ("gmime", "names", cut_in("Content-Disposition"), "a quote that is not closed ends with the header and is no letter of the name"),
    ("python", "texts digests", cut_in_base64, "Python gives up base64 whose last character is too little for a byte"),
    ("gmime", "texts", cut_in_escape, "GMime loses half an escape"),
    # Charsets.
    ("gmime", "subject texts", labels(
        "csiso88596e csiso88596i sun_eu_greek csiso88598e visual csiso88598i logical csisolatin9 l9 koi koi8_r x-mac-roman dos-874 "
        "x-cp1250 x-cp1251 x-cp1252 x-cp1253 x-cp1254 x-cp1255 x-cp1256 x-cp1257 x-cp1258 x-mac-cyrillic x-mac-ukrainian chinese "
        "csiso58gb231280 gb_2312 gb_2312-80 iso-ir-58 x-gbk csbig5 x-x-big5 x-big5 x-euc-jp x-sjis csksc56011987 iso-ir-149 korean "
        "ks_c_5601-1989 ksc5601 ksc_5601 hz-gb-2312 unicodefffe unicodefeff win-1251 x-windows-1251 iso-2022-jp-ms cp50220 cp50221 "
        "unicode-1-1-utf-7 x-unicode-1-1-utf-7"), "GMime does not know the label"),
    ("gmime", "subject texts", labels(
        "iso88591 iso88592 iso88593 iso88594 iso88595 iso88596 iso88597 iso88598 iso88599 iso885910 iso885911 iso885913 iso885914 "
        "iso885915 windows-31j iso-10646-ucs-2"), "GMime makes a label of it that iconv does not know, such as 'iso-88591-'"),
    ("gmime", "subject texts", labels(
        "iso-8859-11 iso8859-11 tis-620 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso_8859-1 iso_8859-1:1987 l1 "
        "latin1 ansi_x3.4-1968 ascii us-ascii csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso_8859-9 iso_8859-9:1989 l5 latin5 "
        "csgb2312 cseucpkdfmtjapanese euc-jp csiso2022jp iso-2022-jp csshiftjis ms_kanji shift-jis shift_jis sjis cseuckr euc-kr "
        "ks_c_5601-1987 csunicode ucs-2 unicode"),
     "GMime takes the label at its word, not for the Windows charset that is meant"),
    ("python", "subject texts", labels(
        "csiso88596e csiso88596i iso-8859-6-e iso-8859-6-i sun_eu_greek csiso88598e iso-8859-8-e visual csiso88598i iso-8859-8-i "
        "logical csisolatin9 iso88592 iso88593 iso88594 iso88595 iso88596 iso88597 iso88598 iso88599 iso885910 iso885911 iso885913 "
        "iso885914 iso885915 iso88591 koi koi8 koi8-ru csmacintosh mac x-mac-roman dos-874 windows-874 x-cp1250 x-cp1251 x-cp1252 "
        "x-cp1253 x-cp1254 x-cp1255 x-cp1256 x-cp1257 x-cp1258 x-mac-cyrillic x-mac-ukrainian csgb2312 gb_2312 x-gbk cn-big5 "
        "csbig5 x-x-big5 x-big5 cseucpkdfmtjapanese x-euc-jp x-sjis cseuckr csksc56011987 iso-ir-149 ks_c_5601-1989 windows-949 "
        "iso-2022-cn iso-2022-cn-ext unicodefffe csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff win-1251 x-windows-1251 "
        "iso-2022-jp-ms cp50220 cp50221 x-unicode-1-1-utf-7"), "Python does not know the label"),
    ("python", "texts", labels("unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8 unknown-8bit x-unknown"),
     "Python does not know the label; in a header it guesses UTF-8"),
    ("python", "subject texts", labels(
        "iso-8859-11 iso8859-11 tis-620 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso_8859-1 iso_8859-1:1987 l1 "
        "latin1 ansi_x3.4-1968 ascii us-ascii csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso_8859-9 iso_8859-9:1989 l5 latin5 "
        "chinese csiso58gb231280 gb2312 gb_2312-80 iso-ir-58 big5 euc-jp csiso2022jp iso-2022-jp csshiftjis shift-jis shift_jis sjis "
        "windows-31j euc-kr korean ks_c_5601-1987 ksc5601 ksc_5601"),
     "Python takes the label at its word, not for the Windows charset that is meant"),
    # Transfer encodings.
    ("gmime", "texts", named("encoding", "qp-soft qp-blanks"), "blanks at the end of a line are no text (RFC 2045 6.7 (3))"),
    ("python", "texts", named("encoding", "qp-soft qp-blanks"), "blanks at the end of a line are no text (RFC 2045 6.7 (3))"),
    ("gmime", "texts", "label-windows-1258", "blanks at the end of a line are no text (RFC 2045 6.7 (3))"),
    ("python", "texts", "label-windows-1258", "blanks at the end of a line are no text (RFC 2045 6.7 (3))"),
    ("gmime", "texts", "encoding-base64-unpadded encoding-base64-unpadded-1 encoding-base64-footer",
     "GMime loses the last bytes of base64 that has no padding"),
    ("gmime", "texts", named("encoding", "base64-chunks"), "two chunks are one text; GMime ends at the first padding"),
    ("python", "texts", named("encoding", "base64-chunks"), "two chunks are one text; Python ends at the first padding"),
    ("gmime", "texts", named("encoding", "base64-quoted"), "quotes around the encoding's name mean nothing"),
    ("python", "texts", named("encoding", "base64-quoted base64-comment base64-blank"),
     "quotes, comments and blanks around the encoding's name mean nothing"),
    ("gmime", "names", named("encoding", "uu-x-uuencode uu-uuencode uu-x-uue uu-X-UUENCODE"), "the begin line has a name"),
    ("python", "names", named("encoding", "uu-x-uuencode uu-uuencode uu-x-uue uu-X-UUENCODE"), "the begin line has a name"),
    ("gmime", "texts", named("encoding", "uu-x-uuencode uu-uuencode uu-x-uue uu-X-UUENCODE"), "GMime loses the last bytes of a line that was cut"),
    ("python", "texts", named("encoding", "uu-x-uuencode uu-uuencode uu-x-uue uu-X-UUENCODE"), "Python fills a line that was cut with NULs"),
    # Structures.
    ("gmime", "types digests texts", "structure-forward-thrice", "forwarded mail is opened two deep; the third is a file"),
    ("python", "types digests texts", "structure-forward-thrice", "forwarded mail is opened two deep; the third is a file"),
    ("python", "types texts", "structure-is-message", "a forwarded mail of which nothing came has no part"),
    ("gmime", "texts", "structure-blank-line", "a line of blanks with no field behind it ends the header"),
    ("gmime", "texts", "structure-base64-at-once", "base64 that starts without an empty line is the part's content"),
    ("gmime", "types", "structure-two-types", "the first of two types counts, and the mail is flagged"),
    ("gmime", "types texts", named("structure", "no-boundary wrong-boundary"),
     "a multipart without a part is shown as it is; GMime shows nothing"),
    ("python", "types digests texts", named("structure", "no-boundary wrong-boundary"),
     "a multipart without a part is shown as it is; Python shows no text"),
    ("python", "digests", named("structure", "header-junk"), "a line that is no field does not end the header"),
    ("gmime", "types digests texts", named("structure", "odd-type"), "half a type is none, and what has no type is text (RFC 2045 5.2)"),
    ("gmime", "texts", "structure-crlf", "a CR by itself ends a line"),
    ("python", "texts", "structure-unknown-charset", "what is ASCII is told, whatever the rest is"),
    ("gmime", "texts", "structure-wrong-charset", "GMime drops what it can't read without a mark"),
    ("python", "texts", "structure-other-charset", "gb2312 means GB18030; that these bytes are UTF-8 nobody can know"),
    ("gmime", "texts", named("structure", "no-charset-latin1"), "text without a charset that is not UTF-8 is windows-1252 nearly always"),
    ("python", "texts", named("structure", "no-charset-latin1"), "text without a charset that is not UTF-8 is windows-1252 nearly always"),
    # File names.
    ("python", "names", named("name", "bare-blanks"), "a name in no quotes goes to the semicolon: that is what its sender meant"),
    ("gmime", "names", named("name", "2231-alias"), "GMime makes a label of it that iconv does not know"),
    ("python", "names", named("name", "2231-alias"), "Python does not know the label"),
    ("gmime", "names", named("name", "2231-gap"), "a section behind a gap may belong to anything; the mail is flagged"),
    ("gmime", "names", named("name", "2231-and-plain"), "filename* comes before filename (RFC 6266 4.3); the mail is flagged"),
    ("python", "names", named("name", "2231-and-plain"), "filename* comes before filename (RFC 6266 4.3); the mail is flagged"),
    ("python", "names", named("name", "word-gb2312"), "gb2312 means GBK"),
    ("python", "names", named("name", "word-bare"), "an encoded word stands for a name even without quotes"),
    ("python", "names", named("name", "raw-latin1"), "what is not UTF-8 is windows-1252 nearly always"),
    ("gmime", "names", named("name", "dots device folder windows-folder newline"),
     "a name is no path, no device and one line: files are saved under it"),
    ("python", "names", named("name", "dots device folder windows-folder newline"),
     "a name is no path, no device and one line: files are saved under it"),
    ("gmime", "names", named("name", "long"), "names are cut to 200 bytes, with their extension"),
    ("python", "names", named("name", "long"), "names are cut to 200 bytes, with their extension"),
    ("gmime", "names", named("name", "open-quote"), "a quote that is not closed ends with the header and is no letter of the name"),
    # Headers.
    ("gmime", "subject", named("header-subject", "split-padded"), "words that end in padding go on in the next one"),
    ("gmime", "subject", named("header-subject", "unpadded"), "GMime loses the last bytes of base64 that has no padding"),
    ("gmime", "subject", named("header-subject", "open-then-good"), "a word has no blank in it: the first is none, the second is one"),
    ("gmime", "subject", named("header-subject", "unknown-charset"), "what is in an unknown charset is not known"),
    ("python", "subject", named("header-subject", "raw-latin1"), "what is not UTF-8 is windows-1252 nearly always"),
    ("gmime", "subject", "header-subject-raw-utf8", "half a letter does not make Latin-1 of the others"),
    ("gmime", "subject", named("header-subject", "newline-in-word tab"), "a subject is one line"),
    ("python", "subject", named("header-subject", "newline-in-word tab"), "a subject is one line"),
    ("gmime", "to", named("header-to", "comment"), "comments are nobody's name"),
    ("gmime", "to", named("header-to", "semicolons"), "Outlook separates by semicolons; GMime loses the others"),
    ("python", "to", named("header-to", "semicolons"), "Outlook separates by semicolons; Python loses the others"),
    ("gmime", "to", named("header-to", "two-brackets open-quote"), "an entry that readers see differently yields no address"),
    ("python", "to", named("header-to", "two-brackets open-quote"), "an entry that readers see differently yields no address"),
    ("gmime", "to", named("header-to", "word-is-address"), "an encoded word yields no address"),
    ("python", "to", named("header-to", "word-is-address no-address"), "a name yields no address"),
    ("gmime", "to", named("header-to", "quoted-local"), "postrider writes to no address with blanks in it"),
    ("python", "to", named("header-to", "quoted-local"), "postrider writes to no address with blanks in it"),
    ("python", "to", named("header-to", "raw-utf8 idn"), "raw UTF-8 is UTF-8 (RFC 6532)"),
    ("python", "to", named("header-to", "raw-latin1"), "what is not UTF-8 is windows-1252 nearly always"),
    ("gmime", "date", named("header-date", "iso iso-zone"), "GMime reads no ISO date with a T"),
    ("python", "date", named("header-date", "iso iso-zone iso-blanks"), "Python reads no ISO dates"),
    ("gmime", "date", named("header-date", "colon zone-9999"), "GMime takes a zone that it can't read for UTC"),
    ("python", "date", named("header-date", "colon"), "Python takes +01:00 for UTC"),
    ("gmime", "date", named("header-date", "year-0 year-9999"), "a date that can't be right is none"),
    ("python", "date", named("header-date", "year-0 year-9999"), "a date that can't be right is none"),
]


def find(reader, field, case, ours, theirs):
    """The key of the first entry that explains this difference; None."""
    for who, fields, which, why in ENTRIES:
        if who != reader or field not in fields.split():
            continue
        if callable(which) and which(case, ours, theirs):
            return who, field, which.__name__, why
        if not callable(which) and case.name in which.split():
            return who, field, case.name, why
    return None


def all_keys():
    """One for each reader, field and message, or function, of each entry."""
    for who, fields, which, why in ENTRIES:
        for field in fields.split():
            for name in [which.__name__] if callable(which) else which.split():
                yield who, field, name, why
