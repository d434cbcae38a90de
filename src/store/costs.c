#include "store/costs.h"
#include "base/banned.h"
#include "store/sql.h"

static void
free_element(gpointer data)
{
    CostRow *row = data;

    g_free(row->name);
    g_free(row->role);
    g_free(row);
}

static const char *const queries[] = {
    [COST_DAY] = "SELECT strftime('%Y-%m-%d', at_us / 1000000, 'unixepoch') AS day, NULL, 0, "
                 "count(*), sum(cost_micro) FROM step WHERE at_us >= ? GROUP BY day "
                 "ORDER BY day",
    [COST_ROLE] = "SELECT j.role, NULL, 0, count(*), sum(s.cost_micro) AS cost FROM step s "
                  "JOIN job j ON j.id = s.job WHERE s.at_us >= ? GROUP BY j.role "
                  "ORDER BY cost DESC, j.role",
    [COST_JOB] = "SELECT j.subject, j.role, j.id, count(*), sum(s.cost_micro) AS cost "
                 "FROM step s JOIN job j ON j.id = s.job WHERE s.at_us >= ? GROUP BY j.id "
                 "ORDER BY cost DESC, j.id DESC",
};

bool
costs_list(Db *db, CostBy by, int64_t since_us, GPtrArray **ret, GError **error)
{
    sqlite3_stmt *st = sql_get(db, queries[by], error);
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func(free_element);
    int rc = 0;

    if (!st)
        return false;
    sql_bind(st, "i", since_us);
    while ((rc = sql_next(db, st, error)) == 1) {
        CostRow *row = g_new0(CostRow, 1);

        row->name = sql_text(st, 0);
        row->role = sql_text_null(st, 1);
        row->job.v = sqlite3_column_int64(st, 2);
        row->steps = sqlite3_column_int64(st, 3);
        row->cost_micro = sqlite3_column_int64(st, 4);
        g_ptr_array_add(rows, row);
    }
    if (rc < 0)
        return false;
    *ret = g_steal_pointer(&rows);
    return true;
}
