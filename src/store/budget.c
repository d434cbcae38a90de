#include "store/budget.h"
#include "base/banned.h"
#include "base/text.h"
#include "store/budget_internal.h"
#include "store/sql.h"
#include "store/steps.h"
#include <inttypes.h>

#define DAY_US (24 * 3600 * USEC_PER_SEC)

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
