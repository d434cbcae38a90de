#include "store/job/missed.h"
#include "store/sql.h"

bool
missed_find(Db *db, JobId job, int64_t *ret_at_us, char **ret_by, GError **error)
{
    return sql_int(db, "SELECT at_us FROM missed WHERE job = ?", ret_at_us, error, "i",
                   job.v) &&
           sql_string(db, "SELECT missed_by FROM missed WHERE job = ?", ret_by, error, "i",
                      job.v);
}

bool
missed_set(Txn *txn, JobId job, const char *by, GError **error)
{
    if (!by)
        return sql_run(txn, "DELETE FROM missed WHERE job = ?", error, "i", job.v);
    return sql_run(txn,
                   "INSERT INTO missed (job, at_us, missed_by) VALUES (?, ?, ?) "
                   "ON CONFLICT (job) DO UPDATE SET at_us = excluded.at_us, "
                   "missed_by = excluded.missed_by",
                   error, "iis", job.v, txn_now(txn), by);
}
