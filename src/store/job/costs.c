#include "store/job/costs.h"
#include "base/banned.h"
#include "store/sql.h"

void
cost_row_free(CostRow *row)
{
    g_free(row->name);
    g_free(row->role);
    g_free(row);
}

/* Each step, and what was paid for none. */
#define PAID                                                                                   \
    "(SELECT job, cost_micro AS cost, at_us, 1 AS n, brain FROM step UNION ALL "               \
    "SELECT job, micro, at_us, 0, NULL FROM unbooked) s "

static const char *const queries[] = {
    [COST_DAY] = "SELECT strftime('%Y-%m-%d', at_us / 1000000, 'unixepoch') AS day, NULL, 0, "
                 "sum(n), sum(cost) FROM " PAID "WHERE at_us >= ? GROUP BY day ORDER BY day",
    [COST_ROLE] = "SELECT j.role, NULL, 0, sum(n), sum(s.cost) AS all_cost FROM " PAID
                  "JOIN job j ON j.id = s.job WHERE s.at_us >= ? GROUP BY j.role "
                  "ORDER BY all_cost DESC, j.role",
    [COST_JOB] = "SELECT j.subject, j.role, j.id, sum(n), sum(s.cost) AS all_cost FROM " PAID
                 "JOIN job j ON j.id = s.job WHERE s.at_us >= ? GROUP BY j.id "
                 "ORDER BY all_cost DESC, j.id DESC",
    [COST_BRAIN] =
        "SELECT coalesce(brain, '-'), NULL, 0, sum(n), sum(cost) AS all_cost FROM " PAID
        "WHERE at_us >= ? GROUP BY 1 ORDER BY all_cost DESC, 1",
};

bool
costs_list(Db *db, CostBy by, int64_t since_us, CostRows **ret, GError **error)
{
    SqlStmt *st = sql_get(db, queries[by], error);
    g_autoptr(CostRows) rows = cost_rows_new();
    int rc = 0;

    if (!st)
        return false;
    sql_bind(st, "i", since_us);
    while ((rc = sql_next(st, error)) == 1) {
        CostRow *row = g_new0(CostRow, 1);

        row->name = sql_text(st, 0);
        row->role = sql_text_null(st, 1);
        row->job.v = sql_col_int(st, 2);
        row->steps = sql_col_int(st, 3);
        row->cost_micro = sql_col_int(st, 4);
        cost_rows_add(rows, row);
    }
    if (rc < 0)
        return false;
    *ret = g_steal_pointer(&rows);
    return true;
}
