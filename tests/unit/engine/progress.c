/* A word about long work: to whom, how often, and when there is none. */
#include "engine/people/progress.h"
#include "base/cleanup.h"
#include "store/job/timers.h"
#include "testwork.h"
#include <sys/socket.h>
#include <sys/un.h>

#define EVERY (600 * USEC_PER_SEC)
#define TASK(from)                                                                             \
    "From: " from "\nTo: envoy@example.org\nSubject: s\nMessage-ID: <a@x>\n\nGo.\n"

static int64_t
due_of(TestWork *w)
{
    int64_t due;

    g_assert_true(timer_find(w->engine.db, w->id, TIMER_PROGRESS, &due, NULL));
    return due;
}

/* The master's ear: whoever has put a mail into the outbox says so. */
static int
listen_at(TestWork *w)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    g_snprintf(at.sun_path, sizeof at.sun_path, "%s/state/wake.sock", w->home->path);
    g_assert_cmpint(bind(fd, (struct sockaddr *)&at, sizeof at), ==, 0);
    return fd;
}

static bool
say(TestWork *w)
{
    g_autoptr(GError) error = NULL;
    bool said = true;

    progress_say(&w->engine, w->id, &said, &error);
    g_assert_no_error(error);
    return said;
}

static void
test_say(void)
{
    static const struct {
        const char *name, *task;
        int64_t every;
        bool stopped, want;
    } cases[] = {
        {"a person waits", TASK("ann@example.org"), EVERY, false, true},
        {"nobody wants to hear of it", TASK("ann@example.org"), 0, false, false},
        {"a role waits", TASK("scribe@example.org"), EVERY, false, false},
        {"a stranger waits", TASK("bob@else.example"), EVERY, false, false},
        {"it was stopped", TASK("ann@example.org"), EVERY, true, false},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_test_message("%s", cases[i].name);
        g_autoptr(GError) error = NULL;
        TestWork w;
        bool did;

        work_open(&w, NULL);
        w.home->config->progress_every_us = cases[i].every;
        work_take_in(&w, "envoy", cases[i].task, TRUST_PRINCIPAL, MSG_STORED);
        work_claim(&w);
        Txn txn = test_begin(w.engine.db);
        g_assert_true(!cases[i].stopped || job_stop(&txn, w.id, "because", &did, &error));
        g_assert_true(timer_set(&txn, w.id, TIMER_PROGRESS, TEST_NOW + EVERY, &error));
        test_commit(&txn);
        g_assert_false(say(&w)); /* too early */
        g_assert_cmpint(due_of(&w), ==, TEST_NOW + EVERY);

        w.home->clock.fixed_wall_us += EVERY;
        auto_fd ear = listen_at(&w);
        char heard[8];
        g_assert_cmpint(say(&w), ==, cases[i].want);
        g_assert_cmpint(recv(ear, heard, sizeof heard, 0) == 1, ==, cases[i].want);
        g_assert_cmpint(due_of(&w), ==, cases[i].want ? TEST_NOW + 2 * EVERY : USEC_NEVER);
        work_close(&w, NULL);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/progress/say", test_say);
    return g_test_run();
}
