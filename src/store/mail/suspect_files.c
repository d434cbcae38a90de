#include "store/mail/suspect_files.h"
#include "store/sql.h"

bool
suspects_load(
    Db *db, const char *mailbox, GPtrArray **ret_files, unsigned *ret_crashes, GError **error)
{
    return sql_strings(db, "SELECT file FROM suspect WHERE mailbox = ?", ret_files, error, "s",
                       mailbox) &&
           sql_count(db, "SELECT crashes FROM suspect WHERE mailbox = ? LIMIT 1", ret_crashes,
                     error, "s", mailbox);
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
