/* Waiting for a mail that has been asked for: until it is here, or somebody calls, without a rush. */
#include "engine/run/demand.h"
#include "base/cleanup.h"
#include "base/lock.h"
#include "store/sql.h"
#include "testwork.h"
#include <signal.h>
#include <sqlite3.h>
#include <sys/time.h>

#define CALLED_US 200000

static const char settings[] =
    "[postrider]\nowner = ann@example.org\ndomain = example.org\n[brain b]\nkind = script\n"
    "[account w]\nkind = imap\nhost = 127.0.0.1\nuser = envoy@example.org\nrole = envoy\n"
    "[role envoy]\naddress = envoy@example.org\nbrain = b\n";

static unsigned looks;

static int
count_look(unsigned kind, void *data, void *stmt, void *sql)
{
    looks += strstr(sql, "FROM demand") != NULL;
    return 0;
}

static void
call(int signum)
{
    (void)kill(getpid(), SIGTERM); /* blocked, as in a run */
}

/* The account is at work, and has not answered when the run is told to end. */
static void
test_called(TestWork *w, gconstpointer data)
{
    const struct itimerval once = {.it_value.tv_usec = CALLED_US};
    const struct sigaction action = {.sa_handler = call};
    g_autoptr(GError) error = NULL;
    g_autoptr(MsgRow) row = NULL;
    auto_fd lock = -1;
    sigset_t term;
    int got;

    config_free(w->home->config);
    g_assert_true(config_parse(settings, strlen(settings), "t", &w->home->config, &error));
    g_assert_true(lock_take(w->home->state_fd, "account-w.lock", 0, &lock, &error));
    g_assert_cmpint(sigemptyset(&term) | sigaddset(&term, SIGTERM), ==, 0);
    g_assert_cmpint(sigprocmask(SIG_BLOCK, &term, NULL), ==, 0);
    g_assert_cmpint(sigaction(SIGALRM, &action, NULL), ==, 0);
    g_assert_cmpint(
        sqlite3_trace_v2(sql_handle(w->engine.db), SQLITE_TRACE_STMT, count_look, NULL), ==,
        SQLITE_OK);
    int64_t began_us = g_get_monotonic_time();
    g_assert_cmpint(setitimer(ITIMER_REAL, &once, NULL), ==, 0);
    demand_mail(&w->engine, "envoy", "gone@x", "", &row, &error);
    g_assert_no_error(error);
    g_assert_null(row);
    g_assert_cmpint(sigwait(&term, &got), ==, 0);
    g_assert_cmpint(g_get_monotonic_time() - began_us, >=, CALLED_US);
    g_assert_cmpuint(looks, >, 1);
    g_assert_cmpuint(looks, <, 20);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/demand/called", TestWork, NULL, work_open, test_called, work_close);
    return g_test_run();
}
