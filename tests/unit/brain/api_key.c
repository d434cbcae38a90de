/* Where a key may come from, and where it may not go. */
#include "brain/api_key.h"
#include "../base/tmpdir.h"
#include "base/err.h"
#include "base/secret.h"

#define CANARY "CANARY-sk-0123456789"

static const struct {
    const char *name, *content; /* NULL: no file */
    mode_t mode;
    const char *want, *want_error;
} files[] = {
    {"plain", CANARY, 0600, CANARY, NULL},
    {"newline at the end", CANARY "\n", 0600, CANARY, NULL},
    {"read-only", CANARY, 0400, CANARY, NULL},
    {"group may read", CANARY, 0640, NULL, "others can read the key file "},
    {"all may read", CANARY, 0604, NULL, "others can read the key file "},
    {"missing", NULL, 0, NULL, "the key file "},
    {"empty", "", 0600, NULL, "the key file "},
    {"blank", " \n", 0600, NULL, "the key file "},
    {"two lines", CANARY "\nx: y", 0600, NULL, "the key file "},
    {"not ASCII", CANARY "\xc3\xa9", 0600, NULL, "the key file "},
};

static void
test_files(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        g_auto(TmpDir) home = tmpdir_new();
        const ConfBrain conf = {.key_file = "key", .key_env = ""};
        g_autoptr(GError) error = NULL;
        char *key = NULL;

        if (files[i].content)
            tmpdir_write(&home, "key", files[i].content, files[i].mode);
        bool ok = api_key_load(&conf, home.path, NULL, &key, &error);
        g_test_message("%s", files[i].name);
        g_assert_cmpint(ok, ==, files[i].want != NULL);
        g_assert_cmpstr(key, ==, files[i].want);
        if (!ok) {
            g_assert_true(err_is(error, ERR_CONFIG));
            g_assert_true(g_str_has_prefix(error->message, files[i].want_error));
            g_assert_null(strstr(error->message, "CANARY"));
        }
        secret_free(key);
    }
}

static void
test_huge(void)
{
    g_auto(TmpDir) home = tmpdir_new();
    const ConfBrain conf = {.key_file = "key", .key_env = ""};
    g_autofree char *much = g_strnfill(100000, 'x');
    g_autoptr(GError) error = NULL;
    char *key = NULL;

    tmpdir_write(&home, "key", much, 0600);
    g_assert_false(api_key_load(&conf, home.path, NULL, &key, &error));
    g_assert_cmpint(mkfifoat(home.fd, "fifo", 0600), ==, 0);
    const ConfBrain fifo = {.key_file = "fifo", .key_env = ""};
    g_clear_error(&error);
    g_assert_false(api_key_load(&fifo, home.path, NULL, &key, &error));
    g_assert_nonnull(strstr(error->message, "is no regular file"));
}

static void
test_env(void)
{
    static const struct {
        const char *name, *key_env, *custom, *want, *want_error;
    } cases[] = {
        {"named", "PR_TEST_KEY", NULL, CANARY, NULL},
        {"by custom", "", "PR_TEST_KEY", CANARY, NULL},
        {"nothing by custom", "", "PR_TEST_NONE", NULL, NULL},
        {"no custom", "", NULL, NULL, NULL},
        {"named, not set", "PR_TEST_NONE", "PR_TEST_KEY", NULL, "no key: "},
        {"named, empty", "PR_TEST_EMPTY", NULL, NULL, "the environment's "},
        {"named, two words", "PR_TEST_WORDS", NULL, NULL, "the environment's "},
    };

    g_setenv("PR_TEST_KEY", CANARY, TRUE);
    g_setenv("PR_TEST_EMPTY", "", TRUE);
    g_setenv("PR_TEST_WORDS", "CANARY x", TRUE);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const ConfBrain conf = {.key_file = "", .key_env = cases[i].key_env};
        g_autoptr(GError) error = NULL;
        char *key = NULL;
        bool ok = api_key_load(&conf, "/nowhere", cases[i].custom, &key, &error);

        g_test_message("%s", cases[i].name);
        g_assert_cmpint(ok, ==, cases[i].want_error == NULL);
        g_assert_cmpstr(key, ==, cases[i].want);
        if (!ok) {
            g_assert_true(g_str_has_prefix(error->message, cases[i].want_error));
            g_assert_null(strstr(error->message, "CANARY"));
        }
        secret_free(key);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/brain/api-key/files", test_files);
    g_test_add_func("/brain/api-key/huge", test_huge);
    g_test_add_func("/brain/api-key/env", test_env);
    return g_test_run();
}
