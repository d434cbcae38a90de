#include "mail/mime/header.h"

#include "base/digest.h"
#include "mail/maildate.h"
#include "mail/mime/encode.h"
#include "mail/mime/encword.h"
#include "mail/mime/param.h"

/* "Name=value|Name=value" */
static char *
describe(const GPtrArray *headers)
{
    GString *s = g_string_new(NULL);

    for (unsigned i = 0; i < headers->len; i++) {
        const MsgHeader *h = headers->pdata[i];
        g_string_append_printf(s, "%s%s=%s", i ? "|" : "", h->name, h->value);
    }
    return g_string_free(s, FALSE);
}

static void
test_split(void)
{
    static const struct {
        const char *row, *raw, *want, *want_body, *want_problem;
    } cases[] = {
        {"plain", "From: a@b\nTo: c@d\n\nbody", "From=a@b|To=c@d", "body", NULL},
        {"empty", "", "", "", "empty"},
        {"headers only", "From: a@b", "From=a@b", "", NULL},
        {"ends within a name", "From: a@b\nTo", "From=a@b", "", NULL},
        {"body only", "hello\n", "", "hello\n", "no_headers"},
        {"CRLF", "A: 1\r\nB: 2\r\n\r\nx\r\n", "A=1|B=2", "x\r\n", NULL},
        {"CR", "A: 1\rB: 2\r\rx\r", "A=1|B=2", "x\r", NULL},
        {"mixed", "A: 1\rB: 2\r\nC: 3\n\r\nx", "A=1|B=2|C=3", "x", NULL},
        {"folded", "A: one\n two\n\tthree\n\n", "A=one two\tthree", "", NULL},
        {"folded with CRLF", "A: one\r\n two\r\n\r\nx", "A=one two", "x", NULL},
        {"begins on the second line", "A:\n one\n\n", "A=one", "", NULL},
        {"a line of blanks goes on", "A: one\n \nB: 2\n\n", "A=one|B=2", "", NULL},
        {"blanks before the colon", "A : 1\n\n", "A=1", "", NULL},
        {"no colon", "A: 1\nnonsense\n more\nB: 2\n\n", "A=1|B=2", "", NULL},
        {"empty value", "A:\nB: \n\n", "A=|B=", "", NULL},
        {"mbox line", "From a@b Mon Jan 1\nA: 1\n\nx", "A=1", "x", NULL},
        {"BOM",
         "\xEF\xBB\xBF"
         "A: 1\n\nx",
         "A=1", "x", NULL},
        {"BOM behind an origin line",
         "O: 1\n\xEF\xBB\xBF"
         "A: 1\n\nx",
         "O=1|A=1", "x", NULL},
        {"raw UTF-8", "A: Gr\xC3\xBC\n\n", "A=Grü", "", NULL},
        {"raw Latin-1", "A: Gr\xFC\n\n", "A=Grü", "", NULL},
        {"both", "A: Gr\xC3\xBC\xFF\n\n", "A=Grü\xEF\xBF\xBD", "", NULL},
        {"raw byte in a word", "A: =?iso-8859-1?Q?caf\xE9?=\n\n",
         "A==?iso-8859-1?Q?caf=E9?=", "", NULL},
        {"raw byte in a Russian word", "A: \xC3\xA4 =?koi8-r?Q?\xC1_b?= \xC3\xA4\n\n",
         "A=ä =?koi8-r?Q?=C1_b?= ä", "", NULL},
        {"raw byte in base64 and in no word", "A: =?utf-8?B?\xE9?= =?x?Q?\xE9\n\n",
         "A==?utf-8?B?é?= =?x?Q?é", "", NULL},
        {"name twice", "A: 1\na: 2\n\n", "A=1|a=2", "", NULL},
    };
    MessageLimits limits = header_limits(NULL);

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        HeaderBlock b;
        header_split(cases[i].raw, strlen(cases[i].raw), &limits, &b);
        g_autoptr(GPtrArray) headers = b.headers;
        g_autofree char *got = describe(headers);
        g_test_message("%s", cases[i].row);
        g_assert_cmpstr(got, ==, cases[i].want);
        g_assert_cmpstr(cases[i].raw + b.body, ==, cases[i].want_body);
        g_assert_cmpstr(b.problem, ==, cases[i].want_problem);
    }
}

static const char *
problem_of(const char *raw, size_t len, const MessageLimits *given)
{
    MessageLimits limits = header_limits(given);
    HeaderBlock b;

    header_split(raw, len, &limits, &b);
    g_ptr_array_unref(b.headers);
    return b.problem;
}

