#include "store/plan_rows.h"
#include "store/rows.h"
#include "view/job_rows.h"

static const char *const sql[] = {
    "CREATE TABLE plan ("
    "  job INTEGER PRIMARY KEY,"
    "  host TEXT NOT NULL DEFAULT '',"
    "  project TEXT NOT NULL,"
    "  plan_file TEXT NOT NULL,"
    "  session_id TEXT NOT NULL,"
    "  argv TEXT NOT NULL,"
    "  word TEXT NOT NULL,"
    "  epoch INTEGER NOT NULL,"
    "  revision INTEGER NOT NULL,"
    "  iterations INTEGER NOT NULL,"
    "  total INTEGER NOT NULL,"
    "  until_us INTEGER NOT NULL,"
    "  budget_micro INTEGER NOT NULL"
    ");"
    "CREATE INDEX plan_project ON plan (project);",

    "CREATE TABLE plan_ask ("
    "  mail TEXT PRIMARY KEY,"
    "  job INTEGER NOT NULL,"
    "  by_job INTEGER NOT NULL,"
    "  todo TEXT NOT NULL,"
    "  session_id TEXT NOT NULL,"
    "  spent_micro INTEGER NOT NULL,"
    "  front INTEGER NOT NULL,"
    "  over INTEGER NOT NULL"
    ");"
    "CREATE INDEX plan_ask_job ON plan_ask (job, over);"
    "CREATE INDEX plan_ask_by ON plan_ask (by_job, over);",

    "ALTER TABLE plan ADD COLUMN spent_micro INTEGER NOT NULL DEFAULT 0;",
};
const SqlPart plan_tables = {sql, G_N_ELEMENTS(sql)};

static const Field plan_fields[] = {
    {"job", "job", FIELD_INT, offsetof(PlanRow, job)},
    {NULL, "host", FIELD_TEXT, offsetof(PlanRow, host)},
    {"project", "project", FIELD_TEXT, offsetof(PlanRow, project)},
    {"plan", "plan_file", FIELD_TEXT, offsetof(PlanRow, plan_file)},
    {"session_id", "session_id", FIELD_TEXT, offsetof(PlanRow, session_id)},
    {NULL, "argv", FIELD_TEXT, offsetof(PlanRow, argv)},
    {NULL, "word", FIELD_TEXT, offsetof(PlanRow, word)},
    {"epoch", "epoch", FIELD_INT, offsetof(PlanRow, epoch)},
    {"revision", "revision", FIELD_INT, offsetof(PlanRow, revision)},
    {NULL, "iterations", FIELD_NUMBER, offsetof(PlanRow, iterations)},
    {NULL, "total", FIELD_NUMBER, offsetof(PlanRow, total)},
    {NULL, "until_us", FIELD_INT, offsetof(PlanRow, until_us)},
    {NULL, "budget_micro", FIELD_INT, offsetof(PlanRow, budget_micro)},
    {NULL, "spent_micro", FIELD_INT, offsetof(PlanRow, spent_micro)},
};
const Shape plan_row_shape = {SHAPE("plan", PlanRow, plan_rows, plan_fields)};

static const Field ask_fields[] = {
    {NULL, "mail", FIELD_TEXT, offsetof(PlanAsk, mail)},
    {NULL, "job", FIELD_INT, offsetof(PlanAsk, job)},
    {NULL, "by_job", FIELD_INT, offsetof(PlanAsk, by)},
    {NULL, "todo", FIELD_TEXT, offsetof(PlanAsk, todo)},
    {NULL, "session_id", FIELD_TEXT, offsetof(PlanAsk, session_id)},
    {NULL, "spent_micro", FIELD_INT, offsetof(PlanAsk, spent_micro)},
    {NULL, "front", FIELD_BOOL, offsetof(PlanAsk, front)},
    {NULL, "over", FIELD_BOOL, offsetof(PlanAsk, over)},
};
const Shape plan_ask_shape = {SHAPE("plan_ask", PlanAsk, plan_asks, ask_fields)};

static const Field line_fields[] = {
    {"project", "project", FIELD_TEXT, offsetof(PlanLine, project)},
    {"plan", "plan_file", FIELD_TEXT, offsetof(PlanLine, plan_file)},
    {"job", "job", FIELD_INT, offsetof(PlanLine, job)},
    {"state", "state", FIELD_TEXT, offsetof(PlanLine, state)},
    {"waiting_for", "waiting_for", FIELD_TEXT_NULL, offsetof(PlanLine, waiting_for)},
    {"why", "why", FIELD_TEXT_NULL, offsetof(PlanLine, why)},
    {"cost_usd", "cost_micro", FIELD_MONEY, offsetof(PlanLine, cost_micro)},
    {"updated", "updated_us", FIELD_TIME, offsetof(PlanLine, updated_us)},
};
const Shape plan_line_shape = {SHAPE("l", PlanLine, plan_lines, line_fields)};

