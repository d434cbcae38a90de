#include "base/secret.h"
#include "base/err.h"
#include <glib.h>

#define KEY "sk-123456789"
#define PASSWORD "CANARY-\"s3cret\\"

static const struct {
    const char *text, *want;
} rows[] = {
    {"a " KEY " b " KEY, "a [secret] b [secret]"},
    {"nothing", "nothing"},
    {NULL, NULL},
    {KEY, "[secret]"},
    {KEY "k", "[secret]k"},
    {"so sk-12345678…", "so [secret]…"}, /* shortened */
    {"so sk-123…", "so [secret]…"},
    {"so sk-12…", "so sk-12…"}, /* tells nothing */
    {"…", "…"},
    {"sk-123", "sk-123"},
    {"", ""},
    {"short is short", "short is short"},
    {"LOGIN me " PASSWORD, "LOGIN me [secret]"},
    {"LOGIN \"me\" \"CANARY-\\\"s3cret\\\\\"", "LOGIN \"me\" \"[secret]\""},
};

static void
test_hide(void)
{
    secret_learn(KEY);
    secret_learn(KEY);
    secret_learn(PASSWORD);
    secret_learn("short");
    secret_learn(NULL);
    secret_learn("");
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *got = secret_hide(g_strdup(rows[i].text));

        g_assert_cmpstr(got, ==, rows[i].want);
    }
}

/* Whatever stands around it: AUTH LOGIN, AUTH PLAIN of any user, XOAUTH2, OAUTHBEARER. */
static void
test_base64(void)
{
    secret_learn(PASSWORD);
    for (size_t before = 0; before < 40; before++) {
        for (size_t after = 0; after < 4; after++) {
            g_autoptr(GByteArray) all = g_byte_array_new();
            for (size_t i = 0; i < before; i++)
                g_byte_array_append(all, (const guint8 *)(i % 5 ? "u" : "\0"), 1);
            g_byte_array_append(all, (const guint8 *)PASSWORD, strlen(PASSWORD));
            g_byte_array_append(all, (const guint8 *)"\1\1\1", (guint)after);
            g_autofree char *text = g_base64_encode(all->data, all->len);
            g_autofree char *got = secret_hide(g_strdup_printf("535 bad %s.", text));

            g_assert_nonnull(strstr(got, "[secret]"));
            /* At most the letters that share bits with their neighbours are left. */
            g_assert_cmpuint(strlen(got), <=,
                             strlen("535 bad [secret].") + before * 8 / 6 + after * 2 + 8);
        }
    }
}

static void
test_errors(void)
{
    g_autoptr(GError) error = NULL;

    secret_learn(KEY);
    (void)err_set(&error, ERR_LATER, "the server says: %s", KEY);
    g_assert_cmpstr(error->message, ==, "the server says: [secret]");
    (void)err_prefix(&error, "asking with %s", KEY);
    g_assert_cmpstr(error->message, ==, "asking with [secret]: the server says: [secret]");
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/secret/hide", test_hide);
    g_test_add_func("/secret/base64", test_base64);
    g_test_add_func("/secret/errors", test_errors);
    return g_test_run();
}
