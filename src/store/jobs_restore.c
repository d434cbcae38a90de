/* Jobs that come back from their checkpoint mails when the store is lost. */
#include "base/banned.h"
#include "base/err.h"
#include "store/jobs.h"
#include "store/jobs_internal.h"
#include "store/messages.h"
#include "store/sql.h"

/* Its own number, unless another job has it: people know it by that. */
static bool
free_number(Db *db, JobId want, JobId *ret, GError **error)
{
    const Viewer everyone = VIEWER_OPERATOR;
    g_autoptr(Job) taken = NULL;

    if (!job_load(db, &everyone, want, &taken, error))
        return false;
    if (!taken) {
        *ret = want;
        return true;
    }
    return sql_int(db, "SELECT max(id) + 1 FROM job", 1, &ret->v, error, "");
}

bool
job_restore(Txn *txn, const JobRestore *in, JobId *ret_id, GError **error)
{
    JobId id;
    int64_t now = home_now(db_home(txn->db));

    if (!free_number(txn->db, in->id, &id, error) ||
        !sql_run(
            txn,
            "INSERT INTO job (id, role, face, thread, state, phase, waiting_for, subject, "
            "asker, original, original_msgid, round, epoch, seq, total_iterations, steps, "
            "step_limit, cost_micro, round_cost_micro, ready_us, resume_us, wakes_us, "
            "created_us, updated_us) VALUES (?, ?, ?, ?, 'parked', ?, ?, ?, ?, 0, ?, ?, ?, "
            "?, ?, ?, ?, ?, ?, ?, NULLIF(?, 9223372036854775807), "
            "NULLIF(?, 9223372036854775807), ?, ?)",
            NULL, error,
            "issi"
            "ssss"
            "siii"
            "iiii"
            "iiiiii",
            id.v, in->role, in->face, in->thread.v, in->phase, in->waiting_for, in->subject,
            in->asker, in->original_msgid, (int64_t)in->round, in->epoch, in->seq,
            (int64_t)in->total_iterations, (int64_t)in->steps, (int64_t)in->step_limit,
            in->round_cost_micro, in->round_cost_micro, now, in->resume_us, in->resume_us,
            in->created_us, now))
        return false;
    *ret_id = id;
    return true;
}

bool
job_find_restored(
    Db *db, const char *role, const char *original_msgid, JobId *ret, GError **error)
{
    return sql_int(db,
                   "SELECT id FROM job WHERE original = 0 AND role = ? AND original_msgid = ? "
                   "ORDER BY id DESC LIMIT 1",
                   0, &ret->v, error, "ss", role, original_msgid);
}

bool
job_set_original(Txn *txn, JobId job, MsgId original, GError **error)
{
    return sql_run(txn, "UPDATE job SET original = ? WHERE id = ?", NULL, error, "ii",
                   original.v, job.v);
}
