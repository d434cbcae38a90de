#include "store/job/budget.h"
#include "base/banned.h"
#include "base/text.h"
#include "store/job/budget_internal.h"
#include "store/job/jobs_internal.h"
#include "store/job/step_rows.h"
#include "store/sql.h"
#include <inttypes.h>

#define DAY_US (24 * 3600 * USEC_PER_SEC)
/* Until a job looks by itself whether there is money again: whoever was asking may have died. */
#define LOOK_AGAIN_US (30 * USEC_PER_SEC)

static char *
key_of_today(const Home *home)
{
    return g_strdup_printf("day-budget:%" PRId64, home_now(home) / DAY_US);
}

/* --- paid, and in no step yet: "MICRO@WHEN" --- */

static char *
key_of_unbooked(JobId job)
{
    return g_strdup_printf(BUDGET_UNBOOKED "%" PRId64, job.v);
}

static bool
find_unbooked(Db *db, const char *key, int64_t *ret, GError **error)
{
    g_autofree char *value = NULL;

    if (!meta_get(db, key, &value, error))
        return false;
    *ret = value ? g_ascii_strtoll(value, NULL, 10) : 0;
    return true;
}

bool
budget_pay(Txn *txn, JobId job, int64_t micro, GError **error)
{
    g_autofree char *key = key_of_unbooked(job), *value = NULL;
    int64_t before;

    if (!find_unbooked(txn->db, key, &before, error))
        return false;
    value = g_strdup_printf("%" PRId64 "@%" PRId64, before + micro, home_now(db_home(txn->db)));
    return meta_set(txn, key, value, error) &&
           sql_run(txn,
                   "UPDATE job SET cost_micro = cost_micro + ?, "
                   "round_cost_micro = round_cost_micro + ? WHERE id = ?",
                   NULL, error, "iii", micro, micro, job.v);
}

bool
budget_book(Txn *txn, JobId job, int64_t *ret_micro, GError **error)
{
    g_autofree char *key = key_of_unbooked(job);

    return find_unbooked(txn->db, key, ret_micro, error) &&
           (*ret_micro == 0 || meta_set(txn, key, NULL, error));
}

/* It is nobody's in particular: of job 0, which there is not, so no step takes it over. */
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
    const Home *home = db_home(db);
    int64_t now = home_now(home);
    g_autofree char *key = key_of_today(home), *raised = NULL;

    if (!steps_cost(db, now - now % DAY_US, ret_spent, error) ||
        !meta_get(db, key, &raised, error))
        return false;
    *ret_limit = home->config->max_cost_per_day_micro;
    if (raised)
        (void)text_parse_int(raised, *ret_limit, INT64_MAX / 2, ret_limit);
    return true;
}

bool
budget_raise(Txn *txn, JobId job, int64_t more, GError **error)
{
    int64_t limit, spent;

    if (!job_more_money(txn, job, more, error) || !budget_today(txn->db, &limit, &spent, error))
        return false;
    if (limit == 0 || spent + more <= limit)
        return true;
    g_autofree char *key = key_of_today(db_home(txn->db));
    g_autofree char *value = g_strdup_printf("%" PRId64, MAX(limit, spent) + more);
    return meta_set(txn, key, value, error);
}

/* --- calls that are under way: "MICRO@FENCE" --- */

#define ASKING_ALL "key >= 'asking:' AND key < 'asking;'"
#define ASKING_JOB "CAST(substr(key, 8) AS INTEGER)"
#define ASKING_FENCE "CAST(substr(value, instr(value, '@') + 1) AS INTEGER)"

/* Whose claim is over, by whatever way. */
static bool
drop_old(Txn *txn, GError **error)
{
    return sql_run(txn,
                   "DELETE FROM meta WHERE " ASKING_ALL " AND NOT EXISTS "
                   "(SELECT 1 FROM job WHERE id = " ASKING_JOB
                   " AND state = 'running' AND fence = " ASKING_FENCE ")",
                   NULL, error, "");
}

typedef struct Asking {
    JobId job;
    int64_t micro;
} Asking;

