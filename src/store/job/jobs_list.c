#include "base/banned.h"
#include "base/err.h"
#include "base/text.h"
#include "store/due.h"
#include "store/job/jobs.h"
#include "store/job/jobs_internal.h"
#include "store/job/seats.h"
#include "store/job/timers.h"
#include "store/mail/mailboxes.h"
#include "store/mail/messages.h"
#include "store/sql.h"
#include <inttypes.h>

/* Jobs as others see them: names, rows, lists. Nothing here writes. */

#define DEFAULT_LIMIT 50

static const char *const state_names[] = {"queued", "running", "parked",   "done",
                                          "failed", "stopped", "cancelled"};
static const char *const state_words[] = {"queued", "working", "waiting",  "done",
                                          "failed", "stopped", "cancelled"};
_Static_assert(G_N_ELEMENTS(state_names) == JOB_N_STATES, "name every JobState");
_Static_assert(G_N_ELEMENTS(state_words) == JOB_N_STATES, "a word for every JobState");

const char *
job_state_name(JobState s)
{
    g_assert((unsigned)s < JOB_N_STATES);
    return state_names[s];
}

const char *
job_state_words(JobState s)
{
    g_assert((unsigned)s < JOB_N_STATES);
    return state_words[s];
}

bool
job_state_parse(const char *name, JobState *ret)
{
    for (int s = 0; s < JOB_N_STATES; s++) {
        if (strcmp(name, state_names[s]) == 0) {
            *ret = (JobState)s;
            return true;
        }
    }
    return false;
}

bool
job_id_parse(const char *text, JobId *ret)
{
    return text_parse_int(text, 1, INT64_MAX, &ret->v);
}

void
job_free(Job *job)
{
    if (!job)
        return;
    g_free(job->role);
    g_free(job->face);
    g_free(job->phase);
    g_free(job->subject);
    g_free(job->asker);
    g_free(job->original_msgid);
    g_free(job->why);
    g_free(job->waiting_for);
    g_free(job->owner_host);
    g_free(job->owner_boot);
    g_free(job->instruction);
    g_free(job);
}

#define COLUMNS                                                                                \
    "id, thread, state, original, role, face, phase, subject, asker, original_msgid, why, "    \
    "waiting_for, instruction, round, attempts, iteration, total_iterations, steps, "          \
    "step_limit, epoch, fence, seq, wall(ready_us), wall(wakes_us), wall(deadline_us), "       \
    "created_us, "                                                                             \
    "updated_us, cost_micro, round_cost_micro, owner_host, owner_boot, owner_pid, "            \
    "owner_start, wall(resume_us), cost_limit_micro, floor, wait_then, may, "                  \
    "wall(stalled_us), stall_told, resume_us >= " SQL_MOMENTS " "

static int64_t
time_or_never(SqlStmt *st, int column)
{
    return sql_col_null(st, column) ? USEC_NEVER : sql_col_int(st, column);
}

/* In the order of COLUMNS. */
static Job *
read_job(SqlStmt *st)
{
    Job *job = g_new0(Job, 1);
    g_autofree char *state = sql_text(st, 2);

    if (!job_state_parse(state, &job->state))
        job->state = JOB_FAILED; /* a word of a later version: shown, never run */
    job->id.v = sql_col_int(st, 0);
    job->thread.v = sql_col_int(st, 1);
    job->original.v = sql_col_int(st, 3);
    job->role = sql_text(st, 4);
    job->face = sql_text(st, 5);
    job->phase = sql_text(st, 6);
    job->subject = sql_text(st, 7);
    job->asker = sql_text(st, 8);
    job->original_msgid = sql_text(st, 9);
    job->why = sql_text_null(st, 10);
    job->waiting_for = sql_text_null(st, 11);
    job->instruction = sql_text_null(st, 12);
    job->round = (int)sql_col_int(st, 13);
    job->attempts = (int)sql_col_int(st, 14);
    job->iteration = (int)sql_col_int(st, 15);
    job->total_iterations = (int)sql_col_int(st, 16);
    job->steps = (int)sql_col_int(st, 17);
    job->step_limit = (int)sql_col_int(st, 18);
    job->epoch = sql_col_int(st, 19);
    job->fence = sql_col_int(st, 20);
    job->seq = sql_col_int(st, 21);
    job->ready_us = sql_col_int(st, 22);
    job->wakes_us = time_or_never(st, 23);
    job->deadline_us = time_or_never(st, 24);
    job->created_us = sql_col_int(st, 25);
    job->updated_us = sql_col_int(st, 26);
    job->cost_micro = sql_col_int(st, 27);
    job->round_cost_micro = sql_col_int(st, 28);
    job->owner_host = sql_text_null(st, 29);
    job->owner_boot = sql_text_null(st, 30);
    job->owner.pid = (pid_t)sql_col_int(st, 31);
    job->owner.start_time = sql_col_int(st, 32);
    job->resume = (Due){time_or_never(st, 33), (int)sql_col_int(st, 40)};
    job->cost_limit_micro = sql_col_int(st, 34);
    g_autofree char *floor = sql_text(st, 35);
    if (!trust_parse(floor, &job->floor))
        job->floor = TRUST_ANYONE;
    g_autofree char *then = sql_text(st, 36);
    if (!wait_then_parse(then, &job->wait_then))
        job->wait_then = WAIT_CONTINUE;
    job->may = (unsigned)(int)sql_col_int(st, 37);
    job->stalled_us = time_or_never(st, 38);
    job->stall_told = sql_col_int(st, 39) != 0;
    return job;
}

