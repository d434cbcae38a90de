#include "store/set_back.h"
#include "base/banned.h"
#include "base/clock.h"
#include "base/log.h"
#include "store/pauses.h"
#include "store/sql.h"

/* The longest wait that any try leads to, beside `retry-max`: the pause of an account. */
#define PAUSE_US (60 * USEC_PER_SEC)

static int64_t
longest_retry(const Config *config)
{
    return MAX(MAX(config->retry_first_us, config->retry_max_us), PAUSE_US);
}

/* What was written at a time is never ahead of now. */
static int64_t
no_wait(const Config *config)
{
    return 0;
}

static int64_t
longest_ack(const Config *config)
{
    int64_t longest = 0;

    for (unsigned i = 0; i < config->n_roles; i++)
        longest = MAX(longest, config->roles[i].ack_after_us);
    return longest;
}

static int64_t
longest_progress(const Config *config)
{
    return config->progress_every_us;
}

/* In their SQL ?1 is now, and ?2 the last moment that can be meant. The conditions are in the
 * words of partial indexes, so that those are used. */
typedef struct Rule {
    const char *what, *find, *mend;
    int64_t (*longest)(const Config *config);
} Rule;

#define RULE(what, table, change, condition, longest)                                          \
    {                                                                                          \
        what, "SELECT 1 FROM " table " WHERE " condition " LIMIT 1",                           \
            "UPDATE " table " SET " change " WHERE " condition, longest                        \
    }

static const Rule rules[] = {
    RULE("deliveries",
         "delivery",
         "next_us = ?1",
         "state IN ('ready', 'retry') AND next_us > ?2",
         longest_retry),
    RULE("jobs",
         "job",
         "ready_us = ?1, turn_us = min(turn_us, ?1), updated_us = ?1",
         "state = 'queued' AND ready_us > ?1 AND updated_us > ?2",
         no_wait),
    RULE("mails in doubt",
         "delivery",
         "ask_us = ask_us - next_us + ?1, next_us = ?1",
         "state IN ('sending', 'in_doubt') AND state = 'in_doubt' AND next_us > ?2",
         no_wait),
    RULE("acknowledgements",
         "timer",
         "due_us = ?1",
         "due_us > ?2 AND purpose = 'ack'",
         longest_ack),
    RULE("words about work",
         "timer",
         "due_us = ?1",
         "due_us > ?2 AND purpose = 'progress'",
         longest_progress),
};

static bool
mend(Db *db, const Rule *rule, GError **error)
{
    const Home *home = db_home(db);
    int64_t now = home_now(home), found = 0;
    int64_t last = now + rule->longest(home->config) + CLOCK_SLACK_US;
    g_auto(Txn) txn = {0};
    int n = 0;

    if (!sql_int(db, rule->find, 0, &found, error, "ii", now, last))
        return false;
    if (!found)
        return true;
    if (!txn_begin(db, TXN_DURABLE, DB_WAIT_MS, &txn, error) ||
        !sql_run(&txn, rule->mend, &n, error, "ii", now, last) || !txn_commit(&txn, error))
        return false;
    log_say(LOG_WARN, "the clock was set back: %d %s waited for a time of before", n,
            rule->what);
    return true;
}

bool
set_back_mend(Db *db, GError **error)
{
    if (!brains_set_back(db, error))
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        if (!mend(db, &rules[i], error))
            return false;
    }
    return true;
}
