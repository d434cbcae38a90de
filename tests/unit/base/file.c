#include "base/file.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/exchange.h"
#include "tmpdir.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

/* One of everything that may lie in a folder. */
static void
fill(const TmpDir *dir)
{
    g_assert_cmpint(mkdirat(dir->fd, "sub", 0700), ==, 0);
    tmpdir_write(dir, "file", "content", 0600);
    tmpdir_write(dir, "sub/file", "below", 0600);
    tmpdir_write(dir, "empty", "", 0600);
    g_assert_cmpint(mkfifoat(dir->fd, "fifo", 0600), ==, 0);
    g_assert_cmpint(symlinkat("file", dir->fd, "link"), ==, 0);
    g_assert_cmpint(symlinkat("gone", dir->fd, "dangling"), ==, 0);
    g_assert_cmpint(symlinkat("/etc", dir->fd, "etc"), ==, 0);
    g_assert_cmpint(symlinkat("sub", dir->fd, "sublink"), ==, 0);
}

static const struct {
    const char *path;
    const char *want_text;  /* NULL and no error: not there */
    const char *want_error; /* a part of the message */
} reads[] = {
    {"file", "content", NULL},
    {"./file", "content", NULL},
    {"sub/file", "below", NULL},
    {"sub//file", "below", NULL},
    {"empty", "", NULL},
    {"gone", NULL, NULL},
    {"gone/file", NULL, NULL},
    {"sub", NULL, "is a folder"},
    {"fifo", NULL, "is a FIFO"},
    {"link", NULL, "symbolic links"},
    {"dangling", NULL, "symbolic links"},
    {"etc/passwd", NULL, "'etc/passwd'"},
    {"sublink/file", NULL, "'sublink/file'"},
    {"../file", NULL, "'../file'"},
    {"sub/../file", NULL, "'sub/../file'"},
    {"/etc/passwd", NULL, "'/etc/passwd'"},
    {"", NULL, "''"},
    {"file/x", NULL, "'file/x'"},
};

static void
test_read(void)
{
    g_auto(TmpDir) dir = tmpdir_new();

    fill(&dir);
    for (size_t i = 0; i < G_N_ELEMENTS(reads); i++) {
        g_autoptr(GBytes) bytes = NULL;
        g_autoptr(GError) error = NULL;
        bool ok = file_read(dir.fd, reads[i].path, 100, &bytes, &error);

        g_test_message("'%s': %s", reads[i].path, error ? error->message : "ok");
        g_assert_true(ok == !reads[i].want_error);
        if (!ok) {
            g_assert_true(err_is(error, ERR_NEVER));
            g_assert_nonnull(strstr(error->message, reads[i].want_error));
        } else if (!reads[i].want_text) {
            g_assert_null(bytes);
        } else {
            gsize len;
            const void *data = g_bytes_get_data(bytes, &len);
            g_assert_cmpmem(data, len, reads[i].want_text, strlen(reads[i].want_text));
        }
    }
}

static void
test_read_limit(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    g_autoptr(GBytes) whole = NULL, cut = NULL, endless = NULL;
    g_autoptr(GError) error = NULL, never_ends = NULL;
    auto_fd zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);

    tmpdir_write(&dir, "f", "12345", 0600);
    g_assert_true(file_read(dir.fd, "f", 5, &whole, NULL));
    g_assert_false(file_read(dir.fd, "f", 4, &cut, &error));
    g_assert_true(err_is(error, ERR_LIMIT));
    g_assert_cmpstr(error->message, ==, "'f': is larger than the limit of 4 bytes");
    g_assert_false(file_read_fd(zero, 1 << 20, &endless, &never_ends));
    g_assert_true(err_is(never_ends, ERR_LIMIT));
}

