#include "store/mail/mailbox_visit.h"
#include "store/sql.h"

bool
mailbox_visited(Db *db, const char *mailbox, bool *ret, GError **error)
{
    return sql_bool(db, "SELECT 1 FROM visited WHERE mailbox = ?", ret, error, "s", mailbox);
}

bool
mailbox_set_visited(Txn *txn, const char *mailbox, GError **error)
{
    return sql_run(txn, "INSERT INTO visited (mailbox) VALUES (?) ON CONFLICT DO NOTHING",
                   error, "s", mailbox);
}
