#include "store/mail/suspect_files.h"
#include "store/sql.h"

void
suspects_clear(Suspects *s)
{
    g_clear_pointer(&s->files, g_hash_table_unref);
}

bool
suspects_load(Db *db, const char *mailbox, Suspects *ret, GError **error)
{
    SqlStmt *st = sql_get(db, "SELECT file, crashes FROM suspect WHERE mailbox = ?", error);
    int rc;

    if (!st)
        return false;
    *ret = (Suspects){.files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
    sql_bind(st, "s", mailbox);
    while ((rc = sql_next(st, error)) == 1) {
        g_hash_table_add(ret->files, sql_text(st, 0));
        ret->crashes = (int)sql_col_int(st, 1);
    }
    return rc == 0;
}

bool
suspects_mark(Db *db, const char *mailbox, const GPtrArray *files, int crashes, GError **error)
{
    g_auto(Txn) txn = {.db = db, .flush = TXN_LAZY};

    while (txn_again(&txn, error)) {
        txn.ok = suspects_wipe(&txn, mailbox, error);
        for (guint i = 0; txn.ok && i < files->len; i++)
            txn.ok =
                sql_run(&txn, "INSERT INTO suspect (mailbox, file, crashes) VALUES (?, ?, ?)",
                        error, "ssn", mailbox, g_ptr_array_index(files, i), crashes);
    }
    return txn.done;
}

bool
suspects_wipe(Txn *txn, const char *mailbox, GError **error)
{
    return sql_run(txn, "DELETE FROM suspect WHERE mailbox = ?", error, "s", mailbox);
}