static void
test_open_kinds(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    g_autoptr(GError) error = NULL;

    fill(&dir);
    auto_fd folder = file_open_beneath(dir.fd, "sub", O_RDONLY | O_DIRECTORY, 0, NULL);
    auto_fd path = file_open_beneath(dir.fd, "fifo", O_PATH, 0, NULL);
    auto_fd fresh = file_open_beneath(dir.fd, "sub/new", O_RDWR | O_CREAT, 0640, NULL);

    g_assert_cmpint(folder, >=, 0);
    g_assert_cmpint(path, >=, 0);
    g_assert_cmpint(fresh, >=, 0);
    g_assert_cmpint(fcntl(fresh, F_GETFD) & FD_CLOEXEC, !=, 0);
    g_assert_cmpint(file_open_beneath(dir.fd, "fifo", O_WRONLY, 0, &error), ==, -1);
    g_assert_nonnull(error);
}

static void
test_folders(void)
{
    static const char *const bad[] = {"../x", "/x", "", "a/../b", "file/x", "sublink/x"};
    g_auto(TmpDir) dir = tmpdir_new();

    fill(&dir);
    g_assert_true(dir_make(dir.fd, "a/b/c", 0700, NULL));
    g_assert_true(dir_make(dir.fd, "a/b/c", 0700, NULL));
    g_assert_true(dir_make(dir.fd, "./a//d/", 0700, NULL));
    auto_fd c = dir_open_beneath(dir.fd, "a/b/c", NULL);
    g_assert_cmpint(c, >=, 0);
    auto_fd itself = dir_open_beneath(dir.fd, ".", NULL);
    g_assert_cmpint(itself, >=, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_false(dir_make(dir.fd, bad[i], 0700, &error));
        g_assert_true(err_is(error, ERR_NEVER));
    }
    g_assert_cmpint(dir_open("/nonexistent", NULL), ==, -1);
}

static void
test_replace(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    g_autoptr(GError) error = NULL;
    struct stat st;

    g_assert_cmpint(mkdirat(dir.fd, "sub", 0700), ==, 0);
    g_assert_true(file_replace(dir.fd, "sub/f", "one", 3, 0600, NULL));
    g_assert_true(file_replace(dir.fd, "sub/f", "two!", 4, 0600, NULL));
    g_assert_true(file_replace(dir.fd, "empty", NULL, 0, 0600, NULL));

    g_autofree char *text = tmpdir_read(&dir, "sub/f"), *empty = tmpdir_read(&dir, "empty");
    g_assert_cmpstr(text, ==, "two!");
    g_assert_cmpstr(empty, ==, "");
    g_assert_cmpint(fstatat(dir.fd, "sub/f", &st, 0), ==, 0);
    g_assert_cmpint(st.st_mode & 07777, ==, 0600);

    g_assert_false(file_replace(dir.fd, "sub", "x", 1, 0600, &error));
    g_assert_true(g_str_has_prefix(error->message, "writing 'sub': "));
    g_assert_false(file_replace(dir.fd, "gone/f", "x", 1, 0600, NULL));
    g_assert_false(file_replace(dir.fd, "../f", "x", 1, 0600, NULL));
    g_assert_false(file_replace(dir.fd, "sub/", "x", 1, 0600, NULL));
    g_assert_cmpuint(tmpdir_count(&dir), ==, 2);
}

static void
test_create(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    g_autoptr(GError) error = NULL;

    g_assert_true(file_create(dir.fd, "f", "one", 3, 0600, NULL));
    g_assert_false(file_create(dir.fd, "f", "two", 3, 0600, &error));
    g_assert_true(err_is(error, ERR_NEVER));
    g_autofree char *text = tmpdir_read(&dir, "f");
    g_assert_cmpstr(text, ==, "one");
    g_assert_cmpuint(tmpdir_count(&dir), ==, 1);
}

/* What does not fit leaves the old content and no tmp file. */
static void
test_no_space(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    g_autoptr(GError) error = NULL;
    g_autofree char *large = g_strnfill(10000, 'x');
    struct rlimit old, small = {.rlim_cur = 4096};

    tmpdir_write(&dir, "f", "old", 0600);
    (void)signal(SIGXFSZ, SIG_IGN);
    g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &old), ==, 0);
    small.rlim_max = old.rlim_max;
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &small), ==, 0);
    bool ok = file_replace(dir.fd, "f", large, 10000, 0600, &error);
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &old), ==, 0);

    g_assert_false(ok);
    g_assert_true(err_is(error, ERR_LATER));
    g_autofree char *text = tmpdir_read(&dir, "f");
    g_assert_cmpstr(text, ==, "old");
    g_assert_cmpuint(tmpdir_count(&dir), ==, 1);
}

