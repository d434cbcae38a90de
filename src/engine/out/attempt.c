#include "engine/out/attempt.h"
#include "store/out/outbox_smtp.h"

bool
attempt_failed(Txn *txn,
               const OutRow *row,
               bool never,
               const char *why,
               bool *ret_given_up,
               GError **error)
{
    const Config *config = db_home(txn->db)->config;
    int64_t now = txn_now(txn);
    bool owed = g_str_equal(row->folder, "Sent"); /* the mail has left: its copy stays a debt */

    *ret_given_up =
        never || (!owed && row->attempts > 0 && now - row->since_us >= config->give_up_us);
    if (*ret_given_up)
        return outbox_fail(txn, row->delivery, why, error) &&
               outbox_end_copies(txn, row->id, error);
    int64_t wait = clock_backoff(config->retry_first_us, config->retry_max_us, row->attempts);
    return outbox_retry(txn, row->delivery, now + wait, why, error);
}
