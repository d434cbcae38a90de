/* Jobs that come back from their checkpoint mails when the store is lost. */
#include "store/job/jobs.h"
#include "store/job/jobs_internal.h"
#include "store/job/timers.h"
#include "store/mail/messages.h"
#include "store/sql.h"
#include <fcntl.h>

bool
job_next_number(Txn *txn, const char *role, JobId *ret, GError **error)
{
    int home_fd = db_home(txn->db)->fd;
    int64_t n;

    if (!sql_int(txn->db, "SELECT max(id) FROM job", &n, error, ""))
        return false;
    for (n++;; n++) {
        g_autofree char *path = g_strdup_printf("work/%s/%" PRId64, role, n);
        if (faccessat(home_fd, path, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
            break;
    }
    *ret = (JobId){n};
    return true;
}

/* Its own number, unless another job has it: people know it by that. */
static bool
free_number(Txn *txn, const JobNew *in, JobId *ret, GError **error)
{
    bool taken;

    *ret = in->id;
    return sql_bool(txn->db, "SELECT 1 FROM job WHERE id = ?", &taken, error, "i", in->id.v) &&
           (!taken || job_next_number(txn, in->role, ret, error));
}

/* Sets what happens when the wait of the restored job ends, if that is not to wake it. */
static bool
wait_again(Txn *txn, JobId id, const JobNew *in, GError **error)
{
    if (in->wait_then == WAIT_CONTINUE || in->resume.us == USEC_NEVER)
        return true;
    return sql_run(txn, "UPDATE job SET wakes_us = NULL WHERE id = ?", error, "i", id.v) &&
           job_wait(txn, id, in->wait_then, error);
}

bool
job_create_ended(Txn *txn, const JobNew *in, JobId *ret_id, GError **error)
{
    JobNew job = *in;

    job.floor = TRUST_OPERATOR;
    return (in->id.v ? free_number(txn, in, ret_id, error)
                     : job_next_number(txn, in->role, ret_id, error)) &&
           job_insert(txn, *ret_id, &job, JOB_DONE, 0, error);
}

bool
job_restore(Txn *txn, const JobNew *in, JobId *ret_id, GError **error)
{
    return free_number(txn, in, ret_id, error) &&
           job_insert(txn, *ret_id, in, JOB_PARKED, 0, error) &&
           wait_again(txn, *ret_id, in, error);
}

/* A counter of the restored job never becomes smaller than it is in the store. */
/* clang-format off */

#define HIGHER(column, mark)                                                                   \
    column " = CASE WHEN " column " > " mark " THEN " column " ELSE " mark " END, "

static const char put_back_sql[] =
    "UPDATE job SET state = 'parked', parked = 1, phase = ?, waiting_for = ?, asker = ?, "
    "original_msgid = ?, round = ?, total_iterations = ?, " HIGHER("steps", "?7")
    "step_limit = ?, " HIGHER("epoch", "?9") "seq = ?, " HIGHER("round_cost_micro", "?11")
    "resume_us = due(?12, ?13), wakes_us = due(?12, ?13), wait_then = NULL, why = NULL, "
    JOB_NO_TRIES "floor = ?, may = ?, updated_us = ?, " JOB_NO_OWNER " WHERE id = ?";

/* clang-format on */

bool
job_put_back(Txn *txn, JobId job, const JobNew *in, GError **error)
{
    return timer_drop(txn, job, NULL, error) &&
           sql_run(txn, put_back_sql, error, "ssssnnnniiiinsuii", in->phase, in->waiting_for,
                   in->asker, in->original_msgid, in->round, in->total_iterations, in->steps,
                   in->step_limit, in->epoch, in->seq, in->round_cost_micro, in->resume.us,
                   in->resume.moment, trust_name(in->floor), in->may, txn_now(txn), job.v) &&
           wait_again(txn, job, in, error);
}

bool
job_find_restored(
    Db *db, const char *role, const char *original_msgid, JobId *ret, GError **error)
{
    return sql_int(db,
                   "SELECT id FROM job WHERE original = 0 AND role = ? AND original_msgid = ? "
                   "ORDER BY id LIMIT 1",
                   &ret->v, error, "ss", role, original_msgid);
}

bool
job_set_original(Txn *txn, JobId job, MsgId original, GError **error)
{
    /* A fork has the same original, and is younger: the mail itself is the first job's. */
    return sql_run(txn,
                   "UPDATE job SET original = ?1 WHERE id = ?2 OR (original = 0 AND "
                   "(role, original_msgid) = (SELECT role, original_msgid FROM job "
                   "WHERE id = ?2))",
                   error, "ii", original.v, job.v);
}
