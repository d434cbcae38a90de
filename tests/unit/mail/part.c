/*
 * What a mail holds beside its text: each structure with what is listed of it, under which name,
 * and what remains as the text.
 */
#include "base/limits.h"
#include "mail/message.h"
#include "mail/mime/bodytext.h"
#include "mail/mime/filename.h"
#include "mail/mime/mediatype.h"
#include "mail/mime/uuencode.h"

#define H "From: a@x.example\nDate: Sun, 15 Nov 2026 09:30:00 +0000\nMessage-ID: <1@x>\n"
#define MULTI(kind) H "Content-Type: multipart/" kind "; boundary=b\n\n"
#define MIXED MULTI("mixed")
#define PART(headers, body) "--b\n" headers "\n" body "\n"
#define END "--b--\n"
#define CAT "begin 644 cat.txt\n#0V%T\n`\nend\n" /* "Cat" */

/* "name:type:size" of what is listed; "!" is not legible, "<name" lies in that mail. */
static char *
describe_files(const Message *m)
{
    GString *s = g_string_new(NULL);

    for (guint i = 0; i < m->files->len; i++) {
        const MsgPart *p = g_ptr_array_index(m->files, i);
        g_string_append_printf(s, "%s%s%s:%s:%zu", i ? " | " : "", p->legible ? "" : "!",
                               p->filename, p->content_type, p->size);
        if (p->within)
            g_string_append_printf(s, "<%s", p->within->filename);
        g_assert_true(p->attachment);
        g_assert_true(g_utf8_validate(p->filename, -1, NULL));
        g_assert_true(message_file(m, p->filename) == p);
    }
    return g_string_free(s, FALSE);
}

typedef struct Case {
    const char *row, *raw, *want_files, *want_text;
    unsigned want_flags;
} Case;

static void
check(const Case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(cases[i].raw);
        g_autoptr(Message) m = message_parse(cases[i].raw, len, MESSAGE_CONTENT, NULL);
        g_autoptr(Message) lean = message_parse(cases[i].raw, len, MESSAGE_TEXT, NULL);
        g_autofree char *files = describe_files(m);
        g_autofree char *same = describe_files(lean);
        g_test_message("%s", cases[i].row);
        g_assert_cmpstr(files, ==, cases[i].want_files);
        g_assert_cmpstr(m->text, ==, cases[i].want_text);
        g_assert_cmphex(m->flags, ==, cases[i].want_flags);
        g_assert_null(m->problem);
        g_assert_cmpstr(same, ==, files);
        g_assert_cmpstr(lean->text, ==, m->text);
        for (guint k = 0; k < m->files->len; k++) {
            const MsgPart *p = g_ptr_array_index(m->files, k);
            g_assert_cmpuint(g_bytes_get_size(p->content), ==, p->size);
            g_assert_null(((MsgPart *)g_ptr_array_index(lean->files, k))->content);
        }
    }
}

