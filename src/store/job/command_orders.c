#include "store/job/command_orders.h"
#include "store/sql.h"

void
command_order_free(CommandOrder *g)
{
    g_free(g->text);
    g_free(g);
}

bool
command_order_add(Txn *txn, JobId job, const char *text, GError **error)
{
    return sql_run(txn, "INSERT INTO command_order (job, at_us, words) VALUES (?, ?, ?)", NULL,
                   error, "iis", job.v, txn_now(txn), text);
}

bool
command_orders_list(Db *db, JobId job, Givens **ret, GError **error)
{
    g_autoptr(Givens) rows = givens_new();
    SqlStmt *st =
        sql_get(db, "SELECT at_us, words FROM command_order WHERE job = ? ORDER BY id", error);
    int rc;

    if (!st)
        return false;
    sql_bind(st, "i", job.v);
    while ((rc = sql_next(st, error)) == 1) {
        CommandOrder *g = g_new0(CommandOrder, 1);
        *g = (CommandOrder){sql_col_int(st, 0), sql_text(st, 1)};
        givens_add(rows, g);
    }
    if (rc < 0)
        return false;
    *ret = g_steal_pointer(&rows);
    return true;
}
