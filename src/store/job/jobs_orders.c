#include "store/job/jobs.h"
#include "store/job/jobs_internal.h"
#include "store/job/pauses.h"
#include "store/job/questions.h"
#include "store/job/timers.h"
#include "store/job/views.h"
#include "store/mail/messages.h"
#include "store/out/outbox.h"
#include "store/sql.h"

/*
 * Orders of a person. STOP and CANCEL raise the epoch, which fences whoever works on the job:
 * that process finds out at its next commit, or when the caller signals it. So the owner stays
 * in the row until the next claim; only the deadline goes.
 */

/* Carries out an order in the store: changes the job's row, takes back mail that had not left,
 * and voids questions about held mail, whose answers no longer count. */
static bool
order(Txn *txn,
      JobId job,
      const char *sql,
      const char *word,
      const char *why,
      bool *ret_row,
      bool *ret_changed,
      GError **error)
{
    g_autoptr(Job) must_exist = NULL;
    unsigned taken = 0, asked = 0;

    if (!job_get(txn->db, job, &must_exist, error) ||
        !sql_changed(txn, sql, ret_row, error, "sii", why, txn_now(txn), job.v) ||
        !outbox_take_back(txn, job, word, &taken, error) ||
        !questions_void(txn, job, word, &asked, error))
        return false;
    *ret_changed = *ret_row || taken > 0 || asked > 0;
    return !*ret_row ||
           (timer_drop(txn, job, NULL, error) && views_raise_job(txn, job, error) &&
            job_file_checkpoints(txn, job, error));
}

#define ORDER(state)                                                                           \
    "UPDATE job SET state = '" state "', epoch = epoch + 1, why = ?, waiting_for = NULL, "     \
    "wakes_us = NULL, resume_us = NULL, wait_then = NULL, deadline_us = NULL, "                \
    "updated_us = ? WHERE id = ? AND state IN "

bool
job_stop(Txn *txn, JobId job, const char *why, bool *ret_changed, GError **error)
{
    bool stopped = false;

    return order(txn, job, ORDER("stopped") "('queued', 'running', 'parked')", "stopped", why,
                 &stopped, ret_changed, error);
}

bool
job_cancel(Txn *txn, JobId job, const char *why, bool *ret_changed, GError **error)
{
    bool cancelled = false;

    return order(txn, job, ORDER("cancelled") "('queued', 'running', 'parked', 'stopped')",
                 "cancelled", why, &cancelled, ret_changed, error) &&
           outbox_reject_asked(txn, job, "the end of its job", error) &&
           (!cancelled || messages_end_job(txn, job, MSG_IGNORED, "cancelled", error));
}

/* NULL: the settings do not name it. */
static const ConfRole *
role_of(Db *db, const Job *job)
{
    const Config *config = db_home(db)->config;

    return config ? config_role(config, job->role) : NULL;
}

/* The limit of this round as it is in force: the order's, else the role's. */
static int64_t
limit_in_force(const ConfRole *role, const Job *job)
{
    int64_t limit = job->step_limit;

    if (limit == 0 && role)
        limit = role->total_iterations;
    return MAX(limit, job->total_iterations);
}

static bool
queue_again(Txn *txn, const Job *job, int more_steps, const char *instruction, GError **error)
{
    const ConfRole *role = role_of(txn->db, job);
    int64_t now = txn_now(txn), in_force = limit_in_force(role, job), more = more_steps;

    /* CONTINUE without a number on a job whose steps are spent: as many again as a round
     * has. */
    if (more <= 0)
        more = role && job->total_iterations >= in_force ? role->total_iterations : 0;
    int64_t limit = more > 0 ? in_force + more : job->step_limit;

    return sql_run(txn,
                   "UPDATE job SET state = 'queued', ready_us = steady(?), wakes_us = NULL, "
                   "resume_us = NULL, wait_then = NULL, waiting_for = NULL, why = NULL, checks_failed = 0, "
                   JOB_NO_TRIES JOB_NO_STALL "step_limit = ?, "
                   "instruction = ?, updated_us = ?, " JOB_NO_OWNER " WHERE id = ?",
                   error, "iisii", now, MIN(limit, (int64_t)INT_MAX), instruction, now,
                   job->id.v);
}

/* Lets the brain be tried at once: the person who says CONTINUE may know better than we whether
 * it works again. */
static bool
ask_brain_now(Txn *txn, const Job *job, GError **error)
{
    const ConfRole *role = role_of(txn->db, job);

    return !role || brain_try_now(txn, role->brain, error);
}