bool
plan_known(Db *db, bool *ret, GError **error)
{
    return sql_bool(db, "SELECT 1 FROM part WHERE face = 'plan'", ret, error, "");
}

bool
plan_row_of_job(Db *db, JobId job, PlanRow **ret, GError **error)
{
    return rows_first(db, &plan_row_shape, "FROM plan WHERE job = ?", ret, error, "i", job.v);
}

bool
plan_row_find(
    Db *db, const char *project, const char *session_id, PlanRow **ret, GError **error)
{
    return rows_first(db, &plan_row_shape,
                    "FROM plan WHERE (?1 IS NULL OR project = ?1) AND (?2 IS NULL OR session_id = ?2) "
                    "ORDER BY job DESC LIMIT 1",
                    ret, error, "ss", project, session_id);
}

#define LIVE "j.state IN ('queued', 'running', 'parked', 'stopped')"

bool
plan_rows_live(Db *db, PlanRows **ret, GError **error)
{
    return rows_list(db, &plan_row_shape,
                     "FROM plan WHERE word <> '' OR job IN (SELECT j.id FROM job j WHERE " LIVE
                     ") ORDER BY job",
                     ret, error, "");
}

bool
plan_lines(Db *db, bool live_only, PlanLines **ret, GError **error)
{
    bool any;

    return rows_any(db, "SELECT 1 FROM plan LIMIT 1", &plan_line_shape, ret, &any, error) &&
           (!any ||
            rows_list(db, &plan_line_shape,
                     "FROM (SELECT p.project, p.plan_file, p.job, j.state, j.waiting_for, j.why, "
                     "j.cost_micro, j.updated_us FROM plan p JOIN job j ON j.id = p.job "
                     "WHERE NOT ?1 OR " LIVE ") AS l ORDER BY l.updated_us DESC, l.job DESC",
                     ret, error, "n", live_only));
}

bool
plan_row_put(Txn *txn, const PlanRow *row, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO plan (job, host, project, plan_file, session_id, argv, word, epoch, "
                   "revision, iterations, total, until_us, budget_micro, spent_micro) "
                   "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (job) DO UPDATE SET "
                   "host = excluded.host, project = excluded.project, "
                   "plan_file = excluded.plan_file, session_id = excluded.session_id, "
                   "argv = excluded.argv, epoch = CASE WHEN plan.session_id = excluded.session_id AND "
                   "plan.epoch > excluded.epoch THEN plan.epoch ELSE excluded.epoch END, revision = excluded.revision, "
                   "iterations = excluded.iterations, total = excluded.total, "
                   "until_us = excluded.until_us, budget_micro = excluded.budget_micro, "
                   "spent_micro = excluded.spent_micro",
                   error, "issssssiinniii", row->job.v, row->host, row->project, row->plan_file,
                   row->session_id, row->argv, row->word, row->epoch, row->revision,
                   row->iterations, row->total, row->until_us, row->budget_micro,
                   row->spent_micro);
}

bool
plan_row_say(Txn *txn, JobId job, const char *word, GError **error)
{
    return sql_run(txn, "UPDATE plan SET word = ?1, epoch = epoch + ?2 WHERE job = ?3", error,
                   "sni", word, g_str_equal(word, "go") ? 0 : 1, job.v);
}

bool
plan_row_said(Txn *txn, JobId job, const char *word, GError **error)
{
    return sql_run(txn, "UPDATE plan SET word = '' WHERE job = ? AND word = ?", error, "is", job.v,
                   word);
}

bool
plan_ask_open(Db *db, JobId job, PlanAsk **ret, GError **error)
{
    return rows_first(db, &plan_ask_shape, "FROM plan_ask WHERE job = ? AND over = 0", ret,
                      error, "i", job.v);
}

bool
plan_ask_by(Db *db, JobId by, PlanAsk **ret, GError **error)
{
    return rows_first(db, &plan_ask_shape, "FROM plan_ask WHERE by_job = ? AND over = 0", ret,
                      error, "i", by.v);
}

bool
plan_ask_of_mail(Db *db, const char *msgid, PlanAsk **ret, GError **error)
{
    return rows_first(db, &plan_ask_shape, "FROM plan_ask WHERE mail = ?", ret, error, "s",
                      msgid);
}

bool
plan_ask_put(Txn *txn, const PlanAsk *ask, GError **error)
{
    return sql_run(
        txn,
        "INSERT INTO plan_ask (mail, job, by_job, todo, session_id, spent_micro, front, over) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (mail) DO UPDATE SET "
        "by_job = excluded.by_job, front = excluded.front, over = excluded.over",
        error, "siissinn", ask->mail, ask->job.v, ask->by.v, ask->todo, ask->session_id,
        ask->spent_micro, ask->front, ask->over);
}
