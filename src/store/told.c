#include "store/told.h"
#include "store/sql.h"

bool
told_first(Txn *txn,
           const char *what,
           const char *subject,
           const char *whom,
           int64_t since_us,
           bool *ret_first,
           GError **error)
{
    return sql_changed(
        txn,
        "INSERT INTO told (what, subject, whom, at_us) VALUES (?, ?, ?, steady(?)) "
        "ON CONFLICT (what, subject, whom) DO UPDATE SET at_us = excluded.at_us "
        "WHERE told.at_us < steady(?)",
        ret_first, error, "sssii", what, subject, whom, txn_now(txn), since_us);
}

bool
told_forget(Txn *txn, const char *what, const char *subject, bool *ret_any, GError **error)
{
    return sql_changed(txn, "DELETE FROM told WHERE what = ? AND subject = ?", ret_any, error,
                       "ss", what, subject);
}

bool
told_take_back(Txn *txn,
               const char *what,
               const char *subject,
               const char *whom,
               bool *ret_was,
               GError **error)
{
    return sql_changed(txn, "DELETE FROM told WHERE what = ? AND subject = ? AND whom = ?",
                       ret_was, error, "sss", what, subject, whom);
}
