/* Which calls of a face the engine makes, and what it does by their word. */
#include "engine/face.h"
#include "brain/brain.h"
#include "base/json.h"
#include "engine/act.h"
#include "engine/people/waits.h"
#include "engine/role.h"
#include "engine/run/run.h"
#include "letter/mode_letter.h"
#include "store/job/role_rows.h"
#include "store/job/timers.h"
#include "testwork.h"

#define ANSWER "{\"status\":\"continue\",\"current_phase\":\"working\"}\n"

const BrainOps *const brain_kinds[] = {&brain_script, NULL};

static const char task[] =
    "From: ann@example.org\nTo: envoy@example.org\nSubject: s\nMessage-ID: <a@x>\n\nGo.\n";

static GString *calls;
static int64_t until;

static bool
ready(Engine *engine, const Job *job, int64_t *ret_until, GError **error)
{
    g_string_append(calls, "ready ");
    *ret_until = until;
    return true;
}

static bool
frame(Engine *engine, const Job *job, const StepInput *in, Context *c, GError **error)
{
    g_string_append(calls, "frame ");
    return true;
}

/* The row of the job is as it was before the step, and the mails have their ids. */
static bool
commit(Engine *engine,
       Txn *txn,
       const Job *job,
       const StepInput *in,
       const Proposal *p,
       const StepResult *r,
       GError **error)
{
    const Verdict *first = &g_array_index(r->verdicts, Verdict, 0);

    g_string_append_printf(calls, "commit:%s:%s:%s ", job->state == JOB_RUNNING ? "runs" : "?",
                           r->status == PROPOSE_COMPLETE ? "complete" : "?",
                           !g_ptr_array_index(r->msgids, 0) ? "unsent"
                           : first->kind == VERDICT_HELD    ? "held"
                                                            : "sent");
    return true;
}

static bool
ordered(Engine *engine, Txn *txn, const Job *job, OrderKind kind, GError **error)
{
    g_string_append_printf(calls, "ordered:%d:%d ", kind == ORDER_STOP,
                           job->state == JOB_STOPPED);
    return true;
}

static bool
look(Engine *engine, unsigned *n, GError **error)
{
    *n += 2;
    return true;
}

static void
check(Engine *engine, GPtrArray *findings)
{
    g_ptr_array_add(findings, g_strdup("a finding"));
}

static bool
due(Engine *engine, Txn *txn, const Timer *t, GError **error)
{
    g_string_append_printf(calls, "due:%s ", t->purpose);
    return true;
}

static const FaceOps face = {.name = "test",
                             .ready = ready,
                             .frame = frame,
                             .commit = commit,
                             .ordered = ordered,
                             .look = look,
                             .due = due,
                             .check = check};
static const FaceOps none = {.name = "none"};

static JobState
state_of(TestWork *w)
{
    const Viewer all = VIEWER_OPERATOR;
    g_autoptr(Job) job = NULL;

    g_assert_true(job_load(w->engine.db, &all, w->id, &job, NULL));
    return job->state;
}

static void
test_run(void)
{
    if (g_getenv("POSTRIDER_TEST_RETRY")) {
        g_test_skip("each decision is run twice");
        return;
    }
    static const struct {
        const char *name, *face;
        int64_t until;
        const char *want_calls;
        JobState want;
    } cases[] = {
        {"a job of its own", "test", 0, "ready frame commit:runs:complete:sent ", JOB_DONE},
        {"not ready yet", "test", TEST_NOW + USEC_PER_SEC, "ready ", JOB_QUEUED},
        {"of a face without calls", "none", 0, "", JOB_DONE},
        {"a plain conversation", "", 0, "", JOB_DONE},
        {"of nobody's", "gone", 0, "", JOB_QUEUED},
    };
    static const FaceOps *const faces[] = {&none, &face, NULL};
    ModeOps mode = mode_letter;
    const ModeOps *const modes[] = {&mode, NULL};

    mode.mode = MODE_STEPS; /* that of the role of the tests */
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_test_message("%s", cases[i].name);
        g_autoptr(GError) error = NULL;
        const RunLimits limits = {.mark = JOB_NO_MARK};
        RunStats stats = {0};
        TestWork w;
        bool got;

        calls = g_string_new(NULL);
        until = cases[i].until;
        work_open(&w, NULL);
        w.engine.modes = modes;
        w.engine.faces = faces;
        g_autofree char *folder = g_build_filename(w.home->path, "scripts", NULL);
        g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
        test_write(folder, "demo.jsonl", ANSWER);
        w.face = cases[i].face;
        work_take_in(&w, "envoy", task, TRUST_PRINCIPAL, MSG_STORED);
        run_one(&w.engine, w.id, &limits, &stats, &got, &error);
        g_assert_no_error(error);
        g_assert_cmpstr(calls->str, ==, cases[i].want_calls);
        g_assert_cmpint(state_of(&w), ==, cases[i].want);
        work_close(&w, NULL);
        g_string_free(calls, TRUE);
    }
}

static void
test_world(TestWork *w, gconstpointer data)
{
    static const FaceOps *const faces[] = {&none, &face, &face, NULL};
    g_autoptr(GPtrArray) findings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) error = NULL;
    unsigned n;
    bool changed;

    w->engine.faces = faces;
    w->face = "test";
    calls = g_string_new(NULL);
    g_assert_true(faces_look(&w->engine, &n, &error));
    g_assert_cmpuint(n, ==, 4);
    faces_check(&w->engine, findings);
    g_assert_cmpuint(findings->len, ==, 2);
    work_take_in(w, "envoy", task, TRUST_PRINCIPAL, MSG_STORED);
    Txn txn = test_begin(w->engine.db);
    g_assert_true(job_stop(&txn, w->id, "because", &changed, &error));
    g_assert_true(faces_ordered(&w->engine, &txn, w->id, ORDER_STOP, &error));
    test_commit(&txn);
    g_assert_cmpstr(calls->str, ==, "ordered:1:1 ");
    g_string_free(calls, TRUE);
}