/* Whatever is not the text is listed, with a name. */
static void
test_listed(void)
{
    static const Case cases[] = {
        {"text alone", H "\nhello\n", "", "hello\n", 0},
        {"the mail is an image", H "Content-Type: image/jpeg\n\n\xFF\xD8\xFF\n",
         "!part-1.jpg:image/jpeg:4", "", 0},
        {"the mail is an image in base64",
         H "Content-Type: image/jpeg\nContent-Transfer-Encoding: base64\n\n/9j/\n",
         "!part-1.jpg:image/jpeg:3", "", 0},
        {"a photo, a paper and a key without names",
         MIXED PART("", "see these") PART("Content-Type: image/jpeg\n", "\xFF\xD8\xFF")
             PART("Content-Type: application/pdf\n", "%PDF-1\x01")
                 PART("Content-Type: application/pkcs7-mime\n", "\x01") END,
         "!part-2.jpg:image/jpeg:3 | !part-3.pdf:application/pdf:7 | "
         "!part-4.p7m:application/pkcs7-mime:1",
         "see these", 0},
        {"an invitation beside its text",
         MULTI("alternative") PART("", "Come at nine")
             PART("Content-Type: text/calendar; method=REQUEST\n", "BEGIN:VCALENDAR") END,
         "part-2.ics:text/calendar:15", "Come at nine", 0},
        {"an image inside a page",
         MULTI("related") PART("Content-Type: text/html\n", "<p>hello<img src=cid:1>")
             PART("Content-Type: image/png\nContent-ID: <1>\n", "\x89PNG") END,
         "!part-2.png:image/png:4", "hello\n", MSG_HTML_ONLY},
        {"a page that shows no text",
         H "Content-Type: text/html\n\n<html><img src=http://x></html>",
         "part-1.html:text/html:31", "", MSG_HTML_ONLY},
        {"a page beside the same text",
         MULTI("alternative") PART("", "hello") PART("Content-Type: text/html\n", "<p>hello")
             END,
         "", "hello", 0},
        {"a page that says something else",
         MULTI("alternative") PART("", "one two three four five six seven eight nine ten words")
             PART("Content-Type: text/html\n",
                  "<p>quite another story stands here and nothing from the text above") END,
         "part-2.html:text/html:66", "one two three four five six seven eight nine ten words",
         MSG_ALT_MISMATCH},
        {"a text of an unknown kind", MIXED PART("Content-Type: text/x-new\n", "x") END,
         "part-1.txt:text/x-new:1", "", 0},
        {"a type of an unknown kind", MIXED PART("Content-Type: model/x-new\n", "\x02") END,
         "!part-1.bin:model/x-new:1", "", 0},
        {"a signature",
         MULTI("signed") PART("", "signed")
             PART("Content-Type: application/pgp-signature\n", "-----BEGIN") END,
         "part-2.asc:application/pgp-signature:10", "signed", 0},
        {"a text without its header beside a good part",
         MIXED "--b\nHello there\nand more\n" PART("Content-Type: image/png\n", "\x01") END,
         "!part-2.png:image/png:1", "Hello there\nand more", MSG_DAMAGED},
        {"a multipart inside without a boundary",
         MIXED PART("Content-Type: multipart/mixed\n", "all of it\nis text")
             PART("Content-Type: image/png\n", "\x01") END,
         "!part-2.png:image/png:1", "all of it\nis text", MSG_DAMAGED},
        {"empty parts", MIXED PART("", "") PART("Content-Type: application/x-empty\n", "") END,
         "part-2.bin:application/x-empty:0", "", 0},
    };

    check(cases, G_N_ELEMENTS(cases));
}

