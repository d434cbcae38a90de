#include "store/accept.h"
#include "base/banned.h"
#include "store/messages.h"
#include "store/outbox.h"
#include "store/sql.h"

bool
accept_sent(Txn *txn, const char *msgid, unsigned *ret_n, GError **error)
{
    const Viewer viewer = VIEWER_OPERATOR;
    g_autoptr(OutRow) row = NULL;
    int changes = 0;

    if (!outbox_find(txn->db, &viewer, msgid, &row, error))
        return false;
    if (row && !sql_run(txn,
                        "UPDATE delivery SET state = 'sent', after_effect = NULL, "
                        "why = 'found in Sent' WHERE outbox = ? AND state <> 'sent'",
                        &changes, error, "i", row->id.v))
        return false;
    *ret_n = (unsigned)changes;
    return true;
}

/* Of every job. */
static bool
raise_epochs_and_fences(Txn *txn, GError **error)
{
    return sql_run(txn, "UPDATE job SET epoch = epoch + 1, fence = fence + 1", NULL, error, "");
}

bool
accept_backup(Txn *txn, uint64_t newest_seen, GError **error)
{
    uint64_t now = (uint64_t)(txn_now(txn) / USEC_PER_MSEC);
    uint64_t above = MAX(db_generation(txn->db), newest_seen) + 1;

    return db_set_generation(txn, MAX(now, above), error) &&
           raise_epochs_and_fences(txn, error) && meta_set(txn, "hold-all", NULL, error);
}
