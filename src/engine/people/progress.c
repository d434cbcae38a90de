#include "engine/people/progress.h"
#include "engine/people/notice.h"
#include "engine/people/tell.h"
#include "engine/people/words.h"
#include "engine/role.h"
#include "mail/address.h"
#include "store/job/questions.h"
#include "store/job/timers.h"
#include "store/out/outbox.h"

#define LOOK_MAX 200
#define SAME_COMMIT_US (5 * USEC_PER_SEC) /* a question is stamped before its job parks */

/* When whoever asked last heard of this job; 0: never. */
static bool
last_word(Engine *engine, const Job *job, int64_t *ret_us, GError **error)
{
    const OutQuery q = {.job = job->id, .all = true, .limit = LOOK_MAX};
    g_autoptr(OutRows) rows = NULL;
    *ret_us = 0;
    if (!outbox_list(engine->db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    LIST_EACH(const OutRow, row, rows)
        if (*ret_us == 0 && address_equal(row->address, job->asker))
            *ret_us = row->created_us;
    return true;
}

/* The owner asked for the work, and was asked whether it may go on: they know what it waits
 * for, and are reminded of it in time (hold.h). */
static bool
owner_was_asked(Engine *engine, const Job *job, bool *ret, GError **error)
{
    g_autoptr(Questions) open = NULL;
    *ret = false;
    if (job->state != JOB_PARKED || !address_equal(job->asker, engine->home->config->owner))
        return true;
    if (!questions_later(engine->db, job->id, NULL, &open, error))
        return false;
    *ret = open->len > 0;
    return true;
}

typedef enum Word { WORD_SAY, WORD_LATER, WORD_NONE } Word;

/* *ret_next_us: with WORD_LATER, when to look again. */
static bool
decide(Engine *engine, const Job *job, Word *ret, int64_t *ret_next_us, GError **error)
{
    const Config *config = engine->home->config;
    int64_t now = home_now(engine->home), every = config->progress_every_us, said;
    bool live = job && (job->state == JOB_QUEUED || job->state == JOB_RUNNING ||
                        job->state == JOB_PARKED);
    *ret = WORD_NONE;
    /* Agents do not read such mail, and strangers get none. */
    if (!live || every == 0 || !config_is_person(config, job->asker) ||
        !role_find(engine, job->role))
        return true;
    bool asked;
    if (!owner_was_asked(engine, job, &asked, error))
        return false;
    if (asked)
        return true;
    if (!last_word(engine, job, &said, error))
        return false;
    *ret_next_us = CLAMP(said, now - every, now) + every;
    bool waits = job->state == JOB_PARKED && job->waiting_for && *job->waiting_for;
    if (waits && said >= job->updated_us - SAME_COMMIT_US)
        return true; /* they know; the wait contract says the rest */
    *ret = *ret_next_us > now || job->state == JOB_QUEUED ? WORD_LATER : WORD_SAY;
    *ret_next_us = MAX(*ret_next_us, *ret_next_us > now ? 0 : now + every);
    return true;
}

static bool
say(Engine *engine, Txn *txn, const Job *job, GError **error)
{
    const ConfRole *role = role_find(engine, job->role);
    g_autofree char *status = tell_job(engine->db, job->id, error);
    if (!status)
        return false;
    /* The notice repeats words of the agent, so it has the job's floor. */
    const Notice notice = {.kind = MAIL_PROGRESS,
                           .role = role,
                           .job = job,
                           .to = job->asker,
                           .floor = &job->floor};
    return notice_say(engine, txn, &notice, error, WORDS_PROGRESS_TEXT, status);
}

bool
progress_say(Engine *engine, JobId id, bool *ret_said, GError **error)
{
    int64_t due, next;
    Word word = WORD_NONE;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    *ret_said = false;
    while (txn_again(&txn, error)) {
        g_autoptr(Job) job = NULL;
        if (!timer_find(engine->db, id, TIMER_PROGRESS, &due, error))
            return false;
        if (due > home_now(engine->home))
            return true;
        txn.ok = job_load(engine->db, &VIEWER_OPERATOR, id, &job, error) &&
                 decide(engine, job, &word, &next, error) &&
                 (word != WORD_SAY || say(engine, &txn, job, error)) &&
                 (word == WORD_NONE ? timer_drop(&txn, id, TIMER_PROGRESS, error)
                                    : timer_set(&txn, id, TIMER_PROGRESS, next, error));
    }
    if (!txn.done)
        return false;
    *ret_said = word == WORD_SAY;
    if (*ret_said)
        db_hint(engine->db);
    return true;
}
