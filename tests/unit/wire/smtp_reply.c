/* Replies as servers and attackers write them. */
#include "wire/smtp_reply.h"
#include "base/err.h"

static const struct {
    const char *name, *data;
    int want, want_code;
    const char *want_status, *want_text, *want_rest;
    int want_error; /* ErrCode, when want is -1 */
} cases[] = {
    {"one line", "250 2.0.0 Ok: queued as 4F2\r\n", 1, 250, "2.0.0",
     "250 2.0.0 Ok: queued as 4F2", "", 0},
    {"many lines", "550-5.1.1 The address\r\n550-5.1.1 does not\r\n550 5.1.1 exist.\r\nx", 1,
     550, "5.1.1", "550 5.1.1 The address does not exist.", "x", 0},
    {"status on the first line alone", "421-4.7.0 Slow\r\n421 down\r\n", 1, 421, "4.7.0",
     "421 4.7.0 Slow down", "", 0},
    {"bare LF", "250-a\n250 b\n", 1, 250, NULL, "250 a b", "", 0},
    {"code alone", "250\r\n", 1, 250, NULL, "250", "", 0},
    {"empty last line", "250-a\r\n250\r\n", 1, 250, NULL, "250 a", "", 0},
    {"class of status differs", "250 5.1.1 well\r\n", 1, 250, NULL, "250 5.1.1 well", "", 0},
    {"status is a version", "220 2.0.0.1 server\r\n", 1, 220, NULL, "220 2.0.0.1 server", "",
     0},
    {"status too long", "550 5.1111.1 x\r\n", 1, 550, NULL, "550 5.1111.1 x", "", 0},
    {"two replies", "250 a\r\n250 b\r\n", 1, 250, NULL, "250 a", "250 b\r\n", 0},
    {"8 bit", "550 caf\xe9\r\n", 1, 550, NULL, "550 caf\xef\xbf\xbd", "", 0},
    {"escape", "550 \x1b]0;x\x07\r\n", 1, 550, NULL, "550 \\x1b]0;x\\x07", "", 0},
    {"nothing", "", 0, 0, NULL, NULL, NULL, 0},
    {"half a line", "25", 0, 0, NULL, NULL, NULL, 0},
    {"no line end", "250 ok", 0, 0, NULL, NULL, NULL, 0},
    {"CR alone", "250 ok\r", 0, 0, NULL, NULL, NULL, 0},
    {"no final line", "250-a\r\n250-b\r\n", 0, 0, NULL, NULL, NULL, 0},
    {"two digits", "25 ok\r\n", -1, 0, NULL, NULL, NULL, ERR_LATER},
    {"four digits", "2500 ok\r\n", -1, 0, NULL, NULL, NULL, ERR_LATER},
    {"100", "100 go on\r\n", -1, 0, NULL, NULL, NULL, ERR_LATER},
    {"600", "600 what\r\n", -1, 0, NULL, NULL, NULL, ERR_LATER},
    {"no code", "hello\r\n", -1, 0, NULL, NULL, NULL, ERR_LATER},
    {"empty line", "\r\n", -1, 0, NULL, NULL, NULL, ERR_LATER},
    {"mixed codes", "250-a\r\n550 b\r\n", -1, 0, NULL, NULL, NULL, ERR_LATER},
    {"HTTP", "HTTP/1.1 400 Bad Request\r\n", -1, 0, NULL, NULL, NULL, ERR_LATER},
};

static void
test_parse(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(SmtpReply) reply = {0};
        g_autoptr(GError) error = NULL;
        size_t used = 0, len = strlen(cases[i].data);
        int got = smtp_reply_parse(cases[i].data, len, &used, &reply, &error);

        g_test_message("%s: %d %s", cases[i].name, got, reply.text);
        g_assert_cmpint(got, ==, cases[i].want);
        g_assert_cmpint(reply.code, ==, cases[i].want_code);
        g_assert_cmpstr(reply.status, ==, cases[i].want_status);
        g_assert_cmpstr(reply.text, ==, cases[i].want_text);
        if (got == 1)
            g_assert_cmpstr(cases[i].data + used, ==, cases[i].want_rest);
        if (got < 0)
            g_assert_true(err_is(error, (ErrCode)cases[i].want_error));
        else
            g_assert_no_error(error);
    }
}

