#include "base/home.h"
#include "base/err.h"
#include "base/living.h"
#include "tmpdir.h"
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n"
#define OLDER "ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n"

static TmpDir
make_home(void)
{
    TmpDir dir = tmpdir_new();

    tmpdir_write(&dir, "key", KEY, 0600);
    tmpdir_write(&dir, "postrider.conf", "", 0600);
    return dir;
}

static void
test_open(void)
{
    g_auto(TmpDir) dir = make_home();
    g_autoptr(Home) home = NULL;
    g_autoptr(GError) error = NULL;
    struct stat st;

    g_assert_true(home_open(dir.path, &home, &error));
    g_assert_no_error(error);
    g_assert_cmpstr(home->path, ==, dir.path);
    g_assert_cmpuint(home->key.n, ==, 1);
    g_assert_cmpint(home->key.v[0][1], ==, 0x11);
    g_assert_cmpstr(home->config->owner, ==, "you@postrider.local");
    g_assert_cmpint(home->mail_fd, >=, 0);
    g_assert_cmpint(fstat(home->state_fd, &st), ==, 0);
    g_assert_cmpint(st.st_mode & 07777, ==, 0700);
    g_assert_cmpint(home_now(home), >, 0);
}

/* A home that is thrown away under its processes: whoever looks at its mark is told, and does not
 * look for ever. */
static void
test_thrown_away(void)
{
    g_auto(TmpDir) dir = make_home();
    g_autoptr(Home) home = NULL;
    g_autoptr(GError) error = NULL;
    g_autofree char *mail = g_build_filename(dir.path, "mail", NULL);
    g_autofree char *mark = g_build_filename(mail, LIVING_MARK, NULL);

    g_assert_true(home_open(dir.path, &home, NULL));
    g_assert_true(living_check(home, false, NULL));
    g_assert_cmpint(g_unlink(mark), ==, 0);
    g_assert_cmpint(g_rmdir(mail), ==, 0);
    alarm(30);
    g_assert_false(living_check(home, false, &error));
    g_assert_nonnull(error);
    alarm(0);
}

static void
test_bare(void)
{
    g_auto(TmpDir) dir = make_home();
    g_autoptr(Home) home = NULL;

    tmpdir_write(&dir, "postrider.conf", "nonsense", 0600);
    g_assert_true(home_open_bare(dir.path, &home, NULL));
    g_assert_null(home->config);
    tmpdir_write(&dir, "postrider.conf", "[postrider]\nworkers = 7\n", 0600);
    g_assert_true(home_reload(home, NULL));
    g_assert_cmpint(home->config->workers, ==, 7);
}

static void
test_reload(void)
{
    g_auto(TmpDir) dir = make_home();
    g_autoptr(Home) home = NULL;
    g_autoptr(GError) error = NULL;

    g_assert_true(home_open(dir.path, &home, NULL));
    tmpdir_write(&dir, "postrider.conf", "[postrider]\nwrokers = 3\n", 0600);
    g_assert_false(home_reload(home, &error));
    g_assert_true(err_is(error, ERR_CONFIG));
    g_assert_cmpint(home->config->workers, ==, 16);
    tmpdir_write(&dir, "postrider.conf", "[postrider]\nworkers = 3\n", 0600);
    g_assert_true(home_reload(home, NULL));
    g_assert_cmpint(home->config->workers, ==, 3);
}

static const struct {
    const char *text;
    mode_t mode;
    unsigned want_n;
    const char *want_error;
} keys[] = {
    {KEY, 0600, 1, NULL},
    {KEY OLDER, 0400, 2, NULL},
    {"\n" KEY "\n\n", 0600, 1, NULL},
    {KEY, 0640, 0, "chmod 600"},
    {KEY, 0604, 0, "chmod 600"},
    {"", 0600, 0, "damaged"},
    {"short\n", 0600, 0, "damaged"},
    {KEY "x\n", 0600, 0, "damaged"},
    {KEY KEY KEY KEY KEY KEY KEY KEY, 0600, 8, NULL},
    {KEY KEY KEY KEY KEY KEY KEY KEY KEY, 0600, 0, "damaged"},
};

static void
test_keys(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        g_auto(TmpDir) dir = make_home();
        g_autoptr(Home) home = NULL;
        g_autoptr(GError) error = NULL;

        tmpdir_write(&dir, "key", keys[i].text, keys[i].mode);
        bool ok = home_open(dir.path, &home, &error);
        g_test_message("%zu: %s", i, error ? error->message : "ok");
        g_assert_true(ok == !keys[i].want_error);
        if (ok) {
            g_assert_cmpuint(home->key.n, ==, keys[i].want_n);
            continue;
        }
        g_assert_true(err_is(error, ERR_CONFIG));
        g_assert_nonnull(strstr(error->message, keys[i].want_error));
        g_assert_nonnull(strstr(error->message, dir.path));
    }
}

