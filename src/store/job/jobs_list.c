#include "store/job/jobs.h"
#include "store/job/jobs_internal.h"
#include "store/job/seats.h"
#include "store/job/timers.h"
#include "store/mail/messages.h"
#include "store/rows.h"

/* Jobs as others see them: names, rows, lists. Nothing here writes. */

#define DEFAULT_LIMIT 50

bool
job_id_parse(const char *text, JobId *ret)
{
    return text_parse_int(text, 1, INT64_MAX, &ret->v);
}

bool
job_load(Db *db, const Viewer *viewer, JobId id, Job **ret, GError **error)
{
    return rows_first(db, &job_shape, "FROM job WHERE id = ? AND (? OR role = ?)", ret, error,
                      "ins", id.v, viewer->operator, viewer->role);
}

bool
job_get(Db *db, JobId id, Job **ret, GError **error)
{
    Job *job = NULL;

    if (!job_load(db, &VIEWER_OPERATOR, id, &job, error))
        return false;
    if (!job)
        return err_set(error, ERR_NEVER, "no job %" PRId64, id.v);
    *ret = job;
    return true;
}

bool
jobs_list(Db *db, const Viewer *viewer, const JobQuery *q, Jobs **ret_jobs, GError **error)
{
    return rows_list(db, &job_shape,
                     "FROM job WHERE (?1 OR role = ?2) "
                     "AND (?3 IS NULL OR role = ?3) AND (?4 IS NULL OR state = ?4) "
                     "AND (NOT ?5 OR state IN ('queued', 'running', 'parked', 'stopped')) "
                     "ORDER BY id DESC LIMIT ?6",
                     ret_jobs, error, "nsssnu", viewer->operator, viewer->role, q->role,
                     q->state, q->live_only, q->limit ? q->limit : DEFAULT_LIMIT);
}

bool
jobs_count(Db *db, int64_t ret[JOB_N_STATES], GError **error)
{
    SqlStmt *st = sql_get(db, "SELECT state, count(*) FROM job GROUP BY state", error);
    int rc;

    if (!st)
        return false;
    memset(ret, 0, JOB_N_STATES * sizeof *ret);
    while ((rc = sql_next(st, error)) == 1) {
        g_autofree char *name = sql_text_null(st, 0);
        JobState state;
        if (job_state_parse(name, &state))
            ret[state] = sql_col_int(st, 1);
    }
    return rc == 0;
}

bool
jobs_owned_here(Db *db, Jobs **ret_jobs, GError **error)
{
    return rows_list(db, &job_shape,
                     "FROM job WHERE state = 'running' AND owner_host = ? ORDER BY id",
                     ret_jobs, error, "s", proc_host());
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
        if (*jobs->pdata[i - 1]->session || !job_owner_lives(jobs->pdata[i - 1]))
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