static void
on_alarm(int sig)
{
}

/* A reader that takes a little at a time, and a signal every millisecond. */
static void
test_short_writes(void)
{
    struct sigaction action = {.sa_handler = on_alarm}, before;
    struct itimerval often = {{0, 1000}, {0, 1000}}, never = {0};
    size_t len = 1 << 20;
    g_autofree char *data = g_strnfill(len, 'x');
    int fds[2];

    g_assert_cmpint(pipe2(fds, O_CLOEXEC), ==, 0);
    g_assert_cmpint(fcntl(fds[1], F_SETFL, O_NONBLOCK), ==, 0);
    pid_t child = fork();
    if (child == 0) {
        char buf[777];
        size_t got = 0;
        ssize_t n;

        (void)close(fds[1]);
        while ((n = read(fds[0], buf, sizeof buf)) > 0)
            got += (size_t)n;
        _exit(got == len ? 0 : 1);
    }
    (void)close(fds[0]);
    g_assert_cmpint(sigaction(SIGALRM, &action, &before), ==, 0);
    g_assert_cmpint(setitimer(ITIMER_REAL, &often, NULL), ==, 0);
    bool ok = file_write_all(fds[1], data, len, NULL);
    g_assert_cmpint(setitimer(ITIMER_REAL, &never, NULL), ==, 0);
    g_assert_cmpint(sigaction(SIGALRM, &before, NULL), ==, 0);
    g_assert_true(ok);
    (void)close(fds[1]);

    int status;
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_cmpint(status, ==, 0);
}

static void
test_exchange(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    g_autoptr(GBytes) none = NULL, old = NULL, last = NULL, gone = NULL;
    g_autofree char *no_tmp = NULL, *tmp = NULL;

    g_assert_cmpint(mkdirat(dir.fd, "sub", 0700), ==, 0);
    g_assert_true(file_exchange(dir.fd, "sub/n.md", "one", 3, 0600, &none, &no_tmp, NULL));
    g_assert_null(none);
    g_assert_null(no_tmp);
    g_assert_true(file_exchange(dir.fd, "sub/n.md", "two", 3, 0600, &old, &tmp, NULL));
    g_assert_cmpmem(g_bytes_get_data(old, NULL), g_bytes_get_size(old), "one", 3);
    g_assert_true(g_str_has_prefix(tmp, "sub/"));
    g_assert_true(file_is_tmp(tmp + 4));
    g_assert_cmpstr(file_swap_of(tmp + 4), ==, "n.md");

    /* An editor that had it open writes only now. */
    tmpdir_write(&dir, tmp, "edited", 0600);
    g_assert_true(file_exchange_finish_if(dir.fd, tmp, old, &last, NULL));
    g_assert_cmpmem(g_bytes_get_data(last, NULL), g_bytes_get_size(last), "edited", 6);
    g_clear_pointer(&last, g_bytes_unref);
    g_assert_true(file_exchange_finish(dir.fd, tmp, &last, NULL));
    g_assert_cmpmem(g_bytes_get_data(last, NULL), g_bytes_get_size(last), "edited", 6);
    g_assert_true(file_exchange_finish(dir.fd, tmp, &gone, NULL));
    g_assert_null(gone);

    g_autofree char *text = tmpdir_read(&dir, "sub/n.md");
    g_assert_cmpstr(text, ==, "two");
}

