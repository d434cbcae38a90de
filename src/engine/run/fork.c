#include "engine/run/fork.h"
#include "base/digest.h"
#include "base/log.h"
#include "engine/mode.h"
#include "engine/people/notice.h"
#include "engine/people/words.h"
#include "engine/role.h"
#include "engine/run/commit_internal.h"
#include "engine/context/manifest.h"
#include "store/job/forks.h"
#include "store/job/step_rows.h"
#include "store/note/note_versions.h"

/* All that is read before anything is written. */
typedef struct Source {
    Job *job;
    const ConfRole *role; /* borrowed */
    Steps *steps;
    const Step *at; /* borrowed from steps */
    MsgId original;
    char *original_msgid, *asker;
    int total_iterations;
    Trust floor;
} Source;

static void
source_clear(Source *s)
{
    job_free(s->job);
    g_clear_pointer(&s->steps, steps_free);
    free_all(s->original_msgid, s->asker);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Source, source_clear)

/* --- where it begins --- */

static const Step *
find_step(const Steps *steps, int n)
{
    const Step *found = NULL;
    LIST_EACH(const Step, s, steps)
        if (n <= 0 || s->n == n)
            found = s;
    return found;
}

static bool
check_step(const Engine *engine, const Source *s, int n, GError **error)
{
    const ModeOps *mode = engine_mode(engine, s->role);
    int64_t id = s->job->id.v;
    if (s->steps->len == 0)
        return err_set(error, ERR_NEVER,
                       "job %" G_GINT64_FORMAT " has no step yet; there is nothing to fork",
                       id);
    if (!s->at)
        return err_set(error, ERR_NEVER,
                       "job %" G_GINT64_FORMAT " has no step %d; its newest is step %d", id, n,
                       s->job->steps);
    bool stateless = !s->at->state && !*s->at->phase;
    if (stateless && strstr(s->at->did, GAVE_UP))
        return err_set(error, ERR_NEVER,
                       "step %d of job %" G_GINT64_FORMAT
                       " came to nothing; there is nothing to go on from",
                       s->at->n, id);
    if (stateless)
        return err_set(error, ERR_NEVER,
                       "step %d of job %" G_GINT64_FORMAT " is the work of a program, which "
                       "keeps its state to itself; only jobs in steps can be forked",
                       s->at->n, id);
    if (!mode || !mode->led)
        return err_set(error, ERR_NEVER,
                       "job %" G_GINT64_FORMAT " worked in steps, but role '%s' is a program "
                       "now, which can't go on from one; 'mode = steps' in [role %s] can",
                       id, s->role->name, s->role->name);
    if (s->at->state)
        return true;
    return err_set(error, ERR_NEVER,
                   "the state of step %d of job %" G_GINT64_FORMAT
                   " is no longer kept; fork a newer step",
                   s->at->n, id);
}

/* Steps of the round that the step is of, itself included. */
static int
count_steps(const Source *s)
{
    int before = 0;
    if (s->at->round == s->job->round)
        return s->job->total_iterations - (s->job->steps - s->at->n);
    LIST_EACH(const Step, step, s->steps)
        if (step->round < s->at->round)
            before = MAX(before, step->n);
    return s->at->n - before;
}

/* A round that a fork was made in began with a mail of the job that it comes from. */
static bool
find_round(Db *db, const Source *s, MsgRow **ret, GError **error)
{
    ForkPoint from = {.job = s->job->id};
    for (int i = 0; i < FORK_DEPTH_MAX && from.job.v && !*ret; i++) {
        if (!fork_original(db, from.job, s->at->round, ret, error) ||
            !fork_of(db, from.job, &from, error))
            return false;
    }
    return true;
}

static bool
find_original(Db *db, Source *s, GError **error)
{
    g_autoptr(MsgRow) began = NULL;
    if (s->at->round != s->job->round && !find_round(db, s, &began, error))
        return false;
    s->original = began ? began->id : s->job->original;
    s->original_msgid = g_strdup(began ? began->msgid : s->job->original_msgid);
    s->asker = g_strdup(began ? began->from : s->job->asker);
    return true;
}

/* The lowest of all that the round had read by then; a step counts as its manifest says. One
 * whose manifest is not kept any more may have been shown anybody's words; of the newest round
 * the job knows all the same. */
static bool
find_floor(Engine *engine, Source *s, GError **error)
{
    bool newest = s->at->round == s->job->round;
    s->floor = newest ? s->job->floor : TRUST_OPERATOR;
    LIST_EACH(const Step, step, s->steps) {
        if (step->round != s->at->round || step->n > s->at->n)
            continue;
        if (!newest && !step->manifest && !digest_equal(&step->context, &(Digest){0}))
            s->floor = TRUST_ANYONE;
        if (!manifest_floor(engine, s->job->role, step->manifest, &s->floor, error))
            return false;
    }
    return true;
}