/* Each limit at n and n + 1. */
static void
test_limits(void)
{
    static const char raw[] = "A: 12345\nB: 1\n\nbody";
    size_t len = strlen(raw);

    g_assert_null(problem_of(raw, len, &(MessageLimits){.max_headers = 2}));
    g_assert_cmpstr(problem_of(raw, len, &(MessageLimits){.max_headers = 1}), ==,
                    "too_complex");
    g_assert_null(problem_of(raw, len, &(MessageLimits){.max_header_line = 8}));
    g_assert_cmpstr(problem_of(raw, len, &(MessageLimits){.max_header_line = 7}), ==,
                    "too_complex");
    g_assert_null(problem_of(raw, len, &(MessageLimits){.max_header_block = 15}));
    g_assert_cmpstr(problem_of(raw, len, &(MessageLimits){.max_header_block = 12}), ==,
                    "too_complex");
}

static void
test_words(void)
{
    static const struct {
        const char *row, *in, *want;
    } cases[] = {
        {"none", "plain text", "plain text"},
        {"Q", "=?utf-8?q?a=C3=A4_b?=", "aä b"},
        {"B", "=?UTF-8?B?w6Q=?=", "ä"},
        {"Latin-1", "=?iso-8859-1?Q?a=E4?=", "aä"},
        {"windows-1252 under its other name", "=?iso-8859-1?Q?=80?=", "€"},
        {"ISO-2022-JP", "=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=", "日本"},
        {"language", "=?utf-8*en?q?a?=", "a"},
        {"neighbours", "=?utf-8?q?a?= =?utf-8?q?b?=", "ab"},
        {"neighbours of two charsets", "=?utf-8?q?=C3=A4?= =?iso-8859-1?q?=E4?=", "ää"},
        {"text between", "=?utf-8?q?a?= b =?utf-8?q?c?=", "a b c"},
        {"text around", "Re: =?utf-8?q?a?= end", "Re: a end"},
        {"no space between", "=?utf-8?q?a?==?utf-8?q?b?=", "ab"},
        {"split inside a character", "=?utf-8?q?=C3?= =?utf-8?q?=A4?=", "ä"},
        {"split, padded", "=?utf-8?B?5pc=?= =?utf-8?B?pQ==?=", "日"},
        {"empty",
         "=?x?B?"
         "?=",
         ""},
        {"nested", "=?utf-8?q?=3D=3Futf-8=3Fq=3Fa=3F=3D?=", "=?utf-8?q?a?="},
        {"open", "=?utf-8?q?abc", "=?utf-8?q?abc"},
        {"open, then a good one", "=?utf-8?q?abc =?utf-8?q?d?=", "=?utf-8?q?abc d"},
        {"unknown charset", "=?x-foo?q?a=E4?=", "a\xEF\xBF\xBD"},
        {"wrong label", "=?utf-8?q?a=E4b?=",
         "a\xEF\xBF\xBD"
         "b"},
        {"overlong", "=?utf-8?q?=C0=AF?=", "\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"label of a browser", "=?iso88591?q?a=E4?=", "aä"},
        {"neighbours of a label and its alias", "=?gb2312?B?1tA=?= =?GBK?B?zsQ=?=", "中文"},
        {"raw UTF-8 stays", "Grüße =?utf-8?q?a?=", "Grüße a"},
        {"line ends become blanks", "=?utf-8?q?a=0D=0ABcc:_x?=", "a  Bcc: x"},
        {"NUL goes", "=?utf-8?q?a=00b?=", "ab"},
        {"tabs", "a\tb", "a b"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = encword_decode(cases[i].in, NULL);
        g_test_message("%s: %s", cases[i].row, cases[i].in);
        g_assert_cmpstr(got, ==, cases[i].want);
    }
}

static void
test_words_encode(void)
{
    static const char *const texts[] = {
        "plain",
        "Grüße",
        "日本語のとても長い件名がここにあります。日本語のとても長い件名がここにあります。",
        "Grüße äöü äöü äöü äöü äöü äöü äöü äöü äöü äöü äöü äöü äöü äöü äöü äöü äöü äöü",
        "🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎",
        "a =?utf-8?q?b?= c",
        "",
        "a\nb"};

    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autofree char *coded = encode_phrase(texts[i]);
        g_auto(GStrv) words = g_strsplit(coded, " ", -1);
        for (char **w = words; *w; w++)
            g_assert_cmpuint(strlen(*w), <=, 75);
        /* GMime takes padding for the end of all words. */
        for (char **w = words; w[0] && w[1]; w++)
            g_assert_null(strstr(*w, "=?="));
        g_assert_true(g_str_is_ascii(coded));
        g_assert_null(strchr(coded, '\n'));
        g_autofree char *back = encword_decode(coded, NULL);
        g_assert_cmpstr(back, ==, strcmp(texts[i], "a\nb") == 0 ? "a b" : texts[i]);
    }
}

/* A hundred thousand of them, good or not. */
static void
test_words_hostile(void)
{
    static const char *const units[] = {
        "=?utf-8?q?=C3=A4?= ", "=?utf-8?b?w6Q=?=", "=?", "=?utf-8?q?", "=?a?", "? ",
        "=?x?q?=?= "};

    for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
        g_autoptr(GString) in = g_string_new(NULL);
        for (unsigned k = 0; k < 100000; k++)
            g_string_append(in, units[i]);
        int64_t start = g_get_monotonic_time();
        g_autofree char *got = encword_decode(in->str, NULL);
        int64_t took = g_get_monotonic_time() - start;
        g_test_message("'%s': %d ms", units[i], (int)(took / 1000));
        g_assert_true(g_utf8_validate(got, -1, NULL));
        g_assert_cmpint(took, <, 5 * G_USEC_PER_SEC);
    }
}

