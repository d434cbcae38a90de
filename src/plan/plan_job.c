#include "plan/plan_job.h"
#include "base/crash.h"
#include "base/json.h"
#include "base/log.h"
#include "plan/plan_ask.h"
#include <poll.h>

#define LOOK_US (500 * USEC_PER_MSEC)
#define MAIL_LINE "plan-run: "

/* --- the row as JSON --- */

json_t *
plan_row_json(const PlanRow *row)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:i, s:i, s:I, s:I, s:I}", "project",
                     row->project, "plan_file", row->plan_file, "session_id", row->session_id,
                     "argv", row->argv, "epoch", (json_int_t)row->epoch, "revision",
                     (json_int_t)row->revision, "iterations", row->iterations, "total",
                     row->total, "until", (json_int_t)row->until_us, "budget",
                     (json_int_t)row->budget_micro, "spent", (json_int_t)row->spent_micro);
}

PlanRow *
plan_row_parse(const json_t *value)
{
    static const char *const texts[] = {"project", "plan_file", "session_id", "argv"};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        if (!json_is_string(json_object_get(value, texts[i])))
            return NULL;
    }
    if (!g_path_is_absolute(plan_text(value, "project")))
        return NULL;
    PlanRow *row = g_new0(PlanRow, 1);
    row->host = g_strdup("");
    row->project = g_strdup(plan_text(value, "project"));
    row->plan_file = g_strdup(plan_text(value, "plan_file"));
    row->session_id = g_strdup(plan_text(value, "session_id"));
    row->argv = g_strdup(plan_text(value, "argv"));
    row->word = g_strdup("");
    row->epoch = plan_number(value, "epoch");
    row->revision = plan_number(value, "revision");
    row->iterations = (int)CLAMP(plan_number(value, "iterations"), 0, INT_MAX);
    row->total = (int)CLAMP(plan_number(value, "total"), 0, INT_MAX);
    row->until_us = plan_number(value, "until");
    row->budget_micro = plan_number(value, "budget");
    row->spent_micro = plan_number(value, "spent");
    return row;
}

char *
plan_mail_text(const PlanRow *row)
{
    g_autoptr(json_t) value = plan_row_json(row);
    g_autofree char *json = value ? json_format(value) : g_strdup("");
    return g_strdup_printf(
        "Work on the plan %s in %s until every todo is complete and its check has "
        "passed.\n\n" MAIL_LINE "%s\n",
        row->plan_file, row->project, json);
}

PlanRow *
plan_mail_parse(const char *text)
{
    const char *line = text ? g_strrstr(text, "\n" MAIL_LINE) : NULL;
    g_autoptr(json_t) value = NULL;
    if (!line)
        return NULL;
    line += strlen("\n" MAIL_LINE);
    if (!json_parse(line, strcspn(line, "\r\n"), 0, &value, NULL))
        return NULL;
    return plan_row_parse(value);
}

/* --- file and row --- */

static void
take_numbers(PlanRow *row, const json_t *m)
{
    row->epoch = plan_number(m, "epoch");
    row->revision = plan_number(m, "revision");
    row->iterations = (int)plan_number(m, "iteration_count");
    row->total = (int)plan_number(m, "total_iterations");
}

static void
set_text(char **text, const char *value)
{
    g_free(*text);
    *text = g_strdup(value);
}

/* A plan that is over in the store, and not in the file. */
static void
follow_state(Plan *plan, const PlanRow *row, JobState state)
{
    if (g_str_equal(row->word, "done"))
        plan_call_done(plan);
    else if (g_str_equal(row->word, "cancel") || state == JOB_CANCELLED)
        plan_cancel(plan);
    else if (g_str_equal(row->word, "stop") || state == JOB_STOPPED)
        plan_stop(plan);
}

bool
plan_agree(Plan *plan, PlanRow *row, JobState state)
{
    json_t *m = plan->members;
    bool changed = false;
    if (!g_str_equal(plan_text(m, "session_id"), row->session_id)) {
        set_text(&row->session_id, plan_text(m, "session_id"));
        take_numbers(row, m);
    }
    if (plan_number(m, "total_iterations") < row->total) {
        plan_set_number(m, "total_iterations", row->total);
        plan_set_number(m, "iteration_count",
                        MAX(plan_number(m, "iteration_count"), row->iterations));
        changed = true;
    }
    if (plan_number(m, "epoch") < row->epoch) {
        if (plan_may_mark(plan, NULL))
            follow_state(plan, row, state);
        plan_set_number(m, "epoch", row->epoch);
        changed = true;
    }
    set_text(&row->plan_file, plan_text(m, "plan_file"));
    return changed;
}

bool
plan_row_follow(Engine *engine, PlanRow *row, const Plan *plan, GError **error)
{
    PlanRow before = *row;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    take_numbers(row, plan->members);
    if (row->epoch == before.epoch && row->revision == before.revision &&
        row->iterations == before.iterations && row->total == before.total)
        return true;
    while (txn_again(&txn, error))
        txn.ok = plan_row_put(&txn, row, error);
    return txn.done;
}

/* --- without working on it --- */