/* STOP has ended the wait for an answer; it begins anew with the question. */
static bool
remind_again(Txn *txn, const Job *job, GError **error)
{
    const ConfRole *role = role_of(txn->db, job);

    return !role || role->permit_within_us == 0 ||
           timer_set_permits(txn, job->id, txn_now(txn) + role->permit_within_us, error);
}

/* Mail that STOP took back leaves, and questions that it made void count again. Also of a job
 * that had ended before: then this is all that there is to do. */
static bool
undo_stop(Txn *txn, const Job *job, bool *ret_changed, GError **error)
{
    unsigned mails = 0, questions = 0;

    if (!outbox_give_back(txn, job->id, "stopped", &mails, error) ||
        !questions_revive(txn, job->id, "stopped", &questions, error) ||
        (questions > 0 && !remind_again(txn, job, error)))
        return false;
    *ret_changed = mails + questions > 0;
    return true;
}

bool
job_continue(Txn *txn,
             JobId id,
             int more_steps,
             const char *instruction,
             bool *ret_changed,
             GError **error)
{
    g_autoptr(Job) job = NULL;
    bool goes_on = false, given = false;

    if (!job_get(txn->db, id, &job, error))
        return false;
    switch (job->state) {
    case JOB_STOPPED:
    case JOB_FAILED:
    case JOB_PARKED:
        goes_on = true;
        break;
    case JOB_DONE:
        if (!job_next_round_open(txn, id, &goes_on, error))
            return false;
        g_clear_pointer(&job, job_free);
        if (!job_get(txn->db, id, &job, error))
            return false;
        break;
    case JOB_QUEUED: /* waits for its next try, or for its brain */
        goes_on = job->ready_us > txn_now(txn);
        break;
    case JOB_RUNNING:
    case JOB_CANCELLED:
        break;
    case JOB_N_STATES:
        g_assert_not_reached();
    }
    if (job->state == JOB_FAILED && !messages_reopen(txn, id, job->round, "another try", error))
        return false;
    if (goes_on && (!ask_brain_now(txn, job, error) ||
                    !queue_again(txn, job, more_steps, instruction, error)))
        return false;
    if (job->state != JOB_CANCELLED && !undo_stop(txn, job, &given, error))
        return false;
    *ret_changed = goes_on || given;
    return true;
}

bool
job_go_on(Txn *txn, JobId id, bool *ret_queued, GError **error)
{
    g_autoptr(Job) job = NULL;
    bool goes_on;

    if (!job_get(txn->db, id, &job, error))
        return false;
    goes_on = job->state == JOB_PARKED || job->state == JOB_DONE || job->state == JOB_FAILED;
    if (job->state == JOB_FAILED && !messages_reopen(txn, id, job->round, "another try", error))
        return false;
    if (goes_on && !queue_again(txn, job, 0, job->instruction, error))
        return false;
    *ret_queued = goes_on || job->state == JOB_QUEUED || job->state == JOB_RUNNING;
    return true;
}

bool
job_tell_stopped(Txn *txn, JobId job, int64_t epoch, bool *ret_first, GError **error)
{
    return sql_changed(txn, "UPDATE job SET stop_told = ? WHERE id = ? AND stop_told <> ?",
                       ret_first, error, "iii", epoch, job.v, epoch);
}

bool
job_instruct(Txn *txn, JobId job, const char *text, GError **error)
{
    return sql_run(txn,
                   "UPDATE job SET instruction = CASE WHEN coalesce(instruction, '') = '' "
                   "THEN ?1 ELSE instruction || char(10) || ?1 END WHERE id = ?2",
                   error, "si", text, job.v);
}

bool
job_file_checkpoints(Txn *txn, JobId job, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO effect (kind, job, message, account, subject, args) "
                   "SELECT 'mail-move', job, id, '', role || '/' || file, 'Done' FROM message "
                   "WHERE job = ? AND job <> 0 AND class = 'checkpoint' AND folder = ''",
                   error, "i", job.v);
}

bool
job_more_money(Txn *txn, JobId id, int64_t more_micro, GError **error)
{
    g_autoptr(Job) job = NULL;

    if (!job_get(txn->db, id, &job, error))
        return false;
    const ConfRole *role = role_of(txn->db, job);
    int64_t limit = job->cost_limit_micro;
    if (limit == 0 && role)
        limit = role->max_cost_micro;
    limit = MAX(limit, job->round_cost_micro);
    return sql_run(txn, "UPDATE job SET cost_limit_micro = ? WHERE id = ?", error, "ii",
                   limit + more_micro, id.v);
}
