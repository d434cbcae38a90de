/* Brains that can't be asked: their jobs wait, and it is no fault of the jobs. */
#include "base/banned.h"
#include "base/log.h"
#include "engine/letter.h"
#include "engine/post.h"
#include "engine/run_internal.h"
#include "store/pauses.h"

bool
run_pause_brain(Task *t, const char *why, GError **error)
{
    Engine *engine = t->run->engine;
    int64_t until_us = home_now(engine->home) + BROKEN_WAIT_US;
    bool first;
    g_autofree char *text = g_strdup_printf(
        "The brain '%s' does not work: %s.\n\nIts jobs wait. Mend [brain %s] in "
        "postrider.conf, and they go on. One of them is tried every five "
        "minutes, or at once after: postrider continue %" G_GINT64_FORMAT,
        t->brain->name, why, t->brain->name, t->job->id.v);
    g_autoptr(Compose) c =
        letter_notice(engine->home, t->role, NULL, engine->home->config->owner,
                      "A brain does not work", text, NULL, error);
    Post post = {.level = TRUST_ROLE, .mailbox = t->job->role};
    g_auto(Txn) txn = {0};
    log_event(LOG_ERROR, "brain is broken, its jobs wait 5 min", "brain", t->brain->name, "why",
              why, NULL);
    if (!c || !txn_begin(engine->db, TXN_DURABLE, DB_WAIT_MS, &txn, error) ||
        !job_release(&txn, &t->claim, until_us, false, why, error) ||
        !brain_set_broken(&txn, t->brain->name, until_us, why, &first, error) ||
        (first && !post_compose(engine, &txn, c, &post, NULL, NULL, error)) ||
        !txn_commit(&txn, error))
        return false;
    db_hint(engine->db);
    return true;
}

bool
run_wait_for_brain(Task *t, const char *why, int64_t until_us, GError **error)
{
    g_autofree char *at = clock_format_iso(until_us);
    g_auto(Txn) txn = {0};
    log_event(LOG_WARN, "the brain can't be asked now, its jobs wait", "brain", t->brain->name,
              "until", at, "why", why, NULL);
    return txn_begin(t->run->engine->db, TXN_DURABLE, DB_WAIT_MS, &txn, error) &&
           brain_set_limited(&txn, t->brain->name, until_us, why, error) &&
           job_release(&txn, &t->claim, until_us, false, why, error) && txn_commit(&txn, error);
}