static void
test_exchange_open(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    g_autoptr(GBytes) old = NULL, last = NULL;
    g_autoptr(GError) error = NULL;
    g_autofree char *tmp = NULL;

    tmpdir_write(&dir, "n.md", "one", 0600);
    int editor = openat(dir.fd, "n.md", O_WRONLY | O_APPEND | O_CLOEXEC);
    g_assert_true(file_exchange(dir.fd, "n.md", "two", 3, 0600, &old, &tmp, NULL));
    g_assert_false(file_exchange_finish(dir.fd, tmp, &last, &error));
    g_assert_true(err_is(error, ERR_LATER));
    g_assert_cmpint(write(editor, "+", 1), ==, 1);
    (void)close(editor);
    g_assert_true(file_exchange_finish(dir.fd, tmp, &last, NULL));
    g_assert_cmpmem(g_bytes_get_data(last, NULL), g_bytes_get_size(last), "one+", 4);
    g_assert_cmpuint(tmpdir_count(&dir), ==, 1);
}

static void
test_displace(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    g_autoptr(GBytes) old = NULL, none = NULL, last = NULL;
    g_autoptr(GError) error = NULL;
    g_autofree char *tmp = NULL, *no_tmp = NULL;

    tmpdir_write(&dir, "n.md", "one", 0600);
    g_assert_true(file_displace(dir.fd, "n.md", &old, &tmp, NULL));
    g_assert_cmpmem(g_bytes_get_data(old, NULL), g_bytes_get_size(old), "one", 3);
    g_assert_cmpstr(file_swap_of(tmp), ==, "n.md");
    g_assert_true(file_displace(dir.fd, "n.md", &none, &no_tmp, NULL));
    g_assert_null(none);
    g_assert_null(no_tmp);
    g_assert_true(file_exchange_finish(dir.fd, tmp, &last, NULL));
    g_assert_cmpuint(tmpdir_count(&dir), ==, 0);
    g_assert_cmpint(symlinkat("/", dir.fd, "link"), ==, 0);
    g_assert_false(file_displace(dir.fd, "link", &none, &no_tmp, &error));
    g_assert_true(err_is(error, ERR_NEVER));
}

static void
test_has_writer(void)
{
    g_auto(TmpDir) dir = tmpdir_new();

    tmpdir_write(&dir, "n.md", "one", 0600);
    int fd = openat(dir.fd, "n.md", O_RDONLY | O_CLOEXEC);
    g_assert_false(file_has_writer(fd));
    int editor = openat(dir.fd, "n.md", O_WRONLY | O_CLOEXEC); /* nothing holds it up */
    g_assert_true(file_has_writer(fd));
    (void)close(editor);
    g_assert_false(file_has_writer(fd));
    (void)close(fd);
}

static void
test_exchange_foreign(void)
{
    static const char *const bad[] = {"sub", "fifo", "link", "../x"};
    g_auto(TmpDir) dir = tmpdir_new();

    fill(&dir);
    unsigned before = tmpdir_count(&dir);
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autoptr(GBytes) old = NULL;
        g_autoptr(GError) error = NULL;
        g_autofree char *tmp = NULL;

        g_assert_false(file_exchange(dir.fd, bad[i], "x", 1, 0600, &old, &tmp, &error));
        g_assert_true(err_is(error, ERR_NEVER));
    }
    g_assert_cmpuint(tmpdir_count(&dir), ==, before);
}

static void
test_sweep(void)
{
    static const struct {
        const char *name;
        time_t age;
        bool want_gone;
    } files[] = {
        {".postrider-tmp-0", 7200, true},  {".postrider-tmp-1", 60, false},
        {".postrider-tmp-2", -7200, true}, {".postrider-swap-0123456789abcdef-n", 7200, false},
        {"note.md", 7200, false},          {".hidden", 7200, false},
    };
    g_auto(TmpDir) dir = tmpdir_new();
    unsigned removed;

    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        struct timespec when = {.tv_sec = time(NULL) - files[i].age};
        struct timespec both[2] = {when, when};

        tmpdir_write(&dir, files[i].name, "x", 0600);
        g_assert_cmpint(utimensat(dir.fd, files[i].name, both, 0), ==, 0);
    }
    g_assert_cmpint(mkdirat(dir.fd, ".postrider-tmp-folder", 0700), ==, 0);
    g_assert_true(file_sweep(dir.fd, 3600 * USEC_PER_SEC, &removed, NULL));
    g_assert_cmpuint(removed, ==, 2);
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++)
        g_assert_true((faccessat(dir.fd, files[i].name, F_OK, 0) != 0) == files[i].want_gone);
}

