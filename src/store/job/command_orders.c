#include "store/job/command_orders.h"
#include "base/banned.h"
#include "base/text.h"
#include "store/sql.h"
#include <inttypes.h>

/* "order:12:" and what stands behind it; ';' comes next to ':'. */
#define OF_JOB "key > 'order:' || ?1 || ':' AND key < 'order:' || ?1 || ';'"

void
command_order_free(CommandOrder *g)
{
    g_free(g->text);
    g_free(g);
}

bool
command_order_add(Txn *txn, JobId job, const char *text, GError **error)
{
    int64_t now = home_now(db_home(txn->db)), before;

    if (!sql_int(txn->db, "SELECT count(*) FROM meta WHERE " OF_JOB, 0, &before, error, "i",
                 job.v))
        return false;
    g_autofree char *key = g_strdup_printf("order:%" PRId64 ":%06" PRId64, job.v, before + 1);
    g_autofree char *value = g_strdup_printf("%" PRId64 " %s", now, text);
    return meta_set(txn, key, value, error);
}

/* "TIME TEXT"; NULL: it is not. */
static CommandOrder *
given_parse(const char *value)
{
    g_auto(GStrv) halves = value ? g_strsplit(value, " ", 2) : NULL;
    int64_t at_us;

    if (!halves || !halves[0] || !halves[1] || !text_parse_int(halves[0], 0, INT64_MAX, &at_us))
        return NULL;
    CommandOrder *g = g_new0(CommandOrder, 1);
    *g = (CommandOrder){at_us, g_strdup(halves[1])};
    return g;
}

bool
command_orders_list(Db *db, JobId job, Givens **ret, GError **error)
{
    g_autoptr(Givens) rows = givens_new();
    SqlStmt *st = sql_get(db, "SELECT value FROM meta WHERE " OF_JOB " ORDER BY key", error);
    int rc;

    if (!st)
        return false;
    sql_bind(st, "i", job.v);
    while ((rc = sql_next(st, error)) == 1) {
        g_autofree char *value = sql_text_null(st, 0);
        CommandOrder *g = given_parse(value);
        if (g)
            givens_add(rows, g);
    }
    if (rc < 0)
        return false;
    *ret = g_steal_pointer(&rows);
    return true;
}