/* A reply that comes byte by byte is the same reply, and never an early one. */
static void
test_pieces(void)
{
    static const char whole[] = "250-first\r\n250-second\r\n250 2.1.0 third\r\n";

    for (size_t n = 0; n < sizeof whole - 1; n++) {
        g_auto(SmtpReply) reply = {0};
        size_t used = 0;
        g_assert_cmpint(smtp_reply_parse(whole, n, &used, &reply, NULL), ==, 0);
    }
}

static int
parse_many(const char *line, unsigned n, const char *last, GError **error)
{
    g_autoptr(GString) all = g_string_new(NULL);
    g_auto(SmtpReply) reply = {0};
    size_t used;

    while (n-- > 0)
        g_string_append(all, line);
    g_string_append(all, last);
    return smtp_reply_parse(all->str, all->len, &used, &reply, error);
}

/* A thousand lines are a reply; what never ends is not waited for. */
static void
test_limits(void)
{
    g_autoptr(GError) error = NULL;

    g_assert_cmpint(parse_many("250-a line of it\r\n", 1000, "250 end\r\n", &error), ==, 1);
    g_assert_cmpint(parse_many("250-a line of it\r\n", 10000, "", &error), ==, -1);
    g_assert_true(err_is(error, ERR_LIMIT));
    g_clear_error(&error);
    g_assert_cmpint(parse_many("250-a line of it\r\n", 10000, "250 end\r\n", &error), ==, -1);
    g_assert_true(err_is(error, ERR_LIMIT));
    g_clear_error(&error);
    g_assert_cmpint(parse_many("2", 5000, "", &error), ==, -1);
    g_assert_true(err_is(error, ERR_LIMIT));
    g_clear_error(&error);
    g_assert_cmpint(parse_many("250 ", 1100, "\r\n", &error), ==, -1);
    g_assert_true(err_is(error, ERR_LIMIT));
}

static void
test_offer(void)
{
    static const struct {
        const char *reply;
        SmtpOffer want;
    } offers[] = {
        {"250-h\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250-DSN\r\n250 SIZE 1000\r\n",
         {true, true, true, true, 1000}},
        {"250-h\r\n250-size\r\n250 8bitmime\r\n", {.eight_bit = true, .size = true}},
        {"250-h\r\n250 SIZE 0\r\n", {.size = true}},
        {"250-h\r\n250 SIZE many\r\n", {.size = true}},
        {"250-h\r\n250 SIZE 99999999999999999999999\r\n", {.size = true}},
        {"250-h\r\n250-SIZED 5\r\n250-XDSN\r\n250 DSN-X\r\n", {0}},
        {"250 DSN\r\n", {0}},
        {"250-DSN SMTPUTF8\r\n250 h\r\n", {0}},
        {"502 no EHLO here\r\n", {0}},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(offers); i++) {
        g_auto(SmtpReply) reply = {0};
        size_t used;
        g_assert_cmpint(
            smtp_reply_parse(offers[i].reply, strlen(offers[i].reply), &used, &reply, NULL), ==,
            1);
        SmtpOffer got = smtp_offer_of(&reply);
        g_test_message("%s", offers[i].reply);
        g_assert_cmpint(got.eight_bit, ==, offers[i].want.eight_bit);
        g_assert_cmpint(got.utf8, ==, offers[i].want.utf8);
        g_assert_cmpint(got.dsn, ==, offers[i].want.dsn);
        g_assert_cmpint(got.size, ==, offers[i].want.size);
        g_assert_cmpuint(got.max_size, ==, offers[i].want.max_size);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/wire/smtp-reply/parse", test_parse);
    g_test_add_func("/wire/smtp-reply/pieces", test_pieces);
    g_test_add_func("/wire/smtp-reply/limits", test_limits);
    g_test_add_func("/wire/smtp-reply/offer", test_offer);
    return g_test_run();
}
