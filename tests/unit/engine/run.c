#include "engine/run/run.h"
#include "base/err.h"
#include "brain/brain.h"
#include "cli/faces.h"
#include "letter/mode_letter.h"
#include "store/note/note_versions.h"
#include "store/sql.h"
#include "testwork.h"
#include <signal.h>
#include <sqlite3.h>

#define GO_ON "{\"status\":\"continue\",\"current_phase\":\"working\"}\n"
#define END_IT                                                                                 \
    "{\"status\":\"complete\",\"current_phase\":\"complete\","                                 \
    "\"send_emails\":[{\"to\":[],\"body\":\"Done.\"}]}\n"

#define ADD_NOTE                                                                               \
    "{\"status\":\"continue\",\"current_phase\":\"working\",\"add_notes\":[\"CONTENTS\"]}\n"
#define DROP_NOTE                                                                              \
    "{\"status\":\"continue\",\"current_phase\":\"working\",\"drop\":[\"CONTENTS\"]}\n"

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

static int64_t
answers(TestWork *w)
{
    g_autoptr(GError) error = NULL;
    int64_t n = -1;

    sql_int(w->engine.db, "SELECT count(*) FROM outbox", &n, &error, "");
    g_assert_no_error(error);
    return n;
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

/* What the store is asked while a run works: statements, and times that it is locked. */
typedef struct Asked {
    unsigned statements, locks;
} Asked;
static Asked asked, in_step[5]; /* in_step: of the steps by their number */
static unsigned steps_done;

static int
count_statement(unsigned kind, void *data, void *stmt, void *sql)
{
    g_assert_nonnull(sql);
    asked.statements++;
    asked.locks += g_str_has_prefix(sql, "BEGIN");
    return 0;
}

static void
count_step(const Engine *engine, JobId job)
{
    g_assert_cmpuint(steps_done, <, G_N_ELEMENTS(in_step));
    in_step[steps_done++] = asked;
    asked = (Asked){0};
}

/* Each statement costs some microseconds here, and the way to another machine in a store that is one. What
 * a step does not need is not asked: of statements it takes a tenth fewer than this. */
#define STATEMENTS_MOST 56
#define LOCKS_MOST 3

/* A job of five steps, counted. */
static void
count_job(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) body = g_bytes_new_static("what there is\n", 14);
    const NoteBy by = {.author = "you", .label = TRUST_PRINCIPAL};
    const RunLimits limits = {.mark = JOB_NO_MARK, .committed = count_step};
    RunStats stats = {0};
    TestWork own;
    bool got;

    work_open(&own, NULL);
    script(&own, ADD_NOTE DROP_NOTE ADD_NOTE DROP_NOTE END_IT);
    Txn txn = test_begin(own.engine.db);
    note_put(&txn, "CONTENTS", body, NOTE_ANY, &by, NULL, &error);
    test_commit(&txn);
    g_assert_no_error(error);
    asked = (Asked){0};
    steps_done = 0;
    g_assert_cmpint(
        sqlite3_trace_v2(sql_handle(own.engine.db), SQLITE_TRACE_STMT, count_statement, NULL),
        ==, SQLITE_OK);
    run_one(&own.engine, own.id, &limits, &stats, &got, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(steps_done, ==, G_N_ELEMENTS(in_step));
    work_close(&own, NULL);
}

/* Where a busy machine makes a step wait, what is looked at from time to time comes on top: of ten jobs one has none of that. */
static void
test_statements(void)
{
    for (int i = 0; i < 10; i++) {
        count_job();
        if (MAX(in_step[2].locks, in_step[3].locks) <= LOCKS_MOST)
            break;
    }
    for (unsigned i = 2; i < 4; i++) { /* all notes were shown before, and it is not the end */
        g_test_message("%u statements, %u locks", in_step[i].statements, in_step[i].locks);
        g_assert_cmpuint(in_step[i].statements, >, 0);
        g_assert_cmpuint(in_step[i].statements, <=, STATEMENTS_MOST);
        g_assert_cmpuint(in_step[i].locks, >, 0);
        g_assert_cmpuint(in_step[i].locks, <=, LOCKS_MOST);
    }
}

/* A program's job that was parked is asked again when its time comes, though no mail has; one that
 * has nothing open and was not is over. */
static void
test_woken(void)
{
    static const struct {
        const char *name;
        bool park;
    } cases[] = {{"parked", true}, {"nothing is open", false}};
    ModeOps mode = mode_letter;
    const ModeOps *const modes[] = {&mode, NULL};

    mode.mode = MODE_STEPS; /* that of the role of the tests */
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_test_message("%s", cases[i].name);
        g_autoptr(GError) error = NULL;
        const RunLimits limits = {.mark = JOB_NO_MARK};
        RunStats stats = {0};
        TestWork own;
        bool got, seen;
        int64_t seq;
        int steps;

        work_open(&own, NULL);
        own.engine.modes = modes;
        script(&own, GO_ON);
        work_claim(&own);
        Txn txn = test_begin(own.engine.db);
        const MsgRow *mail = g_ptr_array_index(own.in.shown, 0);
        messages_settle(&txn, own.id, 0, &mail->id, 1, &error);
        if (cases[i].park) {
            job_park(&txn, &own.claim, (Due){.us = TEST_NOW}, "the hour", &seq, &error);
            job_seen(&txn, own.id, own.claim.epoch, seq, &seen, &error);
        } else {
            job_release(&txn, &own.claim, (Due){.us = TEST_NOW}, TRY_NONE, NULL, &error);
        }
        test_commit(&txn);
        g_assert_no_error(error);
        run_one(&own.engine, own.id, &limits, &stats, &got, &error);
        g_assert_no_error(error);
        g_assert_true(got);
        g_assert_cmpint(state_of(&own, &steps), ==, JOB_DONE);
        g_assert_cmpint(answers(&own), ==, cases[i].park);
        work_close(&own, NULL);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/engine/run/late", test_late);
    g_test_add_func("/engine/run/statements", test_statements);
    g_test_add_func("/engine/run/woken", test_woken);
    return g_test_run();
}
