/* What an IMAP server may say, and what is none of it: responses, values in them, dates. */
#include "wire/imap_response.h"
#include "base/clock.h"
#include "base/err.h"
#include "wire/imap_date.h"
#include "wire/imap_scan.h"
#include <sys/mman.h>
#include <unistd.h>

typedef struct Stream {
    const char *bytes;
    size_t len, at, piece; /* handed out in pieces of this size */
} Stream;

static gssize
read_stream(void *user, char *buf, size_t size, GError **error)
{
    Stream *s = user;
    size_t n = MIN(MIN(size, s->piece), s->len - s->at);

    if (n == 0)
        return err_set(error, ERR_LATER, "closed") - 1;
    memcpy(buf, s->bytes + s->at, n);
    s->at += n;
    return (gssize)n;
}

/* One line per response: its kind, what it says, its literals' sizes. */
static void
describe(GString *out, const ImapResponse *r)
{
    static const char *const kinds[] = {"*", "T", "+"};
    static const char *const statuses[] = {"", "OK", "NO", "BAD", "BYE", "PREAUTH"};

    g_string_append_printf(out, "%s%s", kinds[r->kind], statuses[r->status]);
    if (r->kind == IMAP_TAGGED)
        g_string_append_printf(out, " tag=%.*s", (int)r->tag.len, r->tag.s);
    if (r->has_number)
        g_string_append_printf(out, " %u", r->number);
    if (r->word.len)
        g_string_append_printf(out, " %.*s", (int)r->word.len, r->word.s);
    if (r->code.len)
        g_string_append_printf(out, " [%.*s]", (int)r->code.len, r->code.s);
    if (r->text.len)
        g_string_append_printf(out, " '%.*s'", (int)r->text.len, r->text.s);
    for (unsigned i = 0; i < r->literals->len; i++)
        g_string_append_printf(out, " {%zu}", g_array_index(r->literals, ImapLiteral, i).len);
    g_string_append_c(out, '\n');
}

