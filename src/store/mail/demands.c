#include "store/mail/demands.h"
#include "base/clock.h"
#include "store/rows.h"

#define KEEP_US (24 * 3600 * USEC_PER_SEC)

static const Field demand_fields[] = {
    {NULL, "role", FIELD_TEXT, offsetof(Demand, role)},
    {NULL, "msgid", FIELD_TEXT, offsetof(Demand, msgid)},
    {NULL, "folder", FIELD_TEXT, offsetof(Demand, folder)},
};
SHAPE_HERE(demand_shape, "demand", Demand, demand_fields)

/* Puts a demand, and removes those that were not looked for in a day: their account or their
 * server is gone. */
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

    return sql_run(txn, "DELETE FROM demand WHERE asked_us < ?", error, "i",
                   now_us - KEEP_US) &&
           sql_run(txn,
                   "INSERT INTO demand (account, role, msgid, folder, asked_us) "
                   "VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (account, role, msgid) DO UPDATE "
                   "SET answer = NULL, asked_us = ?5, folder = ?4 WHERE ?6",
                   error, "ssssin", account, role, msgid, folder, now_us, again);
}

bool
demands_open(Db *db, const char *account, unsigned max, GPtrArray **ret_rows, GError **error)
{
    return rows_list(
        db, &demand_shape,
        "FROM demand WHERE account = ? AND answer IS NULL ORDER BY asked_us LIMIT ?", ret_rows,
        error, "su", account, max);
}

bool
demands_wait(Db *db, const char *account, const char *role, bool *ret, GError **error)
{
    return sql_bool(db,
                    "SELECT 1 FROM demand WHERE account = ? AND role = ? AND answer IS NULL "
                    "LIMIT 1",
                    ret, error, "ss", account, role);
}

bool
demand_met(Txn *txn, const char *account, const Demand *d, GError **error)
{
    return sql_run(txn, "DELETE FROM demand WHERE account = ? AND role = ? AND msgid = ?",
                   error, "sss", account, d->role, d->msgid);
}

bool
demand_absent(Txn *txn, const char *account, const Demand *d, GError **error)
{
    return sql_run(txn,
                   "UPDATE demand SET answer = 'absent' WHERE account = ? AND role = ? "
                   "AND msgid = ?",
                   error, "sss", account, d->role, d->msgid);
}
