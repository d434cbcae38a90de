/* Brains that can't be asked: their jobs wait, and it is no fault of the jobs. */
#include "base/log.h"
#include "engine/people/notice.h"
#include "engine/people/words.h"
#include "engine/run/run_internal.h"
#include "engine/wall/wall.h"
#include "store/job/timers.h"
#include "store/told.h"

#define DAY_US (24 * 3600 * USEC_PER_SEC)

/* Why a job waits, and until when. */
typedef struct Wait {
    const char *why;
    Due until;
    bool known;  /* until is what the provider said, not our guess */
    bool broken; /* a person must mend the brain: the owner has a mail of its own */
    bool far;    /* the owner is asked about it (ask_owner) */
} Wait;

static bool
tell_broken(Task *t, Txn *txn, const char *why, GError **error)
{
    const Notice notice = {.role = t->role, .subject = WORDS_BRAIN_BROKEN_SUBJECT};
    return notice_say(t->run->engine, txn, &notice, error, WORDS_BRAIN_BROKEN, t->brain->name,
                      why, t->brain->name, t->job->id.v);
}

/* No other job of this brain is to find out the same; those who must know hear of it. */
static bool
pause_broken(Task *t, Txn *txn, const BrainAnswer *answer, Wait *w, GError **error)
{
    bool first;
    w->broken = true;
    w->until.us = home_now(t->run->engine->home) + BROKEN_WAIT_US;
    log_event(LOG_ERROR, "brain is broken, its jobs wait 5 min", "brain", t->brain->name, "why",
              answer->failed, NULL);
    return brain_set_broken(txn, t->brain->name, w->until.us, answer->failed, &first, error) &&
           (!first || tell_broken(t, txn, answer->failed, error));
}

/* A mail of its own, outside the thread of the job: no later prompt has the brain's words. */
static bool
ask_owner(Task *t, Txn *txn, const char *said, int64_t until_us, GError **error)
{
    g_autofree char *at = clock_format_iso(until_us), *shown = text_vis(said, false);
    const Notice notice = {.role = t->role, .subject = WORDS_BRAIN_LIMIT_SUBJECT};
    return notice_say(t->run->engine, txn, &notice, error, WORDS_BRAIN_LIMIT, t->brain->name,
                      shown, at, t->job->id.v);
}

static bool
pause_limited(Task *t, Txn *txn, const BrainAnswer *answer, Wait *w, GError **error)
{
    bool ask;
    w->known = answer->retry.us != 0;
    w->until = answer->retry;
    if (!brain_set_limited(txn, t->brain->name, &w->until, answer->failed, &ask, error) ||
        (ask && !ask_owner(t, txn, answer->failed, w->until.us, error)))
        return false;
    w->far = w->until.us < answer->retry.us;
    g_autofree char *at = clock_format_iso(w->until.us);
    log_event(LOG_WARN, "the brain can't be asked now, its jobs wait", "brain", t->brain->name,
              "until", at, "why", answer->failed, NULL);
    return true;
}

/* This job alone: others may well be answered. */
static bool
pause_job(Task *t, const BrainAnswer *answer, Wait *w)
{
    int64_t now = home_now(t->run->engine->home);
    w->until.us = brain_next_try(MIN(t->job->stalled_us, now), now);
    g_autofree char *at = clock_format_iso(w->until.us);
    log_event(LOG_WARN, "the brain gave no answer, the job waits", "brain", t->brain->name,
              "until", at, "why", answer->failed, NULL);
    return true;
}

/* --- whoever asked --- */

static char *
wait_words(const Home *home, const Wait *w, int64_t since_us)
{
    bool ahead = w->known && w->until.us - home_now(home) >= BRAIN_LONG_US;
    g_autofree char *at = clock_format_iso(ahead ? w->until.us : since_us);
    if (w->broken)
        return g_strdup_printf(WORDS_PAUSE_BROKEN, at, w->why);
    if (ahead)
        return g_strdup_printf(WORDS_PAUSE_UNTIL, at, w->why);
    return g_strdup_printf(WORDS_PAUSE_SILENT, at, w->why);
}

/* True when the wait is long enough to be told, and was not told yet. */
static bool
is_news(const Task *t, const Wait *w, int64_t since_us)
{
    int64_t now = home_now(t->run->engine->home);
    return !t->job->stall_told &&
           (now - since_us >= BRAIN_LONG_US || w->until.us - now >= BRAIN_LONG_US);
}

/* Says in one mail that the job waits, where the wait is long. The owner hears of it in place
 * of an agent that asked, unless the owner has a mail about the brain already. *ret_told:
 * nothing more is to be said. */
static bool
say_wait(Task *t, Txn *txn, const Wait *w, bool *ret_told, GError **error)
{
    Engine *engine = t->run->engine;
    const Config *config = engine->home->config;
    const Job *job = t->job;
    bool person = config_is_person(config, job->asker), tell;
    const char *to = person ? job->asker : config->owner;
    int64_t since_us = MIN(job->stalled_us, home_now(engine->home));
    *ret_told = is_news(t, w, since_us);
    if (!*ret_told || ((w->far || w->broken) && g_str_equal(to, config->owner)))
        return true;
    if (!brain_tell(txn, t->brain->name, to, &tell, error))
        return false;
    if (!tell)
        return true;
    g_autofree char *text = wait_words(engine->home, w, since_us);
    const Notice notice = {.role = t->role, .job = job, .to = to, .text = text};
    return notice_post(engine, txn, &notice, NULL, error) &&
           (!person || timer_drop(txn, job->id, TIMER_ACK, error));
}