/* All rows of a bound statement. */
static bool
read_jobs(Db *db, SqlStmt *st, Jobs **ret_jobs, GError **error)
{
    g_autoptr(Jobs) jobs = jobs_new();
    int rc = 0;

    while ((rc = sql_next(st, error)) == 1)
        jobs_add(jobs, read_job(st));
    if (rc < 0)
        return false;
    *ret_jobs = g_steal_pointer(&jobs);
    return true;
}

bool
job_load(Db *db, const Viewer *viewer, JobId id, Job **ret, GError **error)
{
    SqlStmt *st =
        sql_get(db, "SELECT " COLUMNS "FROM job WHERE id = ? AND (? OR role = ?)", error);
    g_autoptr(Jobs) jobs = NULL;

    if (!st)
        return false;
    sql_bind(st, "iis", id.v, (int64_t)viewer->operator, viewer->role);
    if (!read_jobs(db, st, &jobs, error))
        return false;
    *ret = jobs->len > 0 ? g_ptr_array_steal_index(LIST_ARRAY(jobs), 0) : NULL;
    return true;
}

bool
job_get(Db *db, JobId id, Job **ret, GError **error)
{
    const Viewer everyone = VIEWER_OPERATOR;
    Job *job = NULL;

    if (!job_load(db, &everyone, id, &job, error))
        return false;
    if (!job)
        return err_set(error, ERR_NEVER, "no job %" PRId64, id.v);
    *ret = job;
    return true;
}

bool
jobs_list(Db *db, const Viewer *viewer, const JobQuery *q, Jobs **ret_jobs, GError **error)
{
    SqlStmt *st = sql_get(db,
                          "SELECT " COLUMNS "FROM job WHERE (?1 OR role = ?2) "
                          "AND (?3 IS NULL OR role = ?3) AND (?4 IS NULL OR state = ?4) "
                          "AND (NOT ?5 OR state IN ('queued', 'running', 'parked', 'stopped')) "
                          "ORDER BY id DESC LIMIT ?6",
                          error);

    if (!st)
        return false;
    sql_bind(st, "isssii", (int64_t)viewer->operator, viewer->role, q->role, q->state,
             (int64_t)q->live_only, (int64_t)(q->limit ? q->limit : DEFAULT_LIMIT));
    return read_jobs(db, st, ret_jobs, error);
}

bool
jobs_count(Db *db, int64_t ret[JOB_N_STATES], GError **error)
{
    for (int i = 0; i < JOB_N_STATES; i++) {
        if (!sql_int(db, "SELECT count(*) FROM job WHERE state = ?", 0, &ret[i], error, "s",
                     job_state_name(i)))
            return false;
    }
    return true;
}

bool
jobs_owned_here(Db *db, Jobs **ret_jobs, GError **error)
{
    SqlStmt *st = sql_get(
        db, "SELECT " COLUMNS "FROM job WHERE state = 'running' AND owner_host = ? ORDER BY id",
        error);

    if (!st)
        return false;
    sql_bind(st, "s", proc_host());
    return read_jobs(db, st, ret_jobs, error);
}

bool
job_owner_lives(const Job *job)
{
    return g_strcmp0(job->owner_boot, proc_boot_id()) == 0 && proc_alive(&job->owner);
}

bool
jobs_running(Db *db, Jobs **ret_jobs, GError **error)
{
    g_autoptr(Jobs) jobs = NULL;

    if (!jobs_owned_here(db, &jobs, error))
        return false;
    for (guint i = jobs->len; i > 0; i--) {
        if (!job_owner_lives(jobs->pdata[i - 1]))
            g_ptr_array_remove_index(LIST_ARRAY(jobs), i - 1);
    }
    *ret_jobs = g_steal_pointer(&jobs);
    return true;
}

bool
jobs_ready(Db *db, int64_t now_us, unsigned *ret_n, GError **error)
{
    g_autofree char *hold = db_hold_all(db);
    unsigned timers = 0;
    int64_t n = 0;

    if (!hold &&
        (!seats_ready(db, now_us, &n, error) || !timers_ready(db, now_us, &timers, error)))
        return false;
    *ret_n = (unsigned)n + timers;
    return true;
}
