#include "base/banned.h"
#include "base/clock.h"
#include "base/log.h"
#include "store/outbox.h"
#include "store/sql.h"

/* The longest wait that any try leads to, beside `retry-max`: the pause of an account. */
#define PAUSE_US (60 * USEC_PER_SEC)
#define SLACK_US (60 * USEC_PER_SEC)

/* The words of the index delivery_due, so that it is used. */
#define TOO_LATE "state IN ('ready', 'retry') AND next_us > ?"

bool
outbox_clock_set_back(Db *db, GError **error)
{
    const Home *home = db_home(db);
    int64_t now = home_now(home), found = 0;
    int64_t waits =
        MAX(MAX(home->config->retry_first_us, home->config->retry_max_us), PAUSE_US);
    int64_t last = now + waits + SLACK_US;
    g_auto(Txn) txn = {0};
    int n = 0;

    if (!sql_int(db, "SELECT 1 FROM delivery WHERE " TOO_LATE " LIMIT 1", 0, &found, error, "i",
                 last))
        return false;
    if (!found)
        return true;
    if (!txn_begin(db, TXN_DURABLE, DB_WAIT_MS, &txn, error) ||
        !sql_run(&txn, "UPDATE delivery SET next_us = ? WHERE " TOO_LATE, &n, error, "ii", now,
                 last) ||
        !txn_commit(&txn, error))
        return false;
    log_say(LOG_WARN,
            "the clock was set back: %d deliveries that waited for a later time are "
            "due now",
            n);
    return true;
}
