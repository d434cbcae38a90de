#include "engine/out/attempt.h"
#include "store/out/outbox_smtp.h"

bool
attempt_failed(Txn *txn,
               const Home *home,
               const OutRow *row,
               bool never,
               const char *why,
               AttemptEnd *ret,
               GError **error)
{
    const Config *config = home->config;
    int64_t now = home_now(home);
    bool owed = g_str_equal(row->folder, "Sent"); /* the mail has left: its copy stays a debt */

    if (never || (!owed && row->attempts > 0 && now - row->since_us >= config->give_up_us)) {
        *ret = ATTEMPT_GIVEN_UP;
        return outbox_fail(txn, row->delivery, why, error) &&
               outbox_end_copies(txn, row->id, error);
    }
    *ret = ATTEMPT_AGAIN;
    int64_t wait = clock_backoff(config->retry_first_us, config->retry_max_us, row->attempts);
    return outbox_retry(txn, row->delivery, now + wait, why, error);
}
