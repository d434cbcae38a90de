#include "mail/mime/base64.h"

#include <glib.h>

typedef size_t (*Decoder)(const void *in, size_t len, uint8_t *out, bool *damaged);

typedef struct Case {
    const char *row, *in, *want;
    bool want_damaged;
} Case;

static void
check(Decoder decode, const Case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const Case *c = &cases[i];
        size_t len = strlen(c->in);
        bool damaged = false;
        g_autofree uint8_t *out = g_malloc(len + 3);
        size_t got = decode(c->in, len, out, &damaged);
        g_autofree char *text = g_strndup((const char *)out, got);
        g_test_message("%s: '%s'", c->row, c->in);
        g_assert_cmpstr(text, ==, c->want);
        g_assert_cmpint(damaged, ==, c->want_damaged);
    }
}

static void
test_base64(void)
{
    static const Case cases[] = {
        {"plain", "aGVsbG8gd29ybGQ=", "hello world", false},
        {"lines", "aGVs\r\nbG8g\r\nd29y bGQ=\r\n", "hello world", false},
        {"two pads", "YQ==", "a", false},
        {"no padding, one byte", "e30", "{}", true},
        {"no padding, two bytes", "YQ", "a", true},
        {"half the padding", "YQ=", "a", true},
        {"padded chunks", "YQ==Yg==Yw==", "abc", false},
        {"padded chunks in lines", "YQ==\nYmM=\nZA==\n", "abcd", false},
        {"4n+1", "YWJjZ", "abc", true},
        {"junk", "aG!V#s-bG8=", "hello", true},
        {"a comment", "aGVsbG8= -- sent by x", "hello\xb1\xe9\xedo,", true},
        {"nothing", "", "", false},
        {"only padding", "====", "", true},
        {"group across lines", "aG\nVs\nbG\n8=", "hello", false},
    };

    check(base64_decode, cases, G_N_ELEMENTS(cases));
}

static void
test_qp(void)
{
    static const Case cases[] = {
        {"plain", "a=3Db", "a=b", false},
        {"lower case", "a=c3=a4", "a\xc3\xa4", false},
        {"soft break", "one=\ntwo", "onetwo", false},
        {"soft break with CRLF", "one=\r\ntwo", "onetwo", false},
        {"soft break with blanks", "one=  \ntwo", "onetwo", false},
        {"= at the end", "abc=", "abc", false},
        {"=XY", "a=XYb", "a=XYb", true},
        {"=0D=0A", "a=0D=0Ab", "a\r\nb", false},
        {"blanks at the end of a line", "a \t\nb  ", "a\nb", false},
        {"half an escape", "a=4", "a=4", true},
        {"two signs", "a==41", "a=A", true},
        {"nothing", "", "", false},
    };

    check(qp_decode, cases, G_N_ELEMENTS(cases));
}

static void
test_qp_word(void)
{
    static const Case cases[] = {
        {"underscore", "a_b", "a b", false},
        {"escaped underscore", "a=5Fb_c", "a_b c", false},
        {"damage", "a=b", "a=b", true},
    };

    check(qp_decode_word, cases, G_N_ELEMENTS(cases));
}

/* A line of a thousand characters with its soft break, many times. */
static void
test_long_lines(void)
{
    g_autoptr(GString) in = g_string_new(NULL);
    bool damaged = false;

    for (unsigned i = 0; i < 5000; i++) {
        for (unsigned k = 0; k < 1000; k++)
            g_string_append_c(in, 'x');
        g_string_append(in, "=\n");
    }
    g_autofree uint8_t *out = g_malloc(in->len);
    g_assert_cmpuint(qp_decode(in->str, in->len, out, &damaged), ==, 5000 * 1000);
    g_assert_false(damaged);
}

/* Whatever GLib encodes comes back, in lines of any length. */
static void
test_round_trip(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(7);

    for (unsigned round = 0; round < 500; round++) {
        guchar data[64];
        size_t len = (size_t)g_rand_int_range(rand, 0, sizeof data);
        for (size_t i = 0; i < len; i++)
            data[i] = (guchar)g_rand_int(rand);
        g_autofree char *b64 = g_base64_encode(data, len);
        g_autoptr(GString) lines = g_string_new(NULL);
        for (const char *p = b64; *p; p++) {
            g_string_append_c(lines, *p);
            if (g_rand_int_range(rand, 0, 5) == 0)
                g_string_append(lines, "\r\n");
        }
        uint8_t out[BASE64_ROOM(1024)];
        bool damaged = false;
        size_t got = base64_decode(lines->str, lines->len, out, &damaged);
        g_assert_cmpmem(out, got, data, len);
        g_assert_false(damaged);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/base64/table", test_base64);
    g_test_add_func("/base64/round-trip", test_round_trip);
    g_test_add_func("/qp/table", test_qp);
    g_test_add_func("/qp/word", test_qp_word);
    g_test_add_func("/qp/long-lines", test_long_lines);
    return g_test_run();
}
