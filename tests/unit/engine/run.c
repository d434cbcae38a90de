#include "engine/run/run.h"
#include "base/banned.h"
#include "base/err.h"
#include "brain/brain.h"
#include "cli/faces.h"
#include "testwork.h"
#include <signal.h>

#define GO_ON "{\"status\":\"continue\",\"current_phase\":\"working\"}\n"
#define END_IT                                                                                 \
    "{\"status\":\"complete\",\"current_phase\":\"complete\","                                 \
    "\"send_emails\":[{\"to\":[],\"body\":\"Done.\"}]}\n"

static const char task[] =
    "From: ann@example.org\nTo: envoy@example.org\nSubject: s\nMessage-ID: <a@x>\n\nGo.\n";

const BrainOps *const brain_kinds[] = {&brain_script, NULL};

/* Who presses Ctrl-C, or whose order comes, when the step has just happened. */
static int late;

static void
be_late(const Engine *engine, JobId job)
{
    g_assert_cmpint(raise(late), ==, 0);
}

static void
script(TestWork *w, const char *answers)
{
    g_autofree char *folder = g_build_filename(w->home->path, "scripts", NULL);

    g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
    test_write(folder, "demo.jsonl", answers);
    work_take_in(w, "envoy", task, TRUST_PRINCIPAL, MSG_STORED);
}

static JobState
state_of(TestWork *w, int *ret_steps)
{
    const Viewer all = VIEWER_OPERATOR;
    g_autoptr(GError) error = NULL;
    g_autoptr(Job) job = NULL;

    job_load(w->engine.db, &all, w->id, &job, &error);
    g_assert_no_error(error);
    *ret_steps = (int)job->total_iterations;
    return job->state;
}

/* Nobody but us blocks these signals: what came too late for the step must not end the caller, who
 * has an answer to print. */
static void
test_late(void)
{
    static const struct {
        const char *name;
        int signal;
        const char *answers;
        int code; /* of the error; 0: none */
        int steps;
        JobState state;
    } cases[] = {
        {"Ctrl-C behind the last step", SIGINT, END_IT, ERR_CANCELLED, 1, JOB_DONE},
        {"the end of the master", SIGTERM, END_IT, ERR_CANCELLED, 1, JOB_DONE},
        {"an order", SIGUSR1, END_IT, 0, 1, JOB_DONE},
        {"Ctrl-C between two", SIGINT, GO_ON END_IT, ERR_CANCELLED, 1, JOB_QUEUED},
        {"an order between two", SIGUSR1, GO_ON END_IT, 0, 2, JOB_DONE},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_test_message("%s", cases[i].name);
        g_autoptr(GError) error = NULL;
        const RunLimits limits = {.mark = JOB_NO_MARK, .committed = be_late};
        RunStats stats = {0};
        TestWork own;
        bool got;
        int steps;

        work_open(&own, NULL);
        script(&own, cases[i].answers);
        late = cases[i].signal;
        run_one(&own.engine, own.id, &limits, &stats, &got, &error);
        g_assert_true(got);
        if (cases[i].code)
            g_assert_error(error, ERR_DOMAIN, cases[i].code);
        else
            g_assert_no_error(error);
        g_assert_cmpint(state_of(&own, &steps), ==, cases[i].state);
        g_assert_cmpint(steps, ==, cases[i].steps);
        /* Who asked whose job it is may send its word when it is nobody's any more. */
        g_assert_cmpint(raise(SIGUSR1), ==, 0);
        work_close(&own, NULL);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/engine/run/late", test_late);
    return g_test_run();
}