static const struct {
    const char *name, *stream;
    const char *want;      /* of describe(); then the beginning of the error behind "!" */
    const char *want_code; /* "later" when nothing is said */
} cases[] = {
    {"greeting", "* OK [CAPABILITY IMAP4rev1] hi\r\n",
     "*OK [CAPABILITY IMAP4rev1] ' hi'\n!closed", NULL},
    {"tagged", "P1 NO [TRYCREATE] none\r\n", "TNO tag=P1 [TRYCREATE] ' none'\n!closed", NULL},
    {"number", "* 12 EXISTS\r\n", "* 12 EXISTS\n!closed", NULL},
    {"bare LF", "* 12 EXISTS\nP1 OK\n", "* 12 EXISTS\nTOK tag=P1\n!closed", NULL},
    {"continue", "+ go on\r\n+\r\n+ \r\n", "+ 'go on'\n+\n+\n!closed", NULL},
    {"literal", "* 1 FETCH (BODY[] {5}\r\nhello UID 7)\r\n", "* 1 FETCH {5}\n!closed", NULL},
    {"two literals", "* 1 FETCH (A {1}\r\nx B {2}\r\nyy)\r\n", "* 1 FETCH {1} {2}\n!closed",
     NULL},
    {"empty literal", "* 1 FETCH (BODY[] {0}\r\n)\r\n", "* 1 FETCH {0}\n!closed", NULL},
    {"a tag in a literal", "* 1 FETCH (B {8}\r\nP1 OK\r\n)\r\nP1 OK\r\n",
     "* 1 FETCH {8}\nTOK tag=P1\n!closed", NULL},
    {"literal8", "* 1 FETCH (BINARY[] ~{3}\r\nabc)\r\n", "* 1 FETCH {3}\n!closed", NULL},
    {"non-sync", "* 1 FETCH (BODY[] {3+}\r\nabc)\r\n", "* 1 FETCH {3}\n!closed", NULL},
    {"text is no literal", "* OK hello {5}\r\n* 1 EXISTS\r\n",
     "*OK 'hello {5}'\n* 1 EXISTS\n!closed", NULL},
    {"tagged text is none", "P1 OK done {99999999999}\r\n",
     "TOK tag=P1 'done {99999999999}'\n!closed", NULL},
    {"negative", "* 1 FETCH (BODY[] {-1}\r\nx)\r\n", "!the server does not speak IMAP",
     NULL},
    {"no number", "* 1 FETCH (BODY[] {}\r\nx)\r\n", "!the server does not speak IMAP", NULL},
    {"words", "* 1 FETCH (BODY[] {abc}\r\nx)\r\n", "!the server does not speak IMAP", NULL},
    {"4 GB", "* 1 FETCH (BODY[] {4294967295}\r\nx)\r\n", "!the server sends 4294967295",
     "limit"},
    {"100 GB", "* 1 FETCH (BODY[] {99999999999}\r\nx)\r\n", "!the server sends 99999999999",
     "limit"},
    {"more digits than a number has", "* 1 FETCH (BODY[] {99999999999999999999}\r\nx)\r\n",
     "!the server does not speak IMAP", NULL},
    {"kept is bounded", "* 1 FETCH (BODY[] {5000}\r\nx)\r\n", "!the server's response is",
     "limit"},
    {"cut in a literal's head", "* 1 FETCH (BODY[] {10", "!closed", NULL},
    {"cut in a literal", "* 1 FETCH (BODY[] {10}\r\nhel", "!closed", NULL},
    {"cut in a line", "* OK all is we", "!closed", NULL},
    {"nothing", "", "!closed", NULL},
    {"garbage", "HTTP/1.1 400 Bad Request\r\n", "!the server does not speak IMAP: 'HTTP/1.1",
     NULL},
    {"garbage without a blank", "hello\r\n", "!the server does not speak IMAP: 'hello'",
     NULL},
    {"an empty line", "\r\n", "!the server does not speak IMAP: ''", NULL},
    {"escapes are shown", "\x1b]0;x\x07 y\r\n",
     "!the server does not speak IMAP: '\\x1b]0;x", NULL},
    {"an unknown word", "* XYZZY (a b)\r\n", "* XYZZY\n!closed", NULL},
    {"a code that does not end", "* OK [UIDNEXT 7\r\n", "*OK '[UIDNEXT 7'\n!closed", NULL},
    {"a number that is none", "* 99999999999 EXISTS\r\n", "* 99999999999\n!closed", NULL},
    {"split UTF-8", "* OK \xc3\xa9\xe2\x82\xac \xc3\r\n",
     "*OK '\xc3\xa9\xe2\x82\xac \xc3'\n!closed", NULL},
};

static void
run_stream(const char *bytes, size_t len, size_t piece, GString *out, GError **error)
{
    Stream stream = {bytes, len, 0, piece};
    g_autoptr(ImapReader) reader = imap_reader_new(read_stream, &stream, 4096);
    const ImapResponse *r;

    while ((r = imap_reader_next(reader, error)))
        describe(out, r);
    g_string_append_printf(out, "!%s", (*error)->message);
}

static void
test_responses(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        for (size_t piece = 1; piece < 100; piece += 33) { /* however the network cuts it */
            g_autoptr(GString) got = g_string_new(NULL);
            g_autoptr(GError) error = NULL;

            run_stream(cases[i].stream, strlen(cases[i].stream), piece, got, &error);
            g_test_message("%s, %zu", cases[i].name, piece);
            g_string_truncate(got, strlen(cases[i].want));
            g_assert_cmpstr(got->str, ==, cases[i].want);
            g_assert_cmpint(error->code, ==, cases[i].want_code ? ERR_LIMIT : ERR_LATER);
        }
    }
}

/* A line without an end costs no more memory than its limit. */
static void
test_long_line(void)
{
    g_autofree char *bytes = g_malloc(1 << 20);
    g_autoptr(GString) got = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    memset(bytes, 'x', 1 << 20);
    memcpy(bytes, "* LIST ", 7);
    run_stream(bytes, 1 << 20, 1000, got, &error);
    g_assert_cmpstr(got->str, ==, "!the server's response is longer than 4 KB");
    g_assert_true(err_is(error, ERR_LIMIT));
}