/* The job of a plan that was ended in its project; nobody works on the job. One whose plan is finished runs once more, to say
 * so. */
static bool
follow_status(Txn *txn, const Job *job, PlanStatus status, bool *ret_changed, GError **error)
{
    *ret_changed = false;
    switch (status) {
    case PLAN_STOPPED:
        return job->state == JOB_STOPPED ||
               (plan_ask_end(txn, job->id, error) &&
                job_stop(txn, job->id, "its plan was stopped", ret_changed, error));
    case PLAN_CANCELLED:
        return plan_ask_end(txn, job->id, error) &&
               job_cancel(txn, job->id, "its plan was cancelled", ret_changed, error);
    case PLAN_DONE:
    case PLAN_COMPLETE:
    case PLAN_CLOSED:
        return job->state == JOB_QUEUED ||
               job_continue(txn, job->id, 0, NULL, ret_changed, error);
    default:
        return true;
    }
}

static bool
follow_file(Engine *engine, const Job *job, PlanStatus status, unsigned *n, GError **error)
{
    bool changed;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = follow_status(&txn, job, status, &changed, error);
    *n += txn.done && changed;
    return txn.done;
}

static bool
write_word(Engine *engine, PlanFile *file, PlanRow *row, const Job *job, GError **error)
{
    g_auto(PlanEdit) edit = {.lock = -1};
    if (!plan_edit_begin(file, PLAN_WAIT_HOOK_MS, &edit, error))
        return false;
    if (!edit.plan ||
        !g_str_equal(plan_text(edit.plan->members, "session_id"), row->session_id))
        return true; /* the plan that was meant is gone */
    if (plan_agree(edit.plan, row, job ? job->state : JOB_CANCELLED) &&
        !plan_edit_commit(&edit, json_pack("{s:s, s:s}", "act", row->word, "why", "by mail"),
                          error))
        return false;
    CRASH_POINT("plan-word-written");
    return plan_row_follow(engine, row, edit.plan, error);
}

static bool
settle_open(Engine *engine, const Project *project, PlanRow *row, unsigned *n, GError **error)
{
    g_autoptr(PlanFile) file = NULL;
    g_autoptr(Plan) plan = NULL;
    g_autoptr(Job) job = NULL;
    if (!job_load(engine->db, &VIEWER_OPERATOR, row->job, &job, error) ||
        !plan_file_open(project, false, &file, error))
        return false;
    bool owed = *row->word && !g_str_equal(row->word, "go");
    if (file && owed && !write_word(engine, file, row, job, error))
        return false;
    if (owed) {
        g_auto(Txn) txn = {.db = engine->db, .flush = TXN_LAZY};
        while (txn_again(&txn, error))
            txn.ok = plan_row_said(&txn, row->job, row->word, error);
        (*n)++;
        return txn.done;
    }
    if (!file || !plan_file_read(file, &plan, NULL, error))
        return !file;
    bool live = job && (job->state == JOB_QUEUED || job->state == JOB_PARKED ||
                        job->state == JOB_STOPPED);
    if (!plan || !live || *row->word ||
        !g_str_equal(plan_text(plan->members, "session_id"), row->session_id) ||
        plan_number(plan->members, "epoch") < row->epoch)
        return true;
    return follow_file(engine, job, plan_status(plan), n, error);
}

bool
plan_settle_job(Engine *engine, const PlanRow *given, unsigned *n, GError **error)
{
    g_autoptr(Project) project = NULL;
    g_autoptr(PlanRow) row = NULL;
    if (!plan_row_of_job(engine->db, given->job, &row, error))
        return false;
    if (row && !plan_ask_settle(engine, row->job, n, error))
        return false;
    if (!row || !g_file_test(row->project, G_FILE_TEST_IS_DIR) ||
        !project_find(row->project, false, &project, NULL) || !project)
        return true;
    return settle_open(engine, project, row, n, error);
}

bool
plan_settle_all(Engine *engine, unsigned *n, GError **error)
{
    g_autoptr(PlanRows) rows = NULL;
    if (!plan_rows_live(engine->db, &rows, error))
        return false;
    LIST_EACH(const PlanRow, row, rows) {
        g_autoptr(GError) left = NULL;
        if (!plan_settle_job(engine, row, n, &left))
            log_event(LOG_WARN, "a plan could not be looked at, the next look tries again",
                      "project", row->project, "why", left->message, NULL);
    }
    return true;
}

bool
plan_wait(Proc *child, bool (*go_on)(void *data), void *data)
{
    int64_t look_us = clock_mono_us() + LOOK_US;
    bool off = false;
    while (!proc_work(child)) {
        struct pollfd fds[4];
        int64_t wait_us = USEC_NEVER;
        unsigned n = proc_poll(child, fds, &wait_us);
        wait_us = MIN(wait_us, MAX(0, look_us - clock_mono_us()));
        (void)poll(fds, n, (int)(wait_us / USEC_PER_MSEC) + 1);
        if (off || clock_mono_us() < look_us)
            continue;
        look_us = clock_mono_us() + LOOK_US;
        off = !go_on(data);
        if (off)
            proc_end(child);
    }
    return !off;
}