static bool
propose(const ActCall *c, GError **error)
{
    g_string_append_printf(calls, "propose:%s ", act_text(c->act->args, "to"));
    return true;
}

/* The arguments of an act are looked at before its face is asked. */
static void
test_act(TestWork *w, gconstpointer data)
{
    static const ActField fields[] = {
        {"to", "who", .required = true}, {"text", "what"}, {NULL, NULL}};
    static const ActOps act = {.name = "tell", .fields = fields, .propose = propose};
    static const struct {
        const char *args, *want, *want_calls; /* want NULL: it is proposed */
    } cases[] = {
        {"{\"to\":\"ann\"}", NULL, "propose:ann "},
        {"{\"to\":\"ann\",\"text\":\"x\"}", NULL, "propose:ann "},
        {"{\"text\":\"x\"}", "to: must be there: who", ""},
        {"{\"to\":\"ann\",\"text\":7}", "text: must be a text", ""},
        {"{\"to\":\"ann\",\"more\":\"x\"}", "more: is not known here", ""},
    };

    work_take_in(w, "envoy", task, TRUST_PRINCIPAL, MSG_STORED);
    work_claim(w);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Proposal) p = proposal_new(PROPOSE_COMPLETE);
        g_autoptr(json_t) args = NULL;
        g_autoptr(GError) error = NULL;

        g_test_message("%s", cases[i].args);
        calls = g_string_new(NULL);
        g_assert_true(json_parse(cases[i].args, strlen(cases[i].args), 0, &args, NULL));
        bool ok = act_propose(&w->engine, w->job, &w->in, &act, args, p, &error);
        g_assert_cmpstr(ok ? NULL : error->message, ==, cases[i].want);
        g_assert_cmpuint(p->acts->len, ==, ok ? 1 : 0);
        g_assert_cmpstr(calls->str, ==, cases[i].want_calls);
        g_string_free(calls, TRUE);
    }
}

/* Each timer that is due is done with, also one that nobody here knows what to do at. */
static void
test_timers(TestWork *w, gconstpointer data)
{
    static const FaceOps *const faces[] = {&none, &face, NULL};
    static const char *const purposes[] = {"gone:a", "none:b", "test:c"};
    g_autoptr(GError) error = NULL;
    unsigned n;

    w->engine.faces = faces;
    work_take_in(w, "envoy", task, TRUST_PRINCIPAL, MSG_STORED);
    calls = g_string_new(NULL);
    Txn txn = test_begin(w->engine.db);
    for (size_t i = 0; i < G_N_ELEMENTS(purposes); i++)
        g_assert_true(timer_set(&txn, w->id, purposes[i], TEST_NOW, &error));
    test_commit(&txn);
    g_assert_true(waits_act(&w->engine, &n, &error));
    g_assert_cmpuint(n, ==, G_N_ELEMENTS(purposes));
    g_assert_true(waits_act(&w->engine, &n, &error));
    g_assert_cmpuint(n, ==, 0);
    g_assert_cmpstr(calls->str, ==,
                    g_getenv("POSTRIDER_TEST_RETRY") ? "due:test:c due:test:c " : "due:test:c ");
    g_string_free(calls, TRUE);
}

/* A role of the store has no brain; one of the settings counts before it. */
static void
test_roles(TestWork *w, gconstpointer data)
{
    static const struct {
        const char *name, *want_display; /* NULL: there is none */
        bool want_brain;
    } cases[] = {
        {"jury", "The jury", false}, {"envoy", "envoy", true}, {"nobody", NULL, false}};
    const RoleRow row = {
        .face = (char *)"test", .display = (char *)"The jury", .address = (char *)"jury@x"};
    g_autoptr(GError) error = NULL;
    Txn txn = test_begin(w->engine.db);

    g_assert_true(role_row_put(&txn, "jury", &row, &error));
    g_assert_true(role_row_put(&txn, "envoy", &row, &error));
    test_commit(&txn);
    for (size_t i = 0; i < 2 * G_N_ELEMENTS(cases); i++) { /* the second time from memory */
        size_t k = i % G_N_ELEMENTS(cases);
        const ConfRole *role = role_find(&w->engine, cases[k].name);
        g_assert_cmpint(role != NULL, ==, cases[k].want_display != NULL);
        if (!role)
            continue;
        g_assert_cmpstr(role->display, ==, cases[k].want_display);
        g_assert_cmpint(*role->brain != '\0', ==, cases[k].want_brain);
        g_assert_cmpint(engine_mode(&w->engine, role) != NULL, ==, cases[k].want_brain);
    }
    g_assert_null(role_get(&w->engine, "nobody", &error));
    g_assert_nonnull(error);
    engine_clear(&w->engine);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/engine/face/run", test_run);
    g_test_add("/engine/face/world", TestWork, NULL, work_open, test_world, work_close);
    g_test_add("/engine/face/act", TestWork, NULL, work_open, test_act, work_close);
    g_test_add("/engine/face/timers", TestWork, NULL, work_open, test_timers, work_close);
    g_test_add("/engine/face/roles", TestWork, NULL, work_open, test_roles, work_close);
    return g_test_run();
}