/* A home that others can change, and what is no home at all. */
static void
test_not_a_home(void)
{
    g_auto(TmpDir) open_to_all = make_home(), no_key = make_home(), no_conf = make_home();
    const struct {
        const char *path;
        const char *want;
    } cases[] = {
        {open_to_all.path, "chmod 700"},  {no_key.path, "postrider init"},
        {no_conf.path, "postrider init"}, {"/nonexistent", "postrider init"},
        {"/dev/null", "Not a directory"}, /* init would not help there */
    };

    g_assert_cmpint(fchmod(open_to_all.fd, 0777), ==, 0);
    g_assert_cmpint(unlinkat(no_key.fd, "key", 0), ==, 0);
    g_assert_cmpint(unlinkat(no_conf.fd, "postrider.conf", 0), ==, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Home) home = NULL;
        g_autoptr(GError) error = NULL;

        g_assert_false(home_open(cases[i].path, &home, &error));
        g_test_message("%s", error->message);
        g_assert_true(err_is(error, ERR_CONFIG));
        g_assert_nonnull(strstr(error->message, cases[i].path));
        g_assert_nonnull(strstr(error->message, cases[i].want));
    }
}

static void
make_missing(const TmpDir *dir)
{
    g_assert_cmpint(unlinkat(dir->fd, "postrider.conf", 0), ==, 0);
}

static void
make_folder(const TmpDir *dir)
{
    make_missing(dir);
    g_assert_cmpint(mkdirat(dir->fd, "postrider.conf", 0700), ==, 0);
}

static void
make_fifo(const TmpDir *dir)
{
    make_missing(dir);
    g_assert_cmpint(mkfifoat(dir->fd, "postrider.conf", 0600), ==, 0);
}

static void
make_unreadable(const TmpDir *dir)
{
    g_assert_cmpint(fchmodat(dir->fd, "postrider.conf", 0, 0), ==, 0);
}

static void
make_huge(const TmpDir *dir)
{
    auto_fd fd = openat(dir->fd, "postrider.conf", O_WRONLY | O_CLOEXEC);

    g_assert_cmpint(ftruncate(fd, 1 << 30), ==, 0);
}

static void
make_binary(const TmpDir *dir)
{
    auto_fd fd = openat(dir->fd, "postrider.conf", O_WRONLY | O_CLOEXEC);

    g_assert_cmpint(write(fd, "[postrider]\n\0\377", 14), ==, 14);
}

/* Each says which file and why, and none hangs. */
static void
test_bad_config_files(void)
{
    static const struct {
        void (*make)(const TmpDir *dir);
        const char *want;
        bool not_for_root;
    } cases[] = {
        {make_missing, "has no postrider.conf", false},
        {make_folder, "is a folder", false},
        {make_fifo, "is a FIFO", false},
        {make_unreadable, "Permission denied", true},
        {make_huge, "limit of 1048576 bytes", false},
        {make_binary, "postrider.conf:2", false},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(TmpDir) dir = make_home();
        g_autoptr(Home) home = NULL;
        g_autoptr(GError) error = NULL;

        if (cases[i].not_for_root && geteuid() == 0)
            continue;
        cases[i].make(&dir);
        g_assert_false(home_open(dir.path, &home, &error));
        g_test_message("%s", error->message);
        g_assert_cmpint(err_exit_status(error), ==, 78);
        g_assert_nonnull(strstr(error->message, "postrider.conf"));
        g_assert_nonnull(strstr(error->message, cases[i].want));
    }
}

static void
test_find(void)
{
    g_autoptr(GError) error = NULL;

    g_setenv("HOME", "/h", TRUE);
    g_unsetenv("POSTRIDER_HOME");
    g_autofree char *by_home = home_find(NULL, NULL);
    g_setenv("POSTRIDER_HOME", "/e/", TRUE);
    g_autofree char *by_env = home_find(NULL, NULL);
    g_autofree char *by_option = home_find("/o/x/../y", NULL);
    g_unsetenv("POSTRIDER_HOME");
    g_unsetenv("HOME");
    g_autofree char *none = home_find(NULL, &error);

    g_assert_cmpstr(by_home, ==, "/h/.postrider");
    g_assert_cmpstr(by_env, ==, "/e");
    g_assert_cmpstr(by_option, ==, "/o/y");
    g_assert_null(none);
    g_assert_true(err_is(error, ERR_CONFIG));
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/home/open", test_open);
    g_test_add_func("/home/thrown-away", test_thrown_away);
    g_test_add_func("/home/bare", test_bare);
    g_test_add_func("/home/reload", test_reload);
    g_test_add_func("/home/keys", test_keys);
    g_test_add_func("/home/not-a-home", test_not_a_home);
    g_test_add_func("/home/bad-config-files", test_bad_config_files);
    g_test_add_func("/home/find", test_find);
    return g_test_run();
}