/* NUL bytes are bytes. */
static void
test_nul(void)
{
    static const char bytes[] = "* 1 FETCH (BODY[] {3}\r\na\0b)\r\n* OK a\0b\r\n";
    Stream stream = {bytes, sizeof bytes - 1, 0, 7};
    g_autoptr(ImapReader) reader = imap_reader_new(read_stream, &stream, 0);
    const ImapResponse *r = imap_reader_next(reader, NULL);
    g_auto(ImapText) body = {0};
    ImapSlice name;

    g_assert_nonnull(r);
    ImapScan scan = imap_scan_rest(r);
    g_assert_true(imap_scan_char(&scan, '(') && imap_scan_item(&scan, &name));
    imap_scan_blanks(&scan);
    g_assert_true(imap_scan_text(&scan, &body));
    g_assert_cmpmem(body.bytes, body.size, "a\0b", 3);
    r = imap_reader_next(reader, NULL);
    g_assert_nonnull(r);
    g_autofree char *text = imap_slice_vis(r->text);
    g_assert_cmpstr(text, ==, "ab");
}

/* --- where literals go --- */

typedef struct Sink {
    int fd;
    uint64_t size;
    ImapUse use;
} Sink;

static ImapUse
use_literal(void *user, const ImapResponse *so_far, uint64_t size, int *ret_fd, GError **error)
{
    Sink *sink = user;

    sink->size = size;
    *ret_fd = sink->fd;
    if (sink->use == IMAP_REFUSE)
        err_set(error, ERR_NEVER, "refused");
    return sink->use;
}

static void
test_use(void)
{
    static const char bytes[] = "* 1 FETCH (BODY[] {6}\r\nhe\nllo UID 7)\r\n";
    static const struct {
        ImapUse use;
        const char *want_file;
        bool want_written, want_kept, want_error;
    } uses[] = {{IMAP_WRITE, "he\nllo", true, false, false},
                {IMAP_DROP, "", false, false, false},
                {IMAP_KEEP, "", false, true, false},
                {IMAP_REFUSE, "", false, false, true}};

    for (size_t i = 0; i < G_N_ELEMENTS(uses); i++) {
        char got[16];
        Sink sink = {.fd = memfd_create("literal", MFD_CLOEXEC), .use = uses[i].use};
        Stream stream = {bytes, sizeof bytes - 1, 0, 3};
        g_autoptr(ImapReader) reader = imap_reader_new(read_stream, &stream, 0);
        g_autoptr(GError) error = NULL;

        g_assert_cmpint(sink.fd, >=, 0);
        imap_reader_set_use(reader, use_literal, &sink);
        const ImapResponse *r = imap_reader_next(reader, &error);
        g_assert_cmpint(r == NULL, ==, uses[i].want_error);
        g_assert_cmpuint(sink.size, ==, 6);
        if (r) {
            const ImapLiteral *literal = &g_array_index(r->literals, ImapLiteral, 0);
            g_assert_cmpint(literal->written, ==, uses[i].want_written);
            g_assert_cmpint(literal->kept, ==, uses[i].want_kept);
            g_assert_cmpmem(r->bytes->data + r->bytes->len - 6, 6, "UID 7)", 6);
        }
        ssize_t n = pread(sink.fd, got, sizeof got, 0);
        g_assert_cmpmem(got, (size_t)n, uses[i].want_file, strlen(uses[i].want_file));
        g_assert_cmpint(close(sink.fd), ==, 0);
    }
}

/* --- values --- */

static const struct {
    const char *name, *values;
    const char *want; /* each as <text>, NIL, or # for what was skipped; "." when it stops */
} value_cases[] = {
    {"atoms", "a b NIL nil", "<a><b>NIL NIL ."},
    {"quoted", "\"a b\" \"\\\"x\\\\\" \"\"", "<a b><\"x\\><>."},
    {"a quote that does not end", "\"abc", "."},
    {"a backslash at the end", "\"abc\\", "."},
    {"list", "(a (b \"c)\") d) e", "#<e>."},
    {"list that does not end", "((((a", "."},
    {"closing first", ") a", "."},
    {"empty list", "() a", "#<a>."},
    {"brackets in a list", "(BODY[HEADER.FIELDS (A B)] x) y", "#<y>."},
};

