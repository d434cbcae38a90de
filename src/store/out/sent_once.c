#include "store/out/sent_once.h"
#include "base/home.h"
#include "store/sql.h"

bool
sent_once_find(Db *db, const SentOnce *what, char **ret_msgid, char **ret_why, GError **error)
{
    SqlStmt *st = sql_get(db,
                          "SELECT msgid, why FROM sent_once WHERE job = ? AND round = ? AND "
                          "digest = ? AND at_us > steady(?)",
                          error);
    int rc;

    *ret_msgid = *ret_why = NULL;
    if (!st)
        return false;
    sql_bind(st, "indi", what->job.v, what->round, &what->digest,
             home_now(db_home(db)) - SENT_ONCE_US);
    if ((rc = sql_next(st, error)) == 1) {
        *ret_msgid = sql_text(st, 0);
        *ret_why = sql_text_null(st, 1);
        sql_reset(st);
    }
    return rc >= 0;
}

bool
sent_once_put(
    Txn *txn, const SentOnce *what, const char *msgid, const char *why, GError **error)
{
    return sql_run(txn, "DELETE FROM sent_once WHERE at_us <= steady(?)", error, "i",
                   txn_now(txn) - SENT_ONCE_US) &&
           sql_run(txn,
                   "INSERT INTO sent_once (job, round, digest, at_us, msgid, why) "
                   "VALUES (?, ?, ?, steady(?), ?, ?) ON CONFLICT (job, round, digest) DO UPDATE "
                   "SET at_us = excluded.at_us, msgid = excluded.msgid, why = excluded.why",
                   error, "indiss", what->job.v, what->round, &what->digest, txn_now(txn),
                   msgid, why);
}
