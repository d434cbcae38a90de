#include "store/job/doings.h"
#include "store/rows.h"

static bool
add(Txn *txn, const Doing *d, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO doing (job, fence, at_us, what, said, cost_micro) "
                   "VALUES (?, ?, ?, ?, ?, ?)",
                   error, "iiissi", d->job.v, d->fence, d->at_us, d->what, d->said,
                   d->cost_micro);
}

/* Removes the oldest rows, of which there are too many, and those of other claims. */
static bool
trim(Txn *txn, const Doing *newest, GError **error)
{
    return sql_run(txn,
                   "DELETE FROM doing WHERE job = ?1 AND (fence <> ?2 OR id <= "
                   "(SELECT id FROM doing WHERE job = ?1 ORDER BY id DESC "
                   "LIMIT 1 OFFSET " G_STRINGIFY(DOINGS_MAX) "))",
                   error, "ii", newest->job.v, newest->fence);
}

bool
doings_write(Txn *txn, const Doings *said, GError **error)
{
    LIST_EACH(const Doing, d, said)
        if (!add(txn, d, error))
            return false;
    return said->len == 0 || trim(txn, said->pdata[said->len - 1], error);
}

bool
doings_list(Db *db, JobId job, int64_t fence, int64_t above_id, Doings **ret, GError **error)
{
    return rows_list(db, &doing_shape,
                     "FROM doing WHERE job = ? AND fence = ? AND id > ? ORDER BY id", ret,
                     error, "iii", job.v, fence, above_id);
}

bool
doing_last(Db *db, JobId job, int64_t fence, Doing **ret, GError **error)
{
    return rows_first(db, &doing_shape,
                      "FROM doing WHERE job = ? AND fence = ? ORDER BY id DESC LIMIT 1", ret,
                      error, "ii", job.v, fence);
}

bool
doings_forget(Txn *txn, JobId job, GError **error)
{
    return sql_run(txn, "DELETE FROM doing WHERE job = ?", error, "i", job.v);
}
