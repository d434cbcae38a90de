#include "base/crash.h"
#include "tmpdir.h"
#include <signal.h>
#include <sys/wait.h>

/* The points are reached in a child: the one that dies must not be this one. */
static int
walk(const char *die_at, const char *points)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        if (die_at)
            g_setenv("POSTRIDER_DIE_AT", die_at, TRUE);
        if (points)
            g_setenv("POSTRIDER_POINTS", points, TRUE);
        CRASH_POINT("one");
        CRASH_POINT("two");
        CRASH_POINT("three");
        _exit(crash_armed ? 1 : 0);
    }
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static const struct {
    const char *die_at;
    int want;
    const char *want_points;
} cases[] = {
    {NULL, 1, "one\ntwo\nthree\n"},       {"two", -SIGKILL, "one\ntwo\n"},
    {"3", -SIGKILL, "one\ntwo\nthree\n"}, {"1", -SIGKILL, "one\n"},
    {"4", 1, "one\ntwo\nthree\n"},        {"nowhere", 1, "one\ntwo\nthree\n"},
};

static void
test_die(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(TmpDir) dir = tmpdir_new();
        g_autofree char *points = tmpdir_path(&dir, "points");

        g_assert_cmpint(walk(cases[i].die_at, points), ==, cases[i].want);
        g_autofree char *reached = tmpdir_read(&dir, "points");
        g_assert_cmpstr(reached, ==, cases[i].want_points);
    }
}

static void
test_unarmed(void)
{
    g_assert_cmpint(walk(NULL, NULL), ==, 0);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/crash/die", test_die);
    g_test_add_func("/crash/unarmed", test_unarmed);
    return g_test_run();
}