#define FILE_NAMED(name) PART("Content-Disposition: attachment; filename" name "\n", "x")
#define X50 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static void
test_names(void)
{
    static const Case cases[] = {
        {"two dots", MIXED FILE_NAMED("=\"..\"") END, "part-1.txt:text/plain:1", "", 0},
        {"a device", MIXED FILE_NAMED("=CON") END, "_CON:text/plain:1", "", 0},
        {"a device with an extension", MIXED FILE_NAMED("=nul.txt") END,
         "_nul.txt:text/plain:1", "", 0},
        {"a newline", MIXED FILE_NAMED("*=utf-8''a%0Ab.txt") END, "ab.txt:text/plain:1", "", 0},
        {"300 bytes", MIXED FILE_NAMED("=\"" X50 X50 X50 X50 X50 X50 ".txt\"") END,
         X50 X50 X50 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.txt:text/plain:1", "", 0},
        {"two of 300 bytes",
         MIXED FILE_NAMED("=\"" X50 X50 X50 X50 X50 X50 ".txt\"")
             FILE_NAMED("=\"" X50 X50 X50 X50 X50 X50 ".txt\"") END,
         X50 X50 X50
         "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.txt:text/plain:1 | " X50 X50 X50
         "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx (2).txt:text/plain:1",
         "", 0},
        {"two charsets",
         MIXED PART("Content-Type: text/plain; name=\"=?iso-8859-1?q?=E4.txt?=\"\n"
                    "Content-Disposition: attachment; filename*=utf-8''%C3%B6.txt\n",
                    "x") END,
         "ö.txt:text/plain:1", "", 0},
        {"a made name that somebody gave before",
         MIXED FILE_NAMED("=part-2.png") PART("Content-Type: image/png\n", "\x01") END,
         "part-2.png:text/plain:1 | !part-2 (2).png:image/png:1", "", 0},
        {"a made name that somebody gives behind it",
         MIXED PART("Content-Type: image/png\n", "\x01") FILE_NAMED("=part-1.png") END,
         "!part-1 (2).png:image/png:1 | part-1.png:text/plain:1", "", 0},
        {"of a text and a file", MIXED PART("", "hi") FILE_NAMED("=part-1.txt") END,
         "part-1.txt:text/plain:1", "hi", 0},
    };

    check(cases, G_N_ELEMENTS(cases));
}

#define FORWARD(mail) PART("Content-Type: message/rfc822\n", mail)
#define INNER                                                                                  \
    "From: Bo <bo@y>\nSubject: inner\nContent-Type: multipart/mixed; boundary=c\n\n"           \
    "--c\n\nthe inner text\n--c\nContent-Type: image/png\n\n\x01\n"                            \
    "--c\nContent-Disposition: attachment; filename=a.txt\n\nA\n--c--\n"

static void
test_forwarded(void)
{
    static const Case cases[] = {
        {"a mail with its files",
         MIXED PART("", "look") FORWARD(INNER) FILE_NAMED("=a.txt") END,
         "!part-2.eml:message/rfc822:186 | !part-2.2.png:image/png:1<part-2.eml | "
         "a (2).txt:text/plain:1<part-2.eml | a.txt:text/plain:1",
         "look", 0},
        {"the mail is a forward", H "Content-Type: message/rfc822\n\nFrom: b@y\n\nhi\n",
         "part-1.eml:message/rfc822:14", "", 0},
        {"in base64, which RFC 2046 forbids",
         H "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n"
           "RnJvbTogYkB5CkNvbnRlbnQtVHlwZTogaW1hZ2UvcG5nCgoB\n",
         "!part-1.eml:message/rfc822:36 | !part-1.1.png:image/png:1<part-1.eml", "", 0},
        {"two deep, and the third stays closed",
         H "Content-Type: message/rfc822\n\n"
           "Subject: 1\nContent-Type: message/rfc822\n\n"
           "Subject: 2\nContent-Type: message/rfc822\n\n"
           "Subject: 3\nContent-Type: image/png\n\n\x01",
         "!part-1.eml:message/rfc822:119 | !part-1.1.eml:message/rfc822:78<part-1.eml | "
         "!part-1.1.1.eml:message/rfc822:37<part-1.1.eml",
         "", 0},
        {"a digest",
         MULTI("digest") PART("", "Subject: 1\n\none") PART("", "Subject: 2\n\ntwo") END,
         "part-1.eml:message/rfc822:15 | part-2.eml:message/rfc822:15", "", 0},
        {"what is no mail is a file", H "Content-Type: message/rfc822\n\nno header at all\n",
         "part-1.eml:message/rfc822:17", "", 0},
        {"what only the mail inside says is no flag of the outer",
         MIXED PART("", "look") FORWARD("From: a@b\nFrom: c@d\n\nx") END,
         "part-2.eml:message/rfc822:22", "look", 0},
    };

    check(cases, G_N_ELEMENTS(cases));
    g_autoptr(Message) m =
        message_parse(cases[0].raw, strlen(cases[0].raw), MESSAGE_TEXT, NULL);
    const MsgPart *eml = message_file(m, "part-2.eml");
    g_assert_cmpstr(eml->mail->subject, ==, "inner");
    g_assert_cmpstr(eml->mail->from->spec, ==, "bo@y");
    g_assert_cmpstr(eml->mail->text, ==, "the inner text");
    g_assert_cmpuint(eml->mail->files->len, ==, 2);
    g_autoptr(Message) closed =
        message_parse(cases[5].raw, strlen(cases[5].raw), MESSAGE_TEXT, NULL);
    g_assert_null(message_file(closed, "part-1.eml")->mail);
}

/* A forward of a forward of itself: what is sent has an end. */
static void
test_forward_of_itself(void)
{
    g_autoptr(GString) raw = g_string_new(H "\nthe first\n");

    for (unsigned i = 0; i < 200; i++)
        g_string_prepend(raw, H "Content-Type: message/rfc822\n\n");
    g_autoptr(Message) m = message_parse(raw->str, raw->len, MESSAGE_CONTENT, NULL);
    g_assert_null(m->problem);
    g_assert_cmpuint(m->files->len, ==, 3);
}

/* Parts of forwarded mails have a limit, and beyond it they stay closed. */
static void
test_many_forwards(void)
{
    g_autoptr(GString) raw = g_string_new(MIXED);

    for (unsigned i = 0; i < LIMIT_MIME_PARTS; i++) {
        g_string_append(raw, "--b\nContent-Type: message/rfc822\n\nSubject: x\n"
                             "Content-Type: multipart/mixed; boundary=c\n\n");
        for (unsigned k = 0; k < 10; k++)
            g_string_append(raw, "--c\nContent-Type: image/png\n\nx\n");
        g_string_append(raw, "--c--\n");
    }
    g_string_append(raw, END);
    g_autoptr(Message) m = message_parse(raw->str, raw->len, MESSAGE_TEXT, NULL);
    g_assert_null(m->problem);
    g_assert_cmpuint(m->parts->len, ==, LIMIT_MIME_PARTS);
    g_assert_cmpuint(m->files->len, ==, 2 * LIMIT_MIME_PARTS);
}

static void
test_decoded(void)
{
    static const Case cases[] = {
        {"uuencode as an encoding",
         H "Content-Type: application/x-pet\nContent-Transfer-Encoding: x-uuencode\n\n" CAT,
         "cat.txt:application/x-pet:3", "", 0},
        {"under a name that the header gives",
         H "Content-Type: text/plain; name=dog.txt\nContent-Transfer-Encoding: X-UUE\n\n" CAT,
         "dog.txt:text/plain:3", "Cat", 0},
        {"without its begin and end",
         H "Content-Type: image/png\nContent-Transfer-Encoding: uuencode\n\n#0V%T\n`\n",
         "part-1.png:image/png:3", "", 0},
        {"a text in uuencode", H "Content-Transfer-Encoding: x-uuencode\n\n#0V%T\n`\n", "",
         "Cat", 0},
        {"uuencode in a text", H "\nHere it is:\n" CAT "Bye\n", "cat.txt:text/plain:3",
         "Here it is:\nBye\n", 0},
        {"for a program", H "\nbegin 755 cat.txt\n#0V%T\n`\nend\n", "cat.txt:text/plain:3", "", 0},
        {"the only text is a file, and another is blank",
         MIXED PART("", "\n \n") PART("Content-Type: text/plain; name=a.txt\n", "Hello.") END,
         "a.txt:text/plain:6", "Hello.", 0},
        {"blank but for a file",
         MIXED PART("", CAT) PART("Content-Type: text/plain; name=a.txt\n", "Hello.") END,
         "a.txt:text/plain:6 | cat.txt:text/plain:3", "Hello.", 0},
        {"blank as mail programs fill it",
         MIXED PART("Content-Type: text/html; charset=utf-8\n", "&nbsp;<br>&nbsp;")
             PART("Content-Type: text/plain; name=a.txt\n", "Hello.") END,
         "part-1.html:text/html:16 | a.txt:text/plain:6", "Hello.", MSG_HTML_ONLY},
        {"two of them, with CRLF",
         H
         "\nTwo:\r\nbegin 644 a.png\r\n#0V%T\r\n`\r\nend\r\nbegin 0644 a.png\r\n#0V%T\r\n \r\n"
         "end\r\nBye\r\n",
         "a.png:image/png:3 | a (2).png:image/png:3", "Two:\nBye\n", 0},
        {"in a text in quoted-printable",
         H "Content-Transfer-Encoding: quoted-printable\n\nx=3D\n" CAT, "cat.txt:text/plain:3",
         "x=\n", 0},
        {"with a name that can't be kept", H "\nbegin 644 ..\n#0V%T\n`\nend\n",
         "part-2.bin:application/octet-stream:3", "", 0},
        {"without its end it is text", H "\nbegin 644 cat.txt\n#0V%T\n`\n", "",
         "begin 644 cat.txt\n#0V%T\n`\n", 0},
        {"words that begin with begin", H "\nbegin 644 is a number\nno data here\nend\n", "",
         "begin 644 is a number\nno data here\nend\n", 0},
        {"two types: the first counts",
         MIXED PART("Content-Type: text/plain\nContent-Type: multipart/mixed; boundary=c\n",
                    "--c\n\nx\n--c--") END,
         "", "--c\n\nx\n--c--", MSG_AMBIGUOUS},
        {"two types: a multipart first",
         MIXED PART("Content-Type: multipart/mixed; boundary=c\nContent-Type: text/plain\n",
                    "--c\n\nx\n--c--") END,
         "", "x", MSG_AMBIGUOUS},
        {"a separating line with a blank", H " \nhello\n\nthere\n", "", "hello\n\nthere\n",
         MSG_DAMAGED},
        {"a separating line with a blank, in a part",
         MIXED "--b\nContent-Type: text/plain\n \nhello\n\nthere\n" END, "", "hello\n\nthere",
         MSG_DAMAGED},
        {"a separating line with a blank, in a part that has nothing",
         MIXED "--b\nContent-Type: text/plain\n \n" END, "", "", 0},
        {"a separating line with a tab and CRLF, in a part",
         MIXED "--b\r\nContent-Type: text/plain\r\n\t\r\nhello\r\n--b--\r\n", "", "hello",
         MSG_DAMAGED},
        {"a blank line in the header of a part that goes on",
         MIXED "--b\nContent-Type: text/html\n \nContent-ID: <1>\n\n<p>x\n" END, "", "x\n",
         MSG_HTML_ONLY},
        {"base64 without an empty line",
         H "Content-Type: application/pdf; name=a.pdf\nContent-Transfer-Encoding: base64\n"
           "JVBERi0x\nJVBERi0x\n",
         "a.pdf:application/pdf:12", "", MSG_DAMAGED},
        {"base64 without an empty line, in a part",
         MIXED "--b\nContent-Type: application/pdf; name=a.pdf\n"
               "Content-Transfer-Encoding: base64\nJVBERi0x\nJVBERi0x\n--b--\n",
         "a.pdf:application/pdf:12", "", MSG_DAMAGED},
        {"base64 without an empty line, with one behind it",
         MIXED "--b\nContent-Transfer-Encoding: base64\nSGVsbG8K\n\n--b--\n", "", "Hello\n",
         MSG_DAMAGED},
        {"a signature is no header of a part",
         MIXED PART("", "text\n-- \nAnn\n \nOne\nTwo") PART("Content-Type: image/png\n", "\x01")
             END,
         "!part-2.png:image/png:1", "text\n-- \nAnn\n \nOne\nTwo", 0},
        {"a page with a name is the text",
         H "Content-Type: text/html; name=mail.html\nContent-Disposition: inline; "
           "filename=mail.html\n\n<p>hello",
         "mail.html:text/html:8", "hello\n", MSG_HTML_ONLY},
        {"a page with a name beside an image",
         MIXED PART("Content-Type: image/png\n", "\x01")
             PART("Content-Type: text/html; name=mail.html\n", "<p>hello") END,
         "!part-1.png:image/png:1 | mail.html:text/html:8", "hello\n", MSG_HTML_ONLY},
        {"a page with a name beside a text",
         MIXED PART("", "see the page")
             PART("Content-Type: text/html\nContent-Disposition: inline; filename=p.html\n",
                  "<p>hello") END,
         "p.html:text/html:8", "see the page", 0},
        {"a page that is to be saved",
         H "Content-Type: text/html\nContent-Disposition: attachment; filename=p.html\n\n<p>hi",
         "p.html:text/html:5", "", 0},
    };

    check(cases, G_N_ELEMENTS(cases));
}

#define TYPED(type, body) H "Content-Type: " type "\nContent-Disposition: attachment\n\n" body

/* Whether the content is text does not depend on name and type. */
static void
test_legible(void)
{
    static const struct {
        const char *row, *raw;
        bool want;
    } cases[] = {
        {"octets that are text", TYPED("application/octet-stream", "a,b\n1,2\n"), true},
        {"UTF-8",
         TYPED("application/x-new", "Gr\xC3\xBC\xC3\x9F"
                                    "e"),
         true},
        {"tab, CR and FF", TYPED("application/x-new", "a\tb\r\n\f"), true},
        {"an escape", TYPED("application/x-new", "\x1B[31m"), false},
        {"delete", TYPED("application/x-new", "a\x7F"), false},
        {"U+0085", TYPED("application/x-new", "a\xC2\x85"), false},
        {"U+00A0", TYPED("application/x-new", "a\xC2\xA0"), true},
        {"half a character", TYPED("application/x-new", "a\xC3"), false},
        {"Latin-1 that nobody named", TYPED("application/x-new", "Gr\xFC"), false},
        {"Latin-1 that is named", TYPED("application/x-new; charset=iso-8859-1", "Gr\xFC"),
         true},
        {"text in Latin-1", TYPED("text/csv", "Gr\xFC"), true},
        {"text that claims another charset", TYPED("text/csv; charset=utf-8", "Gr\xFC"), true},
        {"text in a charset that does not exist", TYPED("text/csv; charset=x-none", "Gr\xFC"),
         true},
        {"no text in such a charset", TYPED("application/x-new; charset=x-none", "Gr\xFC"),
         false},
        {"text with control characters", TYPED("text/csv", "a\x01"), false},
        {"ISO-2022-JP", TYPED("text/csv; charset=iso-2022-jp", "\x1B$BF|K\\\x1B(B"), true},
        {"a picture that claims a charset",
         TYPED("image/gif; charset=iso-8859-1", "GIF\x01\x02\x03"), false},
        {"UTF-16",
         H "Content-Type: application/x-new; charset=utf-16\nContent-Disposition: attachment\n"
           "Content-Transfer-Encoding: base64\n\n//5hAGIACgA=\n",
         true},
        {"nothing", TYPED("application/x-new", ""), true},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Message) m =
            message_parse(cases[i].raw, strlen(cases[i].raw), MESSAGE_TEXT, NULL);
        g_test_message("%s", cases[i].row);
        g_assert_cmpuint(m->files->len, ==, 1);
        const MsgPart *p = g_ptr_array_index(m->files, 0);
        g_assert_cmpint(p->legible, ==, cases[i].want);
    }
}

