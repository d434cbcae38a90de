#include "store/job/budget.h"
#include "store/job/artifact_money.h"
#include "store/job/jobs_internal.h"
#include "store/sql.h"

#define DAY_US (24 * 3600 * USEC_PER_SEC)
/* Until a job looks by itself whether there is money again: whoever was asking may have
 * died. */
#define LOOK_AGAIN_US (30 * USEC_PER_SEC)
/* The same where all is spent, and the settings or a person may allow more. */
#define LOOK_LATER_US (3600 * USEC_PER_SEC)

static int64_t
today(Db *db)
{
    return home_now(db_home(db)) / DAY_US;
}

/* --- paid, and in no step yet --- */

bool
budget_pay(Txn *txn, JobId job, int64_t micro, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO money (day, spent_micro, aside_micro) VALUES (?, ?, 0) "
                   "ON CONFLICT (day) DO UPDATE SET "
                   "spent_micro = money.spent_micro + excluded.spent_micro",
                   error, "ii", today(txn->db), micro) &&
           sql_run(txn,
                   "INSERT INTO unbooked (job, micro, at_us) VALUES (?, ?, ?) "
                   "ON CONFLICT (job) DO UPDATE SET "
                   "micro = unbooked.micro + excluded.micro, at_us = excluded.at_us",
                   error, "iii", job.v, micro, txn_now(txn)) &&
           sql_run(txn,
                   "INSERT INTO role_money (role, day, spent_micro) "
                   "SELECT role, ?, ? FROM job WHERE id = ? ON CONFLICT (role) DO UPDATE SET "
                   "spent_micro = excluded.spent_micro + CASE WHEN role_money.day = excluded.day "
                   "THEN role_money.spent_micro ELSE 0 END, day = excluded.day",
                   error, "iii", today(txn->db), micro, job.v) &&
           sql_run(txn,
                   "UPDATE job SET cost_micro = cost_micro + ?, "
                   "round_cost_micro = round_cost_micro + ? WHERE id = ?",
                   error, "iii", micro, micro, job.v);
}

bool
budget_book(Txn *txn, JobId job, int64_t *ret_micro, GError **error)
{
    if (!sql_int(txn->db, "SELECT micro FROM unbooked WHERE job = ?", ret_micro, error, "i",
                 job.v))
        return false;
    return *ret_micro == 0 ||
           (sql_run(txn, "DELETE FROM unbooked WHERE job = ?", error, "i", job.v) &&
            sql_run(txn,
                    "INSERT INTO dearest (role, day, micro) "
                    "VALUES ((SELECT role FROM job WHERE id = ?), ?, ?) ON CONFLICT (role) "
                    "DO UPDATE SET day = excluded.day, micro = excluded.micro "
                    "WHERE dearest.day <> excluded.day OR dearest.micro < excluded.micro",
                    error, "iii", job.v, today(txn->db), *ret_micro));
}

/* Money that nobody in particular has spent is booked on job 0, which does not exist, so no
 * step takes it over. */
bool
budget_recall(Txn *txn, int64_t spent_micro, GError **error)
{
    int64_t limit, known;

    if (!budget_today(txn->db, &limit, &known, error))
        return false;
    return spent_micro <= known || budget_pay(txn, (JobId){0}, spent_micro - known, error);
}

bool
budget_is_today(const Home *home, int64_t at_us)
{
    return at_us / DAY_US == home_now(home) / DAY_US;
}

/* --- limits --- */

bool
budget_today(Db *db, int64_t *ret_limit, int64_t *ret_spent, GError **error)
{
    int64_t limit = db_home(db)->config->max_cost_per_day_micro, raised = 0, spent = 0;
    SqlStmt *st = sql_get(db, "SELECT limit_micro, spent_micro FROM money WHERE day = ?", error);
    int rc;

    if (!st)
        return false;
    sql_bind(st, "i", today(db));
    while ((rc = sql_next(st, error)) == 1) {
        raised = sql_col_int(st, 0);
        spent = sql_col_int(st, 1);
    }
    *ret_limit = limit ? MAX(limit, raised) : 0;
    *ret_spent = spent;
    return rc == 0;
}

bool
budget_role_today(Db *db, const char *role, int64_t *ret_spent, GError **error)
{
    return sql_int(db, "SELECT spent_micro FROM role_money WHERE role = ? AND day = ?", ret_spent,
                   error, "si", role, today(db));
}

bool
budget_role_anew(Txn *txn, const char *role, GError **error)
{
    return sql_run(txn, "DELETE FROM role_money WHERE role = ?", error, "s", role);
}

static bool
raise_artifact(Txn *txn, JobId job, int64_t more, GError **error)
{
    g_autoptr(ArtifactMoney) m = NULL;

    return artifact_money_of_job(txn->db, job, &m, error) &&
           (!m || m->spent_micro + more <= m->limit_micro ||
            artifact_money_add(txn, m, more, error));
}

bool
budget_raise(Txn *txn, JobId job, int64_t more, GError **error)
{
    int64_t limit, spent;

    if (!job_more_money(txn, job, more, error) || !budget_today(txn->db, &limit, &spent, error))
        return false;
    if (!raise_artifact(txn, job, more, error))
        return false;
    return limit == 0 || spent + more <= limit ||
           sql_run(txn,
                   "INSERT INTO money (day, spent_micro, aside_micro, limit_micro) "
                   "VALUES (?, 0, 0, ?) ON CONFLICT (day) DO UPDATE SET "
                   "limit_micro = excluded.limit_micro",
                   error, "ii", today(txn->db), MAX(limit, spent) + more);
}

