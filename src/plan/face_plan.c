#include "plan/face_plan.h"
#include "engine/act.h"
#include "mail/quote.h"
#include "plan/act_todo.h"
#include "plan/file/plan_words.h"
#include "plan/plan_ask.h"
#include "plan/plan_work.h"

/* --- mail comes in --- */

static bool
claims(const Engine *engine, const MsgNew *in)
{
    g_autoptr(PlanRow) row = in->trust == TRUST_OPERATOR && in->class == MSG_TASK
                                 ? plan_mail_parse(in->mail->text)
                                 : NULL;
    return row != NULL;
}

static bool
is_done(const Message *m)
{
    g_autofree char *line = quote_first_line(m->text);
    return line && g_ascii_strcasecmp(g_strstrip(line), "DONE") == 0;
}

/* What a person said changes the file at the next look; the clock brings that about at once. */
static bool
say_word(Txn *txn, JobId job, const char *word, GError **error)
{
    return plan_row_say(txn, job, word, error) &&
           (g_str_equal(word, "go") || timer_set(txn, job, PLAN_TIMER, txn_now(txn), error));
}

static bool
call_done(Txn *txn, JobId job, GError **error)
{
    bool changed;
    return plan_ask_end(txn, job, error) &&
           job_cancel(txn, job, "called done by a reply", &changed, error) &&
           say_word(txn, job, "done", error);
}

/* What a role says about a todo is heard by plan_ask_wakes(); as mail it begins nothing. */
static bool
waits(Engine *engine, const MsgNew *in, bool *ret, GError **error)
{
    g_autoptr(PlanAsk) ask = NULL;
    if (in->trust != TRUST_ROLE)
        return true;
    if (!plan_ask_answered(engine, in->role, in->mail, &ask, error))
        return false;
    *ret |= ask != NULL;
    return true;
}

static bool
handled(
    Engine *engine, Txn *txn, const Job *job G_GNUC_UNUSED, const MsgRow *row, GError **error)
{
    g_autoptr(PlanAsk) ask = NULL;
    return plan_ask_of_mail(engine->db, row->msgid, &ask, error) &&
           (!ask || plan_ask_wakes(engine, txn, ask, error));
}

/* A mail between roles: the question itself, or an answer to one, which is done with. */
static bool
stored_of_role(
    Engine *engine, Txn *txn, MsgId id, const MsgNew *in, JobId job, GError **error)
{
    g_autoptr(PlanAsk) ask = NULL;
    if (in->state == MSG_STORED)
        return plan_ask_stored(engine, txn, in->mail->id, job, error);
    if (in->class != MSG_EVENT)
        return true;
    if (!plan_ask_answered(engine, in->role, in->mail, &ask, error))
        return false;
    return !ask || (plan_ask_wakes(engine, txn, ask, error) &&
                    effect_put_move(txn, ask->job, id, in->role, in->file, "Done+S", error));
}

static bool
stored(Engine *engine, Txn *txn, MsgId id, const MsgNew *in, JobId job, GError **error)
{
    g_autoptr(PlanRow) there = NULL;
    if (in->trust == TRUST_ROLE && !stored_of_role(engine, txn, id, in, job, error))
        return false;
    if (!job.v)
        return true;
    if (in->state == MSG_STORED && claims(engine, in)) {
        g_autoptr(PlanRow) row = plan_mail_parse(in->mail->text);
        row->job = job;
        return plan_row_put(txn, row, error);
    }
    if (!plan_row_of_job(engine->db, job, &there, error) || !there)
        return there == NULL && (!error || !*error);
    if (in->class == MSG_ORDER)
        return !is_done(in->mail) || call_done(txn, job, error);
    return in->state != MSG_STORED || in->trust < TRUST_PRINCIPAL ||
           say_word(txn, job, "go", error);
}

static bool
order(
    Engine *engine, const Judgement *j, const Message *m, JobId job, Order *ret, GError **error)
{
    g_autoptr(PlanRow) row = NULL;
    if (!job.v || !(j->may & MAY_STEER) || !m->text || !is_done(m))
        return true;
    if (!plan_row_of_job(engine->db, job, &row, error))
        return false;
    if (row)
        *ret = (Order){.kind = ORDER_FACE, .said = g_strdup(PLAN_WORDS_DONE)};
    return true;
}

static bool
ordered(Engine *engine, Txn *txn, const Job *job, OrderKind kind, GError **error)
{
    switch (kind) {
    case ORDER_STOP:
        return plan_ask_end(txn, job->id, error) && say_word(txn, job->id, "stop", error);
    case ORDER_CANCEL:
        return plan_ask_end(txn, job->id, error) && say_word(txn, job->id, "cancel", error);
    case ORDER_CONTINUE:
        return say_word(txn, job->id, "go", error);
    default:
        return true;
    }
}