static bool
load_source(Engine *engine, JobId job, int n, Source *s, GError **error)
{
    if (!job_load(engine->db, &VIEWER_OPERATOR, job, &s->job, error))
        return false;
    if (!s->job)
        return err_set(error, ERR_NEVER, "there is no job %" G_GINT64_FORMAT, job.v);
    s->role = role_get(engine, s->job->role, error);
    if (!s->role || !steps_list_whole(engine->db, &VIEWER_OPERATOR, job, &s->steps, error))
        return false;
    s->at = find_step(s->steps, n);
    if (!check_step(engine, s, n, error) || !find_original(engine->db, s, error) ||
        !find_floor(engine, s, error))
        return false;
    s->total_iterations = MAX(count_steps(s), 1);
    return true;
}

/* --- what is written --- */

/* A fork of a round whose steps are spent has as many again, as CONTINUE gives. */
static int
step_limit(const Source *s)
{
    int limit = (int)s->role->total_iterations;
    return s->total_iterations < limit ? 0 : s->total_iterations + limit;
}

static bool
put_step(Engine *engine, Txn *txn, const Source *s, JobId fork, GError **error)
{
    g_autofree char *did = g_strdup_printf(
        "was forked from job %" G_GINT64_FORMAT " at step %d", s->job->id.v, s->at->n);
    Step first = {.job = fork,
                  .n = s->at->n,
                  .round = s->at->round,
                  .at_us = home_now(engine->home),
                  .phase = s->at->phase,
                  .did = did,
                  .state = s->at->state,
                  .results = s->at->results};
    return step_put(txn, &first, error);
}

/* Each note in the version that was the newest when the last of these steps showed it. */
static bool
mark_shown(Txn *txn, const Source *s, JobId fork, GError **error)
{
    LIST_EACH(const Step, step, s->steps) {
        g_autoptr(GPtrArray) ids = NULL;
        if (step->n > s->at->n)
            continue;
        if (!manifest_ids(step->manifest, true, &ids, error))
            return false;
        LIST_EACH(const char, id, ids)
            if (note_key_valid(id) &&
                !fork_mark_shown(txn, fork, id, step->at_us - step->took_us, error))
                return false;
    }
    return fork_mark_written(txn, fork, s->job->id, s->at->n, error);
}

/* The fork's first word: whoever asked learns of it, and has a mail to answer. */
static bool
say_so(Engine *engine,
       Txn *txn,
       const Source *s,
       JobId id,
       const char *instruction,
       GError **error)
{
    g_autoptr(Job) fork = NULL;
    g_autoptr(CommitParent) original = NULL;
    if (!job_load(engine->db, &VIEWER_OPERATOR, id, &fork, error) ||
        !(original = commit_parent_load(engine, fork, s->original_msgid, error)))
        return false;
    const Notice notice = {
        .role = s->role, .job = fork, .to = s->asker, .parent = &original->letter};
    return notice_say(engine, txn, &notice, error, WORDS_FORK_TEXT, id.v, s->job->id.v,
                      s->at->n, s->job->id.v, instruction ? WORDS_FORK_TOLD : "",
                      instruction ? instruction : "");
}

/* An address that can't be written to is no reason to have half a fork. */
static bool
say_if_possible(Engine *engine,
                Txn *txn,
                const Source *s,
                JobId id,
                const char *instruction,
                GError **error)
{
    g_autoptr(GError) failed = NULL;
    if (say_so(engine, txn, s, id, instruction, &failed))
        return true;
    if (!err_is(failed, ERR_NEVER))
        return err_pass(error, g_steal_pointer(&failed));
    log_event(LOG_WARN, "whoever asked could not be told of a fork", "why", failed->message,
              NULL);
    return true;
}

bool
fork_job(Engine *engine,
         Txn *txn,
         JobId job,
         int step,
         const char *instruction,
         JobId *ret_new,
         GError **error)
{
    g_auto(Source) s = {0};
    JobId id;
    if (!load_source(engine, job, step, &s, error))
        return false;
    const char *told = instruction && *instruction ? instruction : NULL;
    JobNew in = {.from = job,
                 .steps = s.at->n,
                 .role = s.job->role,
                 .face = s.job->face,
                 .phase = s.at->phase,
                 .subject = s.job->subject,
                 .asker = s.asker,
                 .original_msgid = s.original_msgid,
                 .instruction = told,
                 .original = s.original,
                 .round = s.at->round,
                 .total_iterations = s.total_iterations,
                 .step_limit = step_limit(&s),
                 .floor = s.floor,
                 /* Who asked in an older round is not counted up again. */
                 .may = s.at->round == s.job->round ? s.job->may : 0};
    if (!job_fork(txn, &in, &id, error) || !put_step(engine, txn, &s, id, error) ||
        !mark_shown(txn, &s, id, error) || !say_if_possible(engine, txn, &s, id, told, error))
        return false;
    *ret_new = id;
    return true;
}
