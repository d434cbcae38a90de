#include "base/lock.h"
#include "base/clock.h"
#include "base/err.h"
#include "tmpdir.h"
#include <signal.h>
#include <sys/wait.h>

/* A child that holds the lock until it is killed; returns once it does. */
static pid_t
start_holder(const TmpDir *dir)
{
    int fds[2];
    char c;

    g_assert_cmpint(pipe2(fds, O_CLOEXEC), ==, 0);
    pid_t pid = fork();
    if (pid == 0) {
        int fd;

        if (!lock_take(dir->fd, "lock", 0, &fd, NULL) || write(fds[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            (void)pause();
    }
    (void)close(fds[1]);
    g_assert_cmpint(read(fds[0], &c, 1), ==, 1);
    (void)close(fds[0]);
    return pid;
}

static void
end_holder(pid_t pid)
{
    g_assert_cmpint(kill(pid, SIGKILL), ==, 0);
    g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
}

static void
test_taken(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    g_autoptr(GError) error = NULL;
    pid_t pid = start_holder(&dir);
    g_autofree char *want = g_strdup_printf("'lock' is locked by process %d", (int)pid);
    int fd = -1;

    g_assert_false(lock_take(dir.fd, "lock", 0, &fd, &error));
    g_assert_true(err_is(error, ERR_LATER));
    g_assert_cmpstr(error->message, ==, want);
    g_assert_cmpint(lock_holder(dir.fd, "lock"), ==, pid);

    int64_t before = clock_mono_us();
    g_assert_false(lock_take(dir.fd, "lock", 30, &fd, NULL));
    g_assert_cmpint(clock_mono_us() - before, >=, 30 * USEC_PER_MSEC);

    end_holder(pid);
    g_assert_true(lock_take(dir.fd, "lock", 0, &fd, NULL));
    g_assert_cmpint(lock_holder(dir.fd, "lock"), ==, getpid());
    (void)close(fd);
}

/* Waiting for ever ends when the holder is killed, however it is killed. */
static void
test_wait(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    pid_t holder = start_holder(&dir), killer = fork();
    int fd = -1;

    if (killer == 0)
        _exit(kill(holder, SIGKILL));
    g_assert_true(lock_take(dir.fd, "lock", -1, &fd, NULL));
    (void)close(fd);
    g_assert_cmpint(waitpid(killer, NULL, 0), ==, killer);
    g_assert_cmpint(waitpid(holder, NULL, 0), ==, holder);
}

/* What stands in the file says nothing about who holds it. */
static void
test_stale(void)
{
    static const char *const contents[] = {"", "1\n", "999999999\n", "nonsense", "-5\n"};

    for (size_t i = 0; i < G_N_ELEMENTS(contents); i++) {
        g_auto(TmpDir) dir = tmpdir_new();
        auto_fd fd = -1;

        tmpdir_write(&dir, "lock", contents[i], 0600);
        g_assert_true(lock_take(dir.fd, "lock", 0, &fd, NULL));
        g_assert_true(lock_holds(dir.fd, "lock", fd));
    }
}

/* The holder can tell that the name leads elsewhere. */
static void
test_replaced(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    auto_fd fd = -1;

    g_assert_true(lock_take(dir.fd, "lock", 0, &fd, NULL));
    g_assert_true(lock_holds(dir.fd, "lock", fd));
    g_assert_cmpint(unlinkat(dir.fd, "lock", 0), ==, 0);
    g_assert_false(lock_holds(dir.fd, "lock", fd));
    tmpdir_write(&dir, "lock", "", 0600);
    g_assert_false(lock_holds(dir.fd, "lock", fd));
}

/* Whoever only asks is not taken for the holder by another who asks at the same moment. */
static void
test_asked(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    auto_fd fd = -1;

    g_assert_false(lock_is_held(dir.fd, "lock"));
    tmpdir_write(&dir, "lock", "1\n", 0600);
    pid_t other = fork();
    if (other == 0)
        for (;;)
            (void)lock_is_held(dir.fd, "lock");
    for (int i = 0; i < 20000; i++)
        g_assert_false(lock_is_held(dir.fd, "lock"));
    end_holder(other);

    g_assert_true(lock_take(dir.fd, "lock", 0, &fd, NULL));
    g_assert_true(lock_is_held(dir.fd, "lock"));
}

static void
test_not_a_file(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    g_autoptr(GError) error = NULL;
    int fd = -1;

    g_assert_cmpint(mkdirat(dir.fd, "lock", 0700), ==, 0);
    g_assert_false(lock_take(dir.fd, "lock", 0, &fd, &error));
    g_assert_nonnull(error);
    g_assert_cmpint(lock_holder(dir.fd, "gone"), ==, 0);
    g_assert_cmpint(fd, ==, -1);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/lock/taken", test_taken);
    g_test_add_func("/lock/wait", test_wait);
    g_test_add_func("/lock/stale", test_stale);
    g_test_add_func("/lock/replaced", test_replaced);
    g_test_add_func("/lock/asked", test_asked);
    g_test_add_func("/lock/not-a-file", test_not_a_file);
    return g_test_run();
}