static void
test_params(void)
{
    static const struct {
        const char *row, *in, *name, *want;
        bool want_repeated, want_conflict;
    } cases[] = {
        {"plain", "text/plain; charset=utf-8", "charset", "utf-8", false, false},
        {"quoted", "a/b; name=\"x \\\"y\\\".txt\"", "name", "x \"y\".txt", false, false},
        {"any case", "a/b; CharSet=X", "charset", "X", false, false},
        {"blanks and comments", "a/b ; (c) name = (d) x", "name", "x", false, false},
        {"blank in a bare name", "a/b; name=foo bar.json", "name", "foo bar.json", false,
         false},
        {"encoded word", "a/b; name=\"=?utf-8?q?=C3=A4?=.txt\"", "name", "ä.txt", false, false},
        {"no encoded word elsewhere", "a/b; boundary=\"=?utf-8?q?x?=\"", "boundary",
         "=?utf-8?q?x?=", false, false},
        {"RFC 2231", "a/b; filename*=utf-8'en'%C3%A4.txt", "filename", "ä.txt", false, false},
        {"continued", "a/b; filename*0=\"one\"; filename*1=\"two\"", "filename", "onetwo",
         false, false},
        {"continued in any order", "a/b; filename*1=two; filename*0=one", "filename", "onetwo",
         false, false},
        {"continued and encoded", "a/b; filename*0*=utf-8''%C3; filename*1*=%A4; filename*2=.x",
         "filename", "ä.x", false, false},
        {"percent signs that are none", "a/b; filename*=utf-8''x41%zz%4", "filename", "x41%zz%4",
         false, false},
        {"a gap", "a/b; filename*0=a; filename*2=c", "filename", "a", false, true},
        {"without a start", "a/b; filename*1=a", "filename", NULL, false, true},
        {"conflict", "a/b; filename=bad.exe; filename*=utf-8''good.txt", "filename",
         "good.txt", false, true},
        {"both the same", "a/b; filename=a.txt; filename*=utf-8''a.txt", "filename",
         "a.txt", false, false},
        {"twice", "a/b; filename=a; filename=b", "filename", "a", true, true},
        {"two boundaries", "a/b; boundary=x; boundary=y", "boundary", "x", true, true},
        {"no value", "a/b; name; charset=x", "charset", "x", false, false},
        {"open quote", "a/b; name=\"abc", "name", "abc", false, false},
        {"empty", "", "name", NULL, false, false},
        {"semicolons", ";;;;name=a;;", "name", "a", false, false},
        {"unknown charset", "a/b; filename*=x-foo''%E4", "filename", "\xEF\xBF\xBD", false,
         false},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Params) p = params_parse(cases[i].in);
        g_test_message("%s: %s", cases[i].row, cases[i].in);
        g_assert_cmpstr(params_find(p, cases[i].name), ==, cases[i].want);
        g_assert_cmpint(p->repeated, ==, cases[i].want_repeated);
        g_assert_cmpint(p->conflict, ==, cases[i].want_conflict);
    }
}

/* The hundred that are read, and not one more. */
static void
test_params_hostile(void)
{
    g_autoptr(GString) in = g_string_new("a/b");

    for (unsigned i = 0; i < 100000; i++)
        g_string_append_printf(in, "; filename*%u*=x", i);
    g_autoptr(Params) p = params_parse(in->str);
    g_assert_true(p->too_many);
    g_assert_cmpuint(strlen(params_find(p, "filename")), <=, 101);
}

