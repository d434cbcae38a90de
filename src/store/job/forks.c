#include "store/job/forks.h"
#include "store/job/jobs_internal.h"
#include "store/rows.h"

static bool
new_thread(Txn *txn, ThreadId *ret, GError **error)
{
    return sql_insert(txn, "INSERT INTO thread (into_thread) VALUES (NULL)", &ret->v, error,
                      "");
}

bool
job_fork(Txn *txn, const JobFork *in, JobId *ret_id, GError **error)
{
    int64_t now = txn_now(txn);
    ThreadId thread;
    JobId id;

    if (!new_thread(txn, &thread, error) || !job_next_number(txn, in->role, &id, error) ||
        !sql_run(
            txn,
            "INSERT INTO job (id, role, face, thread, state, phase, instruction, subject, "
            "asker, original, original_msgid, round, total_iterations, steps, step_limit, "
            "floor, may, forked_job, forked_step, ready_us, created_us, updated_us) VALUES "
            "(?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, steady(?), ?, ?)",
            error, "ississssisnnnnsuiniii", id.v, in->role, in->face, thread.v, in->phase,
            in->instruction, in->subject, in->asker, in->original.v, in->original_msgid,
            in->round, in->total_iterations, in->step, in->step_limit, trust_name(in->floor),
            in->may, in->from.v, in->step, now, now, now))
        return false;
    *ret_id = id;
    return true;
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

#define AT(member) offsetof(ForkPoint, member)
static const Field point_fields[] = {
    {"job", "job", FIELD_INT, AT(job)},
    {"step", "step", FIELD_NUMBER, AT(step)},
    {NULL, "at_us", FIELD_TIME, AT(at_us)},
};
#undef AT
SHAPE_HERE(point_shape, "x", ForkPoint, point_fields)

#define AT(member) offsetof(Fork, member)
static const Field fork_fields[] = {
    {"job", "id", FIELD_INT, AT(job)},
    {"step", "forked_step", FIELD_NUMBER, AT(step)},
    {NULL, "created_us", FIELD_TIME, AT(created_us)},
};
const Shape fork_shape = {SHAPE("job", Fork, forks, fork_fields)};

bool
fork_of(Db *db, JobId job, ForkPoint *ret, GError **error)
{
    return rows_into(
        db, &point_shape,
        "FROM (SELECT j.forked_job AS job, j.forked_step AS step, "
        "max(s.at_us) AS at_us FROM job j LEFT JOIN step s ON s.job = j.forked_job "
        "AND s.n = j.forked_step WHERE j.id = ? GROUP BY j.id) x",
        ret, error, "i", job.v);
}

bool
forks_list(Db *db, JobId of, Forks **ret, GError **error)
{
    return rows_list(db, &fork_shape,
                     "FROM job WHERE forked_job = ? AND forked_job <> 0 ORDER BY id", ret,
                     error, "i", of.v);
}