static void
test_values(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(value_cases); i++) {
        g_autofree char *line = g_strdup_printf("* X %s\r\n", value_cases[i].values);
        Stream stream = {line, strlen(line), 0, 100};
        g_autoptr(ImapReader) reader = imap_reader_new(read_stream, &stream, 0);
        const ImapResponse *r = imap_reader_next(reader, NULL);
        g_autoptr(GString) got = g_string_new(NULL);

        ImapScan scan = imap_scan_rest(r);
        for (;;) {
            g_auto(ImapText) text = {0};
            imap_scan_blanks(&scan);
            if (imap_scan_text(&scan, &text))
                g_string_append_printf(got, text.is_nil ? "NIL " : "<%s>", text.bytes);
            else if (imap_scan_skip(&scan))
                g_string_append_c(got, '#');
            else
                break;
        }
        g_string_append_c(got, '.');
        g_test_message("%s", value_cases[i].name);
        g_assert_cmpstr(got->str, ==, value_cases[i].want);
    }
}

/* A million parentheses cost no stack. */
static void
test_depth(void)
{
    g_autofree char *line = g_malloc(1000010);
    Stream stream = {line, 1000006, 0, 65536};

    memset(line, '(', 1000010);
    memcpy(line, "* X ", 4);
    memcpy(line + 1000004, "\r\n", 2);
    g_autoptr(ImapReader) reader = imap_reader_new(read_stream, &stream, 0);
    const ImapResponse *r = imap_reader_next(reader, NULL);
    g_assert_nonnull(r);
    ImapScan scan = imap_scan_rest(r);
    g_assert_false(imap_scan_skip(&scan));
}

static const struct {
    const char *name, *text, *want; /* NULL: none */
} date_cases[] = {
    {"plain", "15-Nov-2026 09:30:00 +0000", "2026-11-15T09:30:00Z"},
    {"blank in front", " 5-Nov-2026 09:30:00 +0000", "2026-11-05T09:30:00Z"},
    {"one digit", "5-nov-2026 09:30:00 +0000", "2026-11-05T09:30:00Z"},
    {"zone", "01-Jan-2026 00:30:00 +0100", "2025-12-31T23:30:00Z"},
    {"no month", "15-Foo-2026 09:30:00 +0000", NULL},
    {"no day", "-Nov-2026 09:30:00 +0000", NULL},
    {"32nd", "32-Nov-2026 09:30:00 +0000", NULL},
    {"short", "15-Nov-2026 09:30:00", NULL},
    {"long", "15-Nov-2026 09:30:00 +0000 x", NULL},
    {"words", "yesterday", NULL},
    {"nothing", "", NULL},
};

static void
test_dates(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(date_cases); i++) {
        int64_t us = 0;
        bool ok = imap_date_parse(date_cases[i].text, &us);
        g_autofree char *iso = ok ? clock_format_iso(us) : NULL;

        g_test_message("%s", date_cases[i].name);
        g_assert_cmpstr(iso, ==, date_cases[i].want);
    }
    g_autofree char *day = imap_date_format_day(INT64_C(1793698200000000));
    g_autofree char *full = imap_date_format(INT64_C(1793698200000000));
    g_assert_cmpstr(day, ==, "3-Nov-2026");
    g_assert_cmpstr(full, ==, " 3-Nov-2026 09:30:00 +0000");
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/wire/imap-response/responses", test_responses);
    g_test_add_func("/wire/imap-response/long line", test_long_line);
    g_test_add_func("/wire/imap-response/NUL", test_nul);
    g_test_add_func("/wire/imap-response/use of literals", test_use);
    g_test_add_func("/wire/imap-response/values", test_values);
    g_test_add_func("/wire/imap-response/depth", test_depth);
    g_test_add_func("/wire/imap-response/dates", test_dates);
    return g_test_run();
}