/* The text of a page comes behind a style sheet of 8 MB. */
static void
test_long_style(void)
{
    g_autoptr(GString) raw = g_string_new(H "Content-Type: text/html\n\n<style>");

    while (raw->len < 8u << 20)
        g_string_append(raw, "p.x { color: red }\n");
    g_string_append(raw, "</style><p>hello</p>");
    g_autoptr(Message) m = message_parse(raw->str, raw->len, MESSAGE_TEXT, NULL);
    g_assert_cmpstr(m->text, ==, "hello\n");
    g_assert_cmphex(m->flags, ==, MSG_HTML_ONLY);
}

/* What is cut from the text can be read as a file. */
static void
test_cut_text(void)
{
    g_autoptr(GString) raw = g_string_new(H "\n");

    while (raw->len < 2 * LIMIT_TEXT_BYTES)
        g_string_append(raw, "more and more\n");
    g_autoptr(Message) m = message_parse(raw->str, raw->len, MESSAGE_CONTENT, NULL);
    g_assert_cmphex(m->flags, ==, MSG_TEXT_CUT);
    const MsgPart *p = message_file(m, "part-1.txt");
    g_assert_true(p->attachment);
    g_assert_true(p->legible);
    g_assert_cmpuint(m->files->len, ==, 1);
    g_assert_cmpuint(g_bytes_get_size(p->content), ==, raw->len - strlen(H "\n"));
}

