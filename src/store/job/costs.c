#include "store/job/costs.h"
#include "store/rows.h"
#include "store/workflow.h"

/* Each step, and what was paid for none. */
#define PAID                                                                                   \
    "(SELECT job, cost_micro AS cost, at_us, 1 AS n, brain FROM step UNION ALL "               \
    "SELECT job, micro, at_us, 0, NULL FROM unbooked) s "

static const char *const queries[] = {
    [COST_DAY] = "FROM (SELECT strftime('%Y-%m-%d', at_us / 1000000, 'unixepoch') AS name, "
                 "NULL AS role, 0 AS job, sum(n) AS steps, sum(cost) AS cost FROM " PAID
                 "WHERE at_us >= ? GROUP BY 1) c ORDER BY c.name",
    [COST_ROLE] = "FROM (SELECT j.role AS name, NULL AS role, 0 AS job, sum(n) AS steps, "
                  "sum(s.cost) AS cost FROM " PAID
                  "JOIN job j ON j.id = s.job WHERE s.at_us >= ? GROUP BY j.role) c "
                  "ORDER BY c.cost DESC, c.name",
    [COST_JOB] =
        "FROM (SELECT j.subject AS name, j.role AS role, j.id AS job, sum(n) AS steps, "
        "sum(s.cost) AS cost FROM " PAID
        "JOIN job j ON j.id = s.job WHERE s.at_us >= ? GROUP BY j.id) c "
        "ORDER BY c.cost DESC, c.job DESC",
    [COST_BRAIN] = "FROM (SELECT coalesce(brain, '-') AS name, NULL AS role, 0 AS job, "
                   "sum(n) AS steps, sum(cost) AS cost FROM " PAID
                   "WHERE at_us >= ? GROUP BY 1) c ORDER BY c.cost DESC, c.name",
    [COST_ARTIFACT] = "FROM (SELECT coalesce(nullif(" ARTIFACT_OF_STEP ", ''), '-') AS name, "
                      "NULL AS role, 0 AS job, sum(n) AS steps, sum(cost) AS cost FROM " PAID
                      "WHERE s.at_us >= ? GROUP BY 1) c ORDER BY c.cost DESC, c.name",
};
#define ALL_TOGETHER                                                                           \
    "FROM (SELECT '-' AS name, NULL AS role, 0 AS job, sum(n) AS steps, sum(cost) AS cost "    \
    "FROM " PAID "WHERE at_us >= ? HAVING count(*) > 0) c"

bool
costs_list(Db *db, CostBy by, int64_t since_us, CostRows **ret, GError **error)
{
    bool known = true;
    if (by == COST_ARTIFACT && !workflow_known(db, &known, error))
        return false;
    if (!known)
        return rows_list(db, &cost_row_shape, ALL_TOGETHER, ret, error, "i", since_us);
    return rows_list(db, &cost_row_shape, queries[by], ret, error, "i", since_us);
}