/* --- its jobs --- */

static bool
open_project(const PlanRow *row, Project **ret_project, PlanFile **ret_file, GError **error)
{
    if (!g_file_test(row->project, G_FILE_TEST_IS_DIR))
        return err_set(error, ERR_CONFIG, "the project '%s' is not there", row->project);
    if (!project_find(row->project, false, ret_project, error))
        return false;
    if (!*ret_project || !g_str_equal((*ret_project)->path, row->project))
        return err_set(error, ERR_CONFIG, "'%s' is no project any more", row->project);
    if (!plan_file_open(*ret_project, false, ret_file, error))
        return false;
    return *ret_file || err_set(error, ERR_CONFIG, "the plan in '%s' is gone", row->project);
}

static bool
heard(Engine *engine, JobId job, const char *word, GError **error)
{
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_LAZY};
    while (txn_again(&txn, error))
        txn.ok = plan_row_said(&txn, job, word, error);
    return txn.done;
}

/* Under the master. A person's word goes before the first iteration; a job that a crash put back has none, so a pause stays
 * one. */
static bool
work(JobSession *s, GError **error)
{
    g_autoptr(PlanRow) row = NULL;
    g_autoptr(Project) project = NULL;
    g_autoptr(PlanFile) file = NULL;
    g_autoptr(Plan) plan = NULL;
    PlanEnd end;
    if (!plan_row_of_job(s->engine->db, s->job->id, &row, error))
        return false;
    if (!row)
        return err_set(error, ERR_CONFIG, "the plan of this job is not known");
    bool go = g_str_equal(row->word, "go");
    if (!open_project(row, &project, &file, error))
        return false;
    PlanWork w = {.session = s, .project = project, .file = file, .row = row, .level = -1};
    if (!plan_work(&w, go, &end, &plan, error))
        return false;
    if (s->lost) { /* an order: the file hears of it at once */
        unsigned n = 0;
        return plan_settle_job(s->engine, row, &n, error);
    }
    return !go || heard(s->engine, s->claim.job, "go", error);
}

static bool
commit(Engine *engine G_GNUC_UNUSED,
       Txn *txn,
       const Job *job,
       const StepInput *in G_GNUC_UNUSED,
       const Proposal *p G_GNUC_UNUSED,
       const StepResult *result,
       GError **error)
{
    return result->status != PROPOSE_PARK || plan_ask_parked(txn, job->id, error);
}

static bool
members(Engine *engine, const Job *job, json_t *document, GError **error)
{
    g_autoptr(PlanRow) row = NULL;
    g_autoptr(PlanAsk) ask = NULL;
    if (!plan_row_of_job(engine->db, job->id, &row, error) ||
        !plan_ask_open(engine->db, job->id, &ask, error))
        return false;
    return (!row || json_object_set_new(document, "plan", plan_row_json(row)) == 0) &&
           (!ask || json_object_set_new(document, "plan_ask", plan_ask_json(ask)) == 0);
}

static bool
restored(Engine *engine, Txn *txn, JobId job, const json_t *document, GError **error)
{
    g_autoptr(PlanRow) row = plan_row_parse(json_object_get(document, "plan"));
    if (!row)
        return true;
    row->job = job;
    return plan_row_put(txn, row, error) &&
           plan_ask_restored(txn, job, json_object_get(document, "plan_ask"), error);
}

static bool
look(Engine *engine, unsigned *n, GError **error)
{
    return plan_settle_all(engine, n, error);
}

static void
check(Engine *engine, GPtrArray *findings)
{
    g_autoptr(PlanRows) rows = NULL;
    if (!plan_rows_live(engine->db, &rows, NULL))
        return;
    LIST_EACH(const PlanRow, row, rows)
        if (!g_file_test(row->project, G_FILE_TEST_IS_DIR))
            g_ptr_array_add(findings,
                            g_strdup_printf("job %" G_GINT64_FORMAT
                                            " works on a plan in '%s', which is not there",
                                            row->job.v, row->project));
}

static const ActOps *const acts[] = {&act_todo, NULL};

const FaceOps face_plan = {
    .name = PLAN_FACE,
    .tables = &plan_tables,
    .claims = claims,
    .stored = stored,
    .order = order,
    .ordered = ordered,
    .waits = waits,
    .handled = handled,
    .commit = commit,
    .work = work,
    .acts = acts,
    .members = members,
    .restored = restored,
    .look = look,
    .check = check,
};