static void
test_uu_decode(void)
{
    static const struct {
        const char *row, *in, *want;
        bool want_damaged;
    } cases[] = {
        {"one line", "#0V%T\n", "Cat", false},
        {"two lines", "#0V%T\n#0V%T\n", "CatCat", false},
        {"no line end", "#0V%T", "Cat", false},
        {"one and two bytes", "!80  \n\"86( \n", "aab", false},
        {"blanks that were lost", "!80\n", "a", false},
        {"a check character", "#0V%TX\n", "Cat", false},
        {"an end line", "#0V%T\n`\n", "Cat", false},
        {"no data", "#0V%T\nhello you\n", "Cat", true},
        {"more than there can be", "M\n", "", true},
        {"nothing", "", "", false},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        uint8_t out[64];
        bool damaged = false;
        size_t n = uu_decode(cases[i].in, strlen(cases[i].in), out, &damaged);
        g_autofree char *got = g_strndup((const char *)out, n);
        g_test_message("%s", cases[i].row);
        g_assert_cmpstr(got, ==, cases[i].want);
        g_assert_cmpint(damaged, ==, cases[i].want_damaged);
    }
}

/* One table: a type has one extension, and an extension that is made says its type again. */
static void
test_extensions(void)
{
    static const struct {
        const char *type, *want;
    } cases[] = {
        {"image/jpeg", "jpg"},      {"text/plain", "txt"},
        {"text/x-patch", "patch"},  {"text/x-diff", "diff"},
        {"message/rfc822", "eml"},  {"application/pgp-signature", "asc"},
        {"text/calendar", "ics"},   {"application/pkcs7-signature", "p7s"},
        {"text/x-c", "c"},          {"application/yaml", "yaml"},
        {"text/anything", "txt"},   {"application/octet-stream", "bin"},
        {"application/zip", "zip"}, {"application/x-nothing", "bin"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        g_assert_cmpstr(mediatype_extension(cases[i].type), ==, cases[i].want);
    g_assert_cmpstr(mediatype_of("a.asc"), ==, "text/plain");
    g_assert_cmpstr(mediatype_of("a.EML"), ==, "text/plain");
    g_assert_cmpstr(mediatype_of("a.patch"), ==, "text/x-diff");
    g_assert_null(mediatype_of("Makefile"));
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/part/listed", test_listed);
    g_test_add_func("/part/names", test_names);
    g_test_add_func("/part/forwarded", test_forwarded);
    g_test_add_func("/part/forward-of-itself", test_forward_of_itself);
    g_test_add_func("/part/many-forwards", test_many_forwards);
    g_test_add_func("/part/decoded", test_decoded);
    g_test_add_func("/part/legible", test_legible);
    g_test_add_func("/part/long-style", test_long_style);
    g_test_add_func("/part/cut-text", test_cut_text);
    g_test_add_func("/part/uu-decode", test_uu_decode);
    g_test_add_func("/part/extensions", test_extensions);
    return g_test_run();
}