static void
test_date(void)
{
    static const struct {
        const char *row, *in;
        int64_t want; /* seconds; 0: no date */
    } cases[] = {
        {"full", "Sun, 15 Nov 2026 09:30:00 +0000", 1794735000},
        {"zone", "Sun, 15 Nov 2026 10:30:00 +0100", 1794735000},
        {"west", "Sun, 15 Nov 2026 04:30:00 -0500", 1794735000},
        {"no day, no seconds", "15 Nov 2026 09:30 +0000", 1794735000},
        {"comment", "Sun, 15 Nov 2026 09:30:00 +0000 (UTC)", 1794735000},
        {"GMT", "Sun, 15 Nov 2026 09:30:00 GMT", 1794735000},
        {"EST", "Sun, 15 Nov 2026 04:30:00 EST", 1794735000},
        {"no zone", "Sun, 15 Nov 2026 09:30:00", 1794735000},
        {"two digits", "15 Nov 96 09:30:00 +0000", 848050200},
        {"dashes", "15-Nov-2026 09:30:00 +0000", 1794735000},
        {"ctime", "Sun Nov 15 09:30:00 2026", 1794735000},
        {"ctime with a zone", "Sun Nov 15 04:30:00 EST 2026", 1794735000},
        {"ctime, zone in digits", "Sun Nov 15 10:30:00 +0100 2026", 1794735000},
        {"ISO", "2026-11-15T09:30:00Z", 1794735000},
        {"ISO, zone", "2026-11-15T10:30:00+01:00", 1794735000},
        {"ISO, blanks", "2026-11-15 10:30:00 +0100", 1794735000},
        {"ISO, no zone", "2026-11-15 09:30:00", 1794735000},
        {"zone with a colon", "Sun, 15 Nov 2026 10:30:00 +01:00", 1794735000},
        {"zone without a blank", "Sun, 15 Nov 2026 10:30:00+0100", 1794735000},
        {"half an hour", "Sun, 15 Nov 2026 06:00:00 -0330", 1794735000},
        {"comment in front", "Sun, (x) 15 Nov 2026 09:30:00 +0000", 1794735000},
        {"name of a month written out", "15 November 2026 09:30:00 +0000", 1794735000},
        {"unknown zone", "Sun, 15 Nov 2026 09:30:00 JST", 1794735000},
        {"time with dots", "Sun, 15 Nov 2026 09.30.00 +0000", 0},
        {"no time", "15 Nov 2026", 0},
        {"a sentence", "5 apples on Nov 3 at 10:00", 0},
        {"zone of three digits", "Sun, 15 Nov 2026 09:30:00 +100", 0},
        {"zone of two digits", "Sun, 15 Nov 2026 09:30:00 +03", 0},
        {"zone of a sign", "Sun, 15 Nov 2026 09:30:00 +", 0},
        {"zone of colons", "Sun, 15 Nov 2026 09:30:00 +:::::", 0},
        {"zone beyond 14 hours", "Sun, 15 Nov 2026 09:30:00 +1500", 0},
        {"year 0", "Sun, 15 Nov 0000 09:30:00 +0000", 0},
        {"year 9999", "Sun, 15 Nov 9999 09:30:00 +0000", 0},
        {"five digits", "Sun, 15 Nov 20266 09:30:00 +0000", 0},
        {"32 Feb", "Sun, 32 Feb 2026 09:30:00 +0000", 0},
        {"30 Feb", "Sun, 30 Feb 2026 09:30:00 +0000", 0},
        {"zone", "Sun, 15 Nov 2026 09:30:00 -9999", 0},
        {"words", "yesterday", 0},
        {"nothing", "", 0},
        {"hour 24", "Sun, 15 Nov 2026 24:30:00 +0000", 0},
        {"before 1970", "Sun, 15 Nov 1969 09:30:00 +0000", 0},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        int64_t got = 0;
        bool ok = maildate_parse(cases[i].in, &got);
        g_test_message("%s: %s", cases[i].row, cases[i].in);
        g_assert_cmpint(got, ==, cases[i].want * G_USEC_PER_SEC);
        g_assert_cmpint(ok, ==, cases[i].want != 0);
    }
}

static void
test_body_digest(void)
{
    static const char *const same[] = {"a\nb\n\nc", "a\r\nb\r\n\r\nc", "a\rb\r\rc",
                                       "a\r\nb\n\rc"};
    Digest want, got;

    digest_of(same[0], strlen(same[0]), &want);
    for (size_t i = 0; i < G_N_ELEMENTS(same); i++) {
        header_body_digest(same[i], strlen(same[i]), &got);
        g_assert_true(digest_equal(&want, &got));
    }
    header_body_digest("", 0, &got);
    digest_of("", 0, &want);
    g_assert_true(digest_equal(&want, &got));
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/header/split", test_split);
    g_test_add_func("/header/limits", test_limits);
    g_test_add_func("/header/body-digest", test_body_digest);
    g_test_add_func("/encword/decode", test_words);
    g_test_add_func("/encword/encode", test_words_encode);
    g_test_add_func("/encword/hostile", test_words_hostile);
    g_test_add_func("/param/table", test_params);
    g_test_add_func("/param/hostile", test_params_hostile);
    g_test_add_func("/maildate/table", test_date);
    return g_test_run();
}
