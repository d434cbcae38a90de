/* Files with secrets, and what systemd hands over instead. */
#include "base/secretfile.h"
#include "base/err.h"
#include "tmpdir.h"

static const struct {
    const char *name, *setting, *env; /* env: below the folder; NULL: not set */
    const char *file;                 /* what is written; NULL: nothing */
    mode_t mode;
    const char *want, *want_error;
} cases[] = {
    {"a path", "key", NULL, "key", 0600, "x\n", NULL},
    {"below the home", "secrets/key", NULL, "secrets/key", 0400, "x\n", NULL},
    {"open to the group", "key", NULL, "key", 0640, NULL, "others can read the key file "},
    {"not there", "key", NULL, NULL, 0, NULL, "the key file "},
    {"a folder", "secrets", NULL, NULL, 0, NULL, "is no regular file"},
    {"a credential", "credential:key", "handed", "handed/key", 0400, "x\n", NULL},
    {"by an ACL", "credential:key", "handed", "handed/key", 0440, "x\n", NULL},
    {"open to all", "credential:key", "handed", "handed/key", 0444, NULL, "others can read "},
    {"not handed over", "credential:other", "handed", "handed/key", 0400, NULL, "No such file"},
    {"no service", "credential:key", NULL, "handed/key", 0400, NULL, "$CREDENTIALS_DIRECTORY"},
    {"upwards", "credential:../key", "handed", "key", 0600, NULL, "a name is"},
    {"nameless", "credential:", "handed", "key", 0600, NULL, "a name is"},
};

static void
test_read(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(TmpDir) home = tmpdir_new();
        g_autofree char *handed =
            cases[i].env ? g_build_filename(home.path, cases[i].env, NULL) : NULL;
        g_autoptr(GError) error = NULL;
        g_autoptr(GBytes) bytes = NULL;

        g_test_message("%s", cases[i].name);
        g_assert_cmpint(mkdirat(home.fd, "secrets", 0700), ==, 0);
        g_assert_cmpint(mkdirat(home.fd, "handed", 0700), ==, 0);
        if (cases[i].file)
            tmpdir_write(&home, cases[i].file, "x\n", cases[i].mode);
        if (handed)
            g_setenv("CREDENTIALS_DIRECTORY", handed, TRUE);
        else
            g_unsetenv("CREDENTIALS_DIRECTORY");
        bool ok = secretfile_read("key file", cases[i].setting, home.path, 100, &bytes, &error);
        g_assert_cmpint(ok, ==, cases[i].want != NULL);
        if (ok) {
            g_assert_cmpmem(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes),
                            cases[i].want, strlen(cases[i].want));
        } else {
            g_assert_true(err_is(error, ERR_CONFIG));
            g_assert_nonnull(strstr(error->message, cases[i].want_error));
        }
        g_assert_cmpint(secretfile_within_reach(cases[i].setting), ==,
                        handed || !secretfile_credential(cases[i].setting));
    }
}

static void
test_large(void)
{
    g_auto(TmpDir) home = tmpdir_new();
    g_autoptr(GBytes) bytes = NULL;
    g_autoptr(GError) error = NULL;

    tmpdir_write(&home, "key", "0123456789", 0600);
    g_assert_false(secretfile_read("key file", "key", home.path, 9, &bytes, &error));
    g_assert_true(err_is(error, ERR_LIMIT));
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/secretfile/read", test_read);
    g_test_add_func("/secretfile/large", test_large);
    return g_test_run();
}
