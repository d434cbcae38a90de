/* What goes over the wire: addresses, lines and dots (the smuggling class of
 * CVE-2023-51764). */
#include "wire/smtp_text.h"

static void
test_addresses(void)
{
    static const struct {
        const char *spec;
        bool want;
    } cases[] = {
        {"ann@example.org", true},
        {"ann+12.abc@example.org", true},
        {"o'neil=x/y@example.org", true},
        {"\"odd.local\"@example.org", true},
        {"\"a@b\"@example.org", true},
        {"a@[127.0.0.1]", true},
        {"a@[IPv6:::1]", true},
        {"юзер@пример.рф", true},
        {"-oProxy@example.org", true}, /* behind "--" it is an address */
        {"", false},
        {"ann", false},
        {"@example.org", false},
        {"ann@", false},
        {"a@b>\r\nRCPT TO:<evil@x", false},
        {"a@b\r\nDATA", false},
        {"a@b\n", false},
        {"a\tb@c", false},
        {"a b@c", false},
        {"\"a b\"@c", false},
        {"<a@b>", false},
        {"a@b>", false},
        {"a@b SIZE=1", false},
        {"a@b\x7f", false},
        {"a@b\x01", false},
        {"a\xc2\x85@b", false},     /* NEL */
        {"a\xe2\x80\xa8@b", false}, /* line separator */
        {"a\xff@b", false},
        {"a@x,b@y", false},
        {"a@x;b@y", false},
        {"a(x)@b", false},
        {"\"a\"b\"@c", false},
        {"\"a\\\"@c", false},
        {"a@b,c", false},
        {"a@b/c", false},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_test_message("%s", cases[i].spec);
        g_assert_cmpint(smtp_address_valid(cases[i].spec), ==, cases[i].want);
    }
}

static bool
valid_of(size_t local, size_t domain)
{
    g_autofree char *l = g_strnfill(local, 'a'), *d = g_strnfill(domain, 'b');
    g_autofree char *spec = g_strdup_printf("%s@%s", l, d);

    return smtp_address_valid(spec);
}

/* Row "other limits" of the wire rules: at n, and at n + 1. */
static void
test_lengths(void)
{
    g_assert_true(valid_of(64, 100));
    g_assert_false(valid_of(65, 100));
    g_assert_true(valid_of(10, 243));
    g_assert_false(valid_of(10, 244));
}

static void
test_wire_form(void)
{
    static const struct {
        const char *spec, *want;
        bool want_ascii;
    } cases[] = {
        {"ann@Example.org", "ann@Example.org", true},
        {"ann@пример.рф", "ann@xn--e1afmkfd.xn--p1ai", true},
        {"юзер@пример.рф", "юзер@xn--e1afmkfd.xn--p1ai", false},
        {"юзер@example.org", "юзер@example.org", false},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = smtp_address_wire(cases[i].spec);
        g_assert_cmpstr(got, ==, cases[i].want);
        g_assert_cmpint(g_str_is_ascii(got), ==, cases[i].want_ascii);
    }
}

static void
test_xtext(void)
{
    static const char *const cases[][2] = {{"12.abc", "12.abc"},
                                           {"a+b=c d", "a+2Bb+3Dc+20d"},
                                           {"x\r\ny", "x+0D+0Ay"},
                                           {"\xc3\xa9", "+C3+A9"}};

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = smtp_xtext(cases[i][0]);
        g_assert_cmpstr(got, ==, cases[i][1]);
    }
}

#define END ".\r\n"

static void
test_encode(void)
{
    static const struct {
        const char *name, *mail, *want;
    } cases[] = {
        {"nothing", "", END},
        {"LF", "a\nb\n", "a\r\nb\r\n" END},
        {"CRLF", "a\r\nb\r\n", "a\r\nb\r\n" END},
        {"mixed", "a\nb\rc\r\nd", "a\r\nb\r\nc\r\nd\r\n" END},
        {"no last line end", "a", "a\r\n" END},
        {"blank lines", "\n\r\n\r\r", "\r\n\r\n\r\n\r\n" END},
        {"dot", ".\n", "..\r\n" END},
        {"dot at the end", "a\n.", "a\r\n..\r\n" END},
        {"dots", "..\n.x\nx.\n", "...\r\n..x\r\nx.\r\n" END},
        {"LF dot LF", "a\n.\nb", "a\r\n..\r\nb\r\n" END},
        {"CR dot CRLF", "a\r.\r\nb", "a\r\n..\r\nb\r\n" END},
        {"LF dot CRLF", "a\n.\r\nMAIL FROM:<x@y>\r\n", "a\r\n..\r\nMAIL FROM:<x@y>\r\n" END},
        {"CRLF dot LF", "a\r\n.\nMAIL", "a\r\n..\r\nMAIL\r\n" END},
        {"CRLF dot CR", "a\r\n.\rMAIL", "a\r\n..\r\nMAIL\r\n" END},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GByteArray) got = smtp_encode(cases[i].mail, strlen(cases[i].mail));
        g_test_message("%s", cases[i].name);
        g_assert_cmpmem(got->data, got->len, cases[i].want, strlen(cases[i].want));
    }
}

static void
test_needs(void)
{
    static const struct {
        const char *mail;
        size_t len;
        SmtpNeeds want;
    } cases[] = {
        {"", 0, {.size = 0}},
        {"S: a\n\nb\n", 8, {.size = 11}},
        {"S: a\r\n\r\nb", 9, {.size = 11}},
        {"S: a\n\n\xc3\xa9\n", 9, {.eight_bit = true, .size = 12}},
        {"S: \xc3\xa9\n\nb\n", 9, {.eight_bit = true, .utf8_header = true, .size = 12}},
        {"S: a\n\n\nb\n\n\xc3\xa9", 12, {.eight_bit = true, .size = 19}},
        {"S: a\n\nb\0", 8, {.nul = true, .size = 12}},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        SmtpNeeds got = smtp_needs_of(cases[i].mail, cases[i].len);
        g_test_message("%zu", i);
        g_assert_cmpint(got.eight_bit, ==, cases[i].want.eight_bit);
        g_assert_cmpint(got.utf8_header, ==, cases[i].want.utf8_header);
        g_assert_cmpint(got.nul, ==, cases[i].want.nul);
        g_assert_cmpuint(got.size, ==, cases[i].want.size);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/wire/smtp-text/addresses", test_addresses);
    g_test_add_func("/wire/smtp-text/lengths", test_lengths);
    g_test_add_func("/wire/smtp-text/wire-form", test_wire_form);
    g_test_add_func("/wire/smtp-text/xtext", test_xtext);
    g_test_add_func("/wire/smtp-text/encode", test_encode);
    g_test_add_func("/wire/smtp-text/needs", test_needs);
    return g_test_run();
}
