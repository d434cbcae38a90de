#include "engine/run/goes_on.h"
#include "engine/people/notice.h"
#include "engine/people/words.h"
#include "store/job/pauses.h"

static bool
say(const Think *ask, Txn *txn, GError **error)
{
    const Config *config = ask->engine->home->config;
    const char *asker = ask->job->asker;
    const char *to = config_is_person(config, asker) ? asker : config->owner;
    g_autofree char *most = text_money(ask->budget_micro);
    g_autofree char *text = ask->budget_micro == INT64_MAX
                                ? g_strdup(WORDS_PAUSE_OVER)
                                : g_strdup_printf(WORDS_PAUSE_OVER_MONEY, most);
    const Notice notice = {.role = ask->role, .job = ask->job, .to = to, .text = text};
    bool waits;
    return brain_untell(txn, ask->brain->name, to, &waits, error) &&
           (!waits || notice_post(ask->engine, txn, &notice, NULL, error));
}

bool
goes_on_say(const Think *ask, GError **error)
{
    g_auto(Txn) txn = {.db = ask->engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = job_check(&txn, ask->claim, ask->in->deadline_us, error) &&
                 say(ask, &txn, error);
    if (!txn.done)
        return false;
    db_hint(ask->engine->db);
    return true;
}