static const struct {
    const char *name;
    bool want_tmp;
    const char *want_swap_of;
} names[] = {
    {".postrider-tmp-1", true, NULL},
    {".postrider-swap-0123456789abcdef-a-b.md", true, "a-b.md"},
    {".postrider-swap-012-x", true, NULL},
    {"note.md", false, NULL},
    {"x.postrider-tmp-1", false, NULL},
};

static void
test_names(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_assert_true(file_is_tmp(names[i].name) == names[i].want_tmp);
        g_assert_cmpstr(file_swap_of(names[i].name), ==, names[i].want_swap_of);
    }
}

/* Whatever a program may leave: links, folders that nobody may read or change, a deep tree. */
static void
test_remove(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    unsigned n;

    g_assert_cmpint(mkdirat(dir.fd, "out", 0700), ==, 0);
    tmpdir_write(&dir, "out/stays", "x", 0600);
    g_assert_cmpint(mkdirat(dir.fd, "tree", 0700), ==, 0);
    g_assert_cmpint(symlinkat("../out", dir.fd, "tree/link"), ==, 0);
    g_assert_cmpint(mkdirat(dir.fd, "tree/locked", 0700), ==, 0);
    tmpdir_write(&dir, "tree/locked/file", "x", 0400);
    g_assert_cmpint(mkdirat(dir.fd, "tree/locked/below", 0), ==, 0);
    g_assert_cmpint(fchmodat(dir.fd, "tree/locked", 0500, 0), ==, 0);
    auto_fd at = openat(dir.fd, "tree", O_RDONLY | O_DIRECTORY);
    for (unsigned i = 0; i < 3000; i++) {
        g_assert_cmpint(mkdirat(at, "a-name-that-makes-the-path-long", 0700), ==, 0);
        int next = openat(at, "a-name-that-makes-the-path-long", O_RDONLY | O_DIRECTORY);
        g_assert_cmpint(close(at), ==, 0);
        at = next;
    }
    n = dir_remove(dir.fd, "tree", 5);
    g_assert_cmpuint(n, >=, 5);
    g_assert_cmpuint(n, <, 10);
    g_assert_cmpuint(dir_remove(dir.fd, "tree", UINT_MAX), >, 2990);
    g_assert_cmpint(faccessat(dir.fd, "tree", F_OK, 0), <, 0);
    g_assert_cmpuint(dir_remove(dir.fd, "tree", UINT_MAX), ==, 0);
    g_assert_cmpint(faccessat(dir.fd, "out/stays", F_OK, 0), ==, 0);
    g_assert_cmpint(symlinkat("out", dir.fd, "tree"), ==, 0);
    g_assert_cmpuint(dir_remove(dir.fd, "tree", UINT_MAX), ==, 0);
    g_assert_cmpint(faccessat(dir.fd, "out/stays", F_OK, 0), ==, 0);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/file/read", test_read);
    g_test_add_func("/file/read-limit", test_read_limit);
    g_test_add_func("/file/open-kinds", test_open_kinds);
    g_test_add_func("/file/folders", test_folders);
    g_test_add_func("/file/replace", test_replace);
    g_test_add_func("/file/create", test_create);
    g_test_add_func("/file/no-space", test_no_space);
    g_test_add_func("/file/short-writes", test_short_writes);
    g_test_add_func("/file/exchange", test_exchange);
    g_test_add_func("/file/exchange-open", test_exchange_open);
    g_test_add_func("/file/displace", test_displace);
    g_test_add_func("/file/has-writer", test_has_writer);
    g_test_add_func("/file/exchange-foreign", test_exchange_foreign);
    g_test_add_func("/file/sweep", test_sweep);
    g_test_add_func("/file/names", test_names);
    g_test_add_func("/file/remove", test_remove);
    return g_test_run();
}