/* --- calls that are under way --- */

/* Removes money that was set aside for claims that are over, however they ended, and for
 * earlier questions of this job. */
static bool
drop_old(Txn *txn, JobId job, GError **error)
{
    return sql_run(
        txn,
        "DELETE FROM asking WHERE job = ? OR NOT EXISTS (SELECT 1 FROM job j "
        "WHERE j.id = asking.job AND j.state = 'running' AND j.fence = asking.fence)",
        error, "i", job.v);
}

/* Who is dead asks nobody, though nobody may have noticed yet. */
static bool
drop_dead(Txn *txn, GError **error)
{
    g_autoptr(GArray) asking = NULL;

    if (!sql_ints(txn->db, "SELECT job FROM asking", &asking, error, ""))
        return false;
    for (guint i = 0; i < asking->len; i++) {
        JobId id = g_array_index(asking, JobId, i);
        g_autoptr(Job) job = NULL;
        if (!job_get(txn->db, id, &job, error) ||
            (g_strcmp0(job->owner_host, proc_host()) == 0 && !job_owner_lives(job) &&
             !drop_old(txn, id, error)))
            return false;
    }
    return true;
}

/* Writes the sum of what is set aside into the day's row. */
static bool
set_aside(Txn *txn, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO money (day, spent_micro, aside_micro) "
                   "VALUES (?, 0, (SELECT coalesce(sum(micro), 0) FROM asking)) "
                   "ON CONFLICT (day) DO UPDATE SET aside_micro = excluded.aside_micro",
                   error, "i", today(txn->db));
}

bool
budget_is_limited(const Config *config)
{
    return config->max_cost_per_day_micro > 0 || artifact_money_limits(config);
}

/* What is left of the money of the day and of the artifact, less what the calls under way may cost. */
typedef struct Left {
    int64_t micro;
    bool day, all;           /* all of the day is spent; or of either */
    ArtifactMoney *artifact; /* NULL: none that has a limit */
} Left;

static void
left_clear(Left *l)
{
    g_clear_pointer(&l->artifact, artifact_money_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Left, left_clear)

static bool
find_left(Db *db, JobId job, Left *ret, GError **error)
{
    int64_t limit, spent, others, about = 0;

    if (!budget_today(db, &limit, &spent, error) ||
        !sql_int(db, "SELECT aside_micro FROM money WHERE day = ?", &others, error, "i",
                 today(db)) ||
        !artifact_money_of_job(db, job, &ret->artifact, error) ||
        (ret->artifact && !artifact_money_aside(db, ret->artifact, &about, error)))
        return false;
    const ArtifactMoney *m = ret->artifact;
    ret->micro = MIN(limit ? limit - spent - others : INT64_MAX,
                     m ? m->limit_micro - m->spent_micro - about : INT64_MAX);
    ret->day = limit > 0 && spent >= limit;
    ret->all = ret->day || artifact_money_spent(m);
    return true;
}

static bool
send_away(Txn *txn, const JobClaim *claim, const Left *left, bool tells, GError **error)
{
    bool at_once = left->day && tells;
    int64_t wait = at_once ? 0 : left->all ? LOOK_LATER_US : LOOK_AGAIN_US;
    g_autofree char *why = artifact_money_spent(left->artifact)
                               ? artifact_money_why(left->artifact)
                               : g_strdup(left->all && !at_once ? BUDGET_SPENT : BUDGET_WAITS);

    return job_release(txn, claim, (Due){.us = txn_now(txn) + wait}, TRY_NONE, why, error);
}

bool
budget_reserve(
    Txn *txn, const JobClaim *claim, int64_t most, bool tells, bool *ret_got, GError **error)
{
    g_auto(Left) left = {0};
    int64_t dearest;

    /* A table of prices may be wrong, and retries cost: hence the role's dearest step of
     * today. */
    if (!drop_old(txn, claim->job, error) || !drop_dead(txn, error) || !set_aside(txn, error) ||
        !find_left(txn->db, claim->job, &left, error) ||
        !sql_int(txn->db,
                 "SELECT d.micro FROM dearest d JOIN job j ON j.role = d.role "
                 "WHERE j.id = ? AND d.day = ?",
                 &dearest, error, "ii", claim->job.v, today(txn->db)))
        return false;
    *ret_got = left.micro > 0;
    if (!*ret_got)
        return send_away(txn, claim, &left, tells, error);
    return sql_run(txn, "INSERT INTO asking (job, fence, micro) VALUES (?, ?, ?)", error, "iii",
                   claim->job.v, claim->fence, MAX(most, dearest)) &&
           set_aside(txn, error);
}

/* As many as can ask at a time; the others look by themselves, or when these have paid. */
bool
budget_settle(Txn *txn, const JobClaim *claim, bool *ret_woke, GError **error)
{
    return sql_run(txn, "DELETE FROM asking WHERE job = ? AND fence = ?", error, "ii",
                   claim->job.v, claim->fence) &&
           set_aside(txn, error) &&
           sql_changed(txn,
                       "UPDATE job SET ready_us = steady(?1) WHERE id IN (SELECT id FROM job "
                       "WHERE state = 'queued' AND ready_us > steady(?1) AND why = ?2 "
                       "ORDER BY turn_us, id LIMIT ?3)",
                       ret_woke, error, "isi", txn_now(txn), BUDGET_WAITS,
                       (int64_t)db_home(txn->db)->config->workers);
}