static bool
wait_in(Task *t, Txn *txn, const Wait *w, GError **error)
{
    bool told;
    return say_wait(t, txn, w, &told, error) && job_stall(txn, &t->claim, told, error) &&
           job_release(txn, &t->claim, w->until, TRY_NONE, w->why, error);
}

static bool
note_pause(Task *t, Txn *txn, const BrainAnswer *answer, Wait *w, GError **error)
{
    switch (answer->end) {
    case BRAIN_BROKEN:
        return pause_broken(t, txn, answer, w, error);
    case BRAIN_LIMITED:
        return pause_limited(t, txn, answer, w, error);
    default:
        return pause_job(t, answer, w);
    }
}

static const ConfBrain *
next_brain(const Task *t, const ConfBrain *brain)
{
    const Config *config = t->run->engine->home->config;
    return *brain->fallback ? config_brain(config, brain->fallback) : NULL;
}

bool
run_choose_brain(Task *t, const ConfBrain *first, Pause *ret, GError **error)
{
    const Config *config = t->run->engine->home->config;
    *ret = (Pause){.until = DUE_NEVER};
    for (const ConfBrain *b = config_stand_in(config, first); b; b = next_brain(t, b)) {
        g_auto(Pause) pause = {0};
        if (!brain_pause(t->run->engine->db, b->name, &pause, error))
            return false;
        if (pause.kind == PAUSE_NONE) {
            pause_clear(ret);
            *ret = (Pause){.until = DUE_NEVER};
            t->brain = b;
            return true;
        }
        if (pause.until.us < ret->until.us) {
            pause_clear(ret);
            *ret = pause;
            pause = (Pause){0};
        }
    }
    return true;
}

bool
run_fall_back(Task *t, const BrainAnswer *answer, bool *ret, GError **error)
{
    const ConfBrain *asked = t->brain, *next = next_brain(t, asked);
    Db *db = t->run->engine->db;
    Wait w = {.why = answer->failed};
    g_auto(Pause) pause = {0};
    g_auto(Txn) txn = {.db = db, .flush = TXN_DURABLE};
    *ret = false;
    if (!next)
        return true;
    if (!run_choose_brain(t, next, &pause, error))
        return false;
    if (pause.kind != PAUSE_NONE)
        return true;
    const ConfBrain *other = t->brain;
    t->brain = asked; /* it is the one that is told of */
    while (txn_again(&txn, error))
        txn.ok = note_pause(t, &txn, answer, &w, error);
    if (!txn.done)
        return false;
    t->brain = other;
    log_event(LOG_WARN, "another brain is asked instead", "brain", other->name, NULL);
    db_hint(db);
    *ret = true;
    return true;
}

bool
run_wait(Task *t, const BrainAnswer *answer, GError **error)
{
    Db *db = t->run->engine->db;
    g_auto(Txn) txn = {.db = db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error)) {
        Wait w = {.why = answer->failed};
        txn.ok = note_pause(t, &txn, answer, &w, error) && wait_in(t, &txn, &w, error);
    }
    if (!txn.done)
        return false;
    db_hint(db);
    return true;
}

static bool
tell_no_wall(Task *t, Txn *txn, const char *why, GError **error)
{
    const Notice notice = {.role = t->role, .subject = WORDS_NO_SANDBOX_SUBJECT};
    bool first;
    return told_first(txn, "sandbox", t->role->name, "", txn_now(txn) - DAY_US + 1, &first,
                      error) &&
           (!first || notice_say(t->run->engine, txn, &notice, error, WORDS_NO_SANDBOX,
                                 t->role->name, t->job->id.v, why, wall_remedy(t->role),
                                 t->job->id.v));
}

bool
run_wait_for_wall(Task *t, const char *why, GError **error)
{
    Db *db = t->run->engine->db;
    int64_t now = home_now(t->run->engine->home);
    const Wait w = {.why = why,
                    .until.us = brain_next_try(MIN(t->job->stalled_us, now), now),
                    .broken = true};
    g_auto(Txn) txn = {.db = db, .flush = TXN_DURABLE};
    log_event(LOG_WARN, "no program is started without a sandbox, the job waits", "why", why,
              NULL);
    while (txn_again(&txn, error))
        txn.ok = tell_no_wall(t, &txn, why, error) && wait_in(t, &txn, &w, error);
    if (!txn.done)
        return false;
    db_hint(db);
    return true;
}

bool
run_join_wait(Task *t, const Pause *pause, GError **error)
{
    Db *db = t->run->engine->db;
    const Wait w = {.why = pause->why,
                    .until = pause->until,
                    .known = !pause->away,
                    .broken = pause->kind == PAUSE_BROKEN};
    g_auto(Txn) txn = {.db = db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = wait_in(t, &txn, &w, error);
    if (!txn.done)
        return false;
    db_hint(db);
    return true;
}
