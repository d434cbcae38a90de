#include "store/mail/mailbox_visit.h"
#include "store/sql.h"

bool
mailbox_visited(Db *db, const char *mailbox, bool *ret, GError **error)
{
    int64_t found;

    if (!sql_int(db, "SELECT 1 FROM visited WHERE mailbox = ?", 0, &found, error, "s", mailbox))
        return false;
    *ret = found != 0;
    return true;
}

bool
mailbox_set_visited(Txn *txn, const char *mailbox, GError **error)
{
    return sql_run(txn, "INSERT INTO visited (mailbox) VALUES (?) ON CONFLICT DO NOTHING", NULL,
                   error, "s", mailbox);
}
