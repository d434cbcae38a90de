#include "store/job/permits.h"
#include "store/rows.h"

/* ?1 is now. One that was used up or has come to its end holds no more, whoever looks. */
#define HOLDS "p.ended_us IS NULL AND p.uses_left <> 0 AND (p.until_us IS NULL OR p.until_us > ?1) "

bool
permit_put(Txn *txn, const Permit *p, PermitId *ret, GError **error)
{
    return sql_insert(txn,
                      "INSERT INTO permit (role, tool, what, covers, folder, who, job, made_us, "
                      "until_us, uses_left) VALUES (?, ?, ?, ?, ?, ?, ?, ?, " SQL_TIME ", ?)",
                      &ret->v, error, "ssssssiiii", p->role, p->tool, p->what, p->covers,
                      p->folder, p->who, p->job.v, txn_now(txn), p->until_us, p->left);
}

bool
permit_use(Txn *txn, const Permit *p, bool *ret_used, GError **error)
{
    int64_t id;

    *ret_used = false;
    if (!sql_int(txn->db,
                 "SELECT p.id FROM permit p WHERE " HOLDS "AND p.role = ?2 AND p.tool = ?3 AND "
                 "p.covers = ?4 AND p.folder = ?5 AND p.what = ?6 ORDER BY p.uses_left, p.id LIMIT 1",
                 &id, error, "isssss", txn_now(txn), p->role, p->tool, p->covers, p->folder,
                 p->what))
        return false;
    return id == 0 || sql_changed(txn,
                                  "UPDATE permit SET uses = uses + 1, last_us = ?, uses_left = "
                                  "CASE WHEN uses_left > 0 THEN uses_left - 1 ELSE uses_left END "
                                  "WHERE id = ?",
                                  ret_used, error, "ii", txn_now(txn), id);
}

bool
permit_revoke(Txn *txn, PermitId id, const char *who, bool *ret_ended, GError **error)
{
    return sql_changed(txn,
                       "UPDATE permit AS p SET ended_us = ?1, ended_by = ?2 WHERE " HOLDS "AND p.id = ?3",
                       ret_ended, error, "isi", txn_now(txn), who, id.v);
}

bool
permits_list(Db *db, bool all, Permits **ret, GError **error)
{
    return rows_list(db, &permit_shape, "FROM permit p WHERE (?2 = 1 OR (" HOLDS ")) ORDER BY p.id",
                     ret, error, "in", home_now(db_home(db)), all);
}