static bool
list_others(Db *db, JobId job, GArray **ret, GError **error)
{
    SqlStmt *st = sql_get(db,
                          "SELECT " ASKING_JOB ", CAST(value AS INTEGER) FROM meta "
                          "WHERE " ASKING_ALL " AND " ASKING_JOB " <> ?",
                          error);
    g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(Asking));
    int rc;

    if (!st)
        return false;
    sql_bind(st, "i", job.v);
    while ((rc = sql_next(st, error)) == 1) {
        Asking a = {{sql_col_int(st, 0)}, sql_col_int(st, 1)};
        g_array_append_val(list, a);
    }
    if (rc < 0)
        return false;
    *ret = g_steal_pointer(&list);
    return true;
}

/* What the others may still cost. Who is dead asks nobody, though nobody may have noticed yet. */
static bool
sum_others(Db *db, JobId job, int64_t *ret, GError **error)
{
    g_autoptr(GArray) list = NULL;

    *ret = 0;
    if (!list_others(db, job, &list, error))
        return false;
    for (guint i = 0; i < list->len; i++) {
        const Asking *a = &g_array_index(list, Asking, i);
        g_autoptr(Job) other = NULL;
        if (!job_get(db, a->job, &other, error))
            return false;
        if (g_strcmp0(other->owner_host, proc_host()) != 0 || job_owner_lives(other))
            *ret += a->micro;
    }
    return true;
}

/* The dearest step of the job's role today: a table of prices may be wrong, and retries cost. */
static bool
find_dearest(Db *db, JobId job, int64_t *ret, GError **error)
{
    int64_t now = home_now(db_home(db));

    return sql_int(db,
                   "SELECT max(s.cost_micro) FROM step s JOIN job j ON j.id = s.job "
                   "WHERE s.cost_micro > 0 AND s.at_us >= ? "
                   "AND j.role = (SELECT role FROM job WHERE id = ?)",
                   0, ret, error, "ii", now - now % DAY_US, job.v);
}

bool
budget_reserve(Txn *txn, const JobClaim *claim, int64_t most, bool *ret_got, GError **error)
{
    int64_t limit, spent, others, dearest;

    if (!drop_old(txn, error) || !budget_today(txn->db, &limit, &spent, error) ||
        !sum_others(txn->db, claim->job, &others, error) ||
        !find_dearest(txn->db, claim->job, &dearest, error))
        return false;
    *ret_got = limit == 0 || spent + others < limit;
    if (!*ret_got) { /* where nothing is left at all it can be told so at once */
        int64_t wait = spent < limit ? LOOK_AGAIN_US : 0;
        return job_release(txn, claim, (Due){.us = txn_now(txn) + wait}, false, BUDGET_WAITS,
                           error);
    }
    g_autofree char *key = g_strdup_printf(BUDGET_ASKING "%" PRId64, claim->job.v);
    g_autofree char *value =
        g_strdup_printf("%" PRId64 "@%" PRId64, MAX(most, dearest), claim->fence);
    return meta_set(txn, key, value, error);
}

/* As many as can ask at a time; the others look by themselves, or when these have paid. */
bool
budget_settle(Txn *txn, const JobClaim *claim, bool *ret_woke, GError **error)
{
    int64_t now = txn_now(txn), workers = db_home(txn->db)->config->workers;
    int changes = 0;

    if (!sql_run(txn,
                 "DELETE FROM meta WHERE key = '" BUDGET_ASKING "' || ? AND " ASKING_FENCE
                 " = ?",
                 NULL, error, "ii", claim->job.v, claim->fence) ||
        !sql_run(txn,
                 "UPDATE job SET ready_us = steady(?1) WHERE id IN (SELECT id FROM job "
                 "WHERE state = 'queued' AND ready_us > steady(?1) AND why = ?2 "
                 "ORDER BY turn_us, id LIMIT ?3)",
                 &changes, error, "isi", now, BUDGET_WAITS, workers))
        return false;
    *ret_woke = changes > 0;
    return true;
}
