#include "engine/out/attempt.h"
#include "base/banned.h"
#include "store/out/outbox_smtp.h"

static int64_t
retry_delay(const Config *config, int attempts)
{
    int64_t delay = config->retry_first_us;

    for (int i = 0; i < attempts && delay < config->retry_max_us; i++)
        delay *= 2;
    return MIN(delay, config->retry_max_us);
}

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
    return outbox_retry(txn, row->delivery, now + retry_delay(config, row->attempts), why,
                        error);
}
