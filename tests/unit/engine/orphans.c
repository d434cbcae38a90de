/* Of the processes on this machine those of one workplace end, and no other. */
#include "engine/run/orphans.h"
#include <glib.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process that waits for a word on its stdin, which *ret_in is the other end of. */
static pid_t
start(const char *work, int *ret_in)
{
    char *const argv[] = {(char *)"cat", NULL};
    g_auto(GStrv) env = g_environ_setenv(g_get_environ(), "POSTRIDER_WORK", work, TRUE);
    g_autoptr(GError) error = NULL;
    GPid pid;

    g_spawn_async_with_pipes(NULL, (char **)argv, env,
                             G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &pid,
                             ret_in, NULL, NULL, &error);
    g_assert_no_error(error);
    return pid;
}

static int
end_of(pid_t pid, int in)
{
    int status;

    close(in);
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void
test_end(void)
{
    g_autofree char *ours = g_strdup_printf("/nowhere/%d/job", (int)getpid());
    g_autofree char *longer = g_strconcat(ours, "-2", NULL);
    int in[3];
    pid_t first = start(ours, &in[0]), second = start(ours, &in[1]),
          other = start(longer, &in[2]);

    g_assert_cmpuint(orphans_end(ours), ==, 2);
    g_assert_cmpint(end_of(first, in[0]), ==, SIGKILL);
    g_assert_cmpint(end_of(second, in[1]), ==, SIGKILL);
    g_assert_cmpint(end_of(other, in[2]), ==, 0);
    g_assert_cmpuint(orphans_end(ours), ==, 0);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/orphans/end", test_end);
    return g_test_run();
}
