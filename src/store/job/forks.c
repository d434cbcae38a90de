#include "store/job/forks.h"
#include "store/job/jobs_internal.h"
#include "store/mail/messages.h"
#include "store/rows.h"

bool
job_fork(Txn *txn, const JobNew *in, JobId *ret_id, GError **error)
{
    JobNew job = *in;

    return thread_new(txn, &job.thread, error) &&
           job_next_number(txn, in->role, ret_id, error) &&
           job_insert(txn, *ret_id, &job, JOB_QUEUED, 0, error) &&
           sql_run(txn,
                   "INSERT INTO job_space (job, space) SELECT ?, space FROM job_space WHERE job = ?",
                   error, "ii", ret_id->v, in->from.v);
}

bool
fork_original(Db *db, JobId job, int round, MsgRow **ret, GError **error)
{
    return rows_first(db, &msg_row_shape,
                      "FROM message WHERE job = ? AND job <> 0 AND round = ? AND "
                      "class NOT IN ('order', 'checkpoint') ORDER BY id LIMIT 1",
                      ret, error, "in", job.v, round);
}

bool
fork_mark_shown(Txn *txn, JobId fork, const char *key, int64_t seen_us, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO note_shown (job, key, version) "
                   "SELECT ?1, key, max(version) FROM note_version "
                   "WHERE key = ?2 AND at_us <= ?3 GROUP BY key "
                   "ON CONFLICT (job, key) DO UPDATE SET version = excluded.version",
                   error, "isi", fork.v, key, seen_us);
}

bool
fork_mark_written(Txn *txn, JobId fork, JobId from, int step, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO note_shown (job, key, version) "
                   "SELECT ?1, key, max(version) FROM note_version "
                   "WHERE job = ?2 AND step BETWEEN 1 AND ?3 AND whole GROUP BY key "
                   "ON CONFLICT (job, key) DO UPDATE SET "
                   "version = excluded.version WHERE note_shown.version < excluded.version",
                   error, "iin", fork.v, from.v, step);
}

static const Field point_fields[] = {
    {"job", "job", FIELD_INT, offsetof(ForkPoint, job)},
    {"step", "step", FIELD_NUMBER, offsetof(ForkPoint, step)},
    {NULL, "at_us", FIELD_TIME, offsetof(ForkPoint, at_us)},
};
SHAPE_HERE(point_shape, "x", ForkPoint, point_fields)

static const Field fork_fields[] = {
    {"job", "id", FIELD_INT, offsetof(Fork, job)},
    {"step", "forked_step", FIELD_NUMBER, offsetof(Fork, step)},
    {NULL, "created_us", FIELD_TIME, offsetof(Fork, created_us)},
};
const Shape fork_shape = {SHAPE("job", Fork, forks, fork_fields)};

bool
fork_of(Db *db, JobId job, ForkPoint *ret, GError **error)
{
    return rows_into(
        db, &point_shape,
        "FROM (SELECT j.forked_job AS job, j.forked_step AS step, "
        "(SELECT max(s.at_us) FROM step s WHERE s.job = j.forked_job AND s.n = j.forked_step) AS at_us "
        "FROM job j WHERE j.id = ? AND j.forked_job <> 0) x",
        ret, error, "i", job.v);
}

bool
forks_list(Db *db, JobId of, Forks **ret, GError **error)
{
    return rows_list(db, &fork_shape,
                     "FROM job WHERE forked_job = ? AND forked_job <> 0 ORDER BY id", ret,
                     error, "i", of.v);
}
