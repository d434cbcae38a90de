#include "store/mail/demands.h"
#include "base/banned.h"
#include "base/clock.h"
#include "store/sql.h"

#define KEEP_US (24 * 3600 * USEC_PER_SEC)

static void
demand_free(Demand *d)
{
    g_free(d->role);
    g_free(d->msgid);
    g_free(d->folder);
    g_free(d);
}

/* What nobody looked for in a day is of an account that is gone, or of a server that is. */
bool
demand_put(Txn *txn,
           const char *account,
           const char *role,
           const char *msgid,
           const char *folder,
           bool again,
           GError **error)
{
    int64_t now_us = txn_now(txn);

    return sql_run(txn, "DELETE FROM demand WHERE asked_us < ?", NULL, error, "i",
                   now_us - KEEP_US) &&
           sql_run(txn,
                   "INSERT INTO demand (account, role, msgid, folder, asked_us) "
                   "VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (account, role, msgid) DO UPDATE "
                   "SET answer = NULL, asked_us = ?5, folder = ?4 WHERE ?6",
                   NULL, error, "ssssii", account, role, msgid, folder, now_us, (int64_t)again);
}

bool
demands_open(Db *db, const char *account, unsigned max, GPtrArray **ret_rows, GError **error)
{
    SqlStmt *st = sql_get(db,
                          "SELECT role, msgid, folder FROM demand WHERE account = ? "
                          "AND answer IS NULL ORDER BY asked_us LIMIT ?",
                          error);
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func((GDestroyNotify)demand_free);
    int rc;

    if (!st)
        return false;
    sql_bind(st, "si", account, (int64_t)max);
    while ((rc = sql_next(st, error)) == 1) {
        Demand *d = g_new0(Demand, 1);
        *d = (Demand){
            .role = sql_text(st, 0), .msgid = sql_text(st, 1), .folder = sql_text(st, 2)};
        g_ptr_array_add(rows, d);
    }
    if (rc < 0)
        return false;
    *ret_rows = g_steal_pointer(&rows);
    return true;
}

bool
demands_wait(Db *db, const char *account, const char *role, bool *ret, GError **error)
{
    int64_t found;

    if (!sql_int(db,
                 "SELECT 1 FROM demand WHERE account = ? AND role = ? AND answer IS NULL "
                 "LIMIT 1",
                 0, &found, error, "ss", account, role))
        return false;
    *ret = found != 0;
    return true;
}

bool
demand_met(Txn *txn, const char *account, const Demand *d, GError **error)
{
    return sql_run(txn, "DELETE FROM demand WHERE account = ? AND role = ? AND msgid = ?", NULL,
                   error, "sss", account, d->role, d->msgid);
}

bool
demand_absent(Txn *txn, const char *account, const Demand *d, GError **error)
{
    return sql_run(txn,
                   "UPDATE demand SET answer = 'absent' WHERE account = ? AND role = ? "
                   "AND msgid = ?",
                   NULL, error, "sss", account, d->role, d->msgid);
}
