/* Brains that can't be asked: their jobs wait, and it is no fault of the jobs. */
#include "base/banned.h"
#include "base/log.h"
#include "base/text.h"
#include "engine/letter.h"
#include "engine/post.h"
#include "engine/run_internal.h"
#include "store/timers.h"

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
        (first && !post_compose(engine, &txn, MAIL_NOTICE, c, &post, NULL, NULL, error)) ||
        !txn_commit(&txn, error))
        return false;
    db_hint(engine->db);
    return true;
}

static char *
wait_words(const Home *home, const char *why, int64_t since_us, int64_t until_us)
{
    bool soon = until_us - home_now(home) < BRAIN_LONG_US;
    g_autofree char *at = clock_format_iso(soon ? since_us : until_us);
    if (soon)
        return g_strdup_printf(
            "I can't go on with this since %s: %s.\n\nNothing is lost: I try "
            "again all the time, and go on by myself when it works.",
            at, why);
    return g_strdup_printf("I can't go on with this before %s: %s.\n\nNothing is lost: I go on "
                           "by myself then, with this and whatever else waits for it. Reply "
                           "CONTINUE to let me try at once.",
                           at, why);
}

/* A mail of its own, outside the thread of the job: no later prompt has the brain's words. */
static bool
ask_owner(Task *t, Txn *txn, const char *said, int64_t until_us, GError **error)
{
    Engine *engine = t->run->engine;
    g_autofree char *at = clock_format_iso(until_us), *shown = text_vis(said, false);
    g_autofree char *text = g_strdup_printf(
        "The brain '%s' is at a limit, and asks to be left alone for more than a day. It "
        "said:\n\n    %s\n\nIs that right? I don't take its word for so long. Nothing is lost: "
        "all its jobs wait until %s, then I try again, and so once a day.\n\nTo let me try at "
        "once, type: postrider continue %" G_GINT64_FORMAT
        "\nFor another key or another provider: postrider setup brain",
        t->brain->name, shown, at, t->job->id.v);
    g_autoptr(Compose) c =
        letter_notice(engine->home, t->role, NULL, engine->home->config->owner,
                      "A brain is at its limit", text, NULL, error);
    Post post = {.level = TRUST_ROLE, .mailbox = t->job->role};

    return c && post_compose(engine, txn, MAIL_NOTICE, c, &post, NULL, NULL, error);
}

/* One mail, where the wait is long. What an agent asked for, the owner hears of, but not where
 * they are asked (ask_owner). */
static bool
say_wait(Task *t,
         Txn *txn,
         const char *why,
         int64_t until_us,
         bool tried,
         bool far,
         bool *ret_said,
         GError **error)
{
    Engine *engine = t->run->engine;
    const Config *config = engine->home->config;
    const Job *job = t->job;
    bool person = config_is_person(config, job->asker);
    const char *to = person ? job->asker : config->owner;
    LetterParent parent = {.msgid = job->original_msgid, .subject = job->subject};
    int64_t since_us;
    if (!brain_limit_tell(txn, t->brain->name, to, tried, until_us, ret_said, &since_us, error))
        return false;
    if (far && g_str_equal(to, config->owner))
        *ret_said = false;
    if (!*ret_said)
        return true;
    g_autofree char *text = wait_words(engine->home, why, since_us, until_us);
    g_autoptr(Compose) c =
        letter_notice(engine->home, t->role, job, to, NULL, text, &parent, error);
    Post post = post_of_job(job);
    return c && post_compose(engine, txn, MAIL_NOTICE, c, &post, NULL, NULL, error) &&
           (!person || timer_drop(txn, job->id, TIMER_ACK, error));
}

/* said: what the brain said when it was asked just now; NULL: it was not. */
static bool
wait_until(Task *t, const char *why, int64_t until_us, const char *said, GError **error)
{
    Db *db = t->run->engine->db;
    int64_t at_us = until_us;
    bool ask = false, told = false;
    g_auto(Txn) txn = {0};
    if (!txn_begin(db, TXN_DURABLE, DB_WAIT_MS, &txn, error) ||
        (said && !brain_set_limited(&txn, t->brain->name, &at_us, why, &ask, error)) ||
        !job_release(&txn, &t->claim, at_us, false, why, error) ||
        !say_wait(t, &txn, why, at_us, said != NULL, at_us < until_us, &told, error) ||
        (ask && !ask_owner(t, &txn, said, at_us, error)) || !txn_commit(&txn, error))
        return false;
    if (told || ask)
        db_hint(db);
    return true;
}

bool
run_wait_for_brain(Task *t, const BrainAnswer *answer, GError **error)
{
    const char *said = answer->said ? answer->said : answer->failed;
    g_autofree char *at = clock_format_iso(answer->retry_at_us);
    log_event(LOG_WARN, "the brain can't be asked now, its jobs wait", "brain", t->brain->name,
              "until", at, "why", said, NULL);
    return wait_until(t, answer->failed, answer->retry_at_us, said, error);
}

bool
run_join_wait(Task *t, const Pause *pause, GError **error)
{
    if (pause->kind == PAUSE_BROKEN) /* the owner knows */
        return run_release(t, pause->until_us, false, pause->why, error);
    return wait_until(t, pause->why, pause->until_us, NULL, error);
}
