/*
 * The wait contract of parked jobs:
 *
 *   REMIND --job_wait_over(): one reminder--> ESCALATE --job_wait_over(): the owner--> CONTINUE
 *
 * (1) A job that waits with REMIND or ESCALATE is not woken by time: its resume is when the act
 * is due, and a timer "wait" stands for it. (2) The act and the move of the timer are one
 * transaction, so no crash makes it happen twice. (3) Whatever wakes, stops or ends the job
 * takes wait_then away; a timer that is left finds nothing to do.
 */
#include "store/job/jobs.h"
#include "store/job/jobs_internal.h"
#include "store/job/timers.h"
#include "store/mail/messages.h"
#include "store/sql.h"

/* The second wait is as long as the first, but nobody is pressed sooner than this. */
#define SECOND_WAIT_MIN_US (3600 * USEC_PER_SEC)

bool
job_wait(Txn *txn, JobId id, WaitThen then, GError **error)
{
    g_autoptr(Job) job = NULL;

    if (!job_get(txn->db, id, &job, error))
        return false;
    bool acts = then != WAIT_CONTINUE && job->resume.us != USEC_NEVER;
    return sql_run(txn, "UPDATE job SET wait_then = ? WHERE id = ? AND state = 'parked'", error,
                   "si", acts ? wait_then_name(then) : NULL, id.v) &&
           (acts ? timer_set_wait(txn, id, error) : timer_drop(txn, id, TIMER_WAIT, error));
}

/* A new seq: the checkpoint mail that goes with it knows what was done already. */
static bool
wait_on(Txn *txn, JobId id, WaitThen then, int64_t until_us, GError **error)
{
    int64_t now = txn_now(txn);

    return sql_run(txn,
                   "UPDATE job SET wait_then = ?, resume_us = steady(?), "
                   "seq = seq + 1, waiting_for = 'a reply', updated_us = ? WHERE id = ?",
                   error, "siii", then == WAIT_CONTINUE ? NULL : wait_then_name(then), until_us,
                   now, id.v) &&
           (until_us == USEC_NEVER ? timer_drop(txn, id, TIMER_WAIT, error)
                                   : timer_set_wait(txn, id, error));
}

bool
job_wait_over(Txn *txn, JobId id, WaitThen *ret_did, GError **error)
{
    int64_t now = txn_now(txn), due;
    g_autoptr(Job) job = NULL;

    *ret_did = WAIT_CONTINUE;
    if (!timer_find(txn->db, id, TIMER_WAIT, &due, error) ||
        !job_load(txn->db, &VIEWER_OPERATOR, id, &job, error))
        return false;
    if (due > now)
        return true; /* somebody else was faster */
    if (!job || job->state != JOB_PARKED || job->wait_then == WAIT_CONTINUE ||
        job->wakes_us <= now)
        return timer_drop(txn, id, TIMER_WAIT, error);
    *ret_did = job->wait_then;
    if (job->wait_then == WAIT_ESCALATE)
        return wait_on(txn, id, WAIT_CONTINUE, USEC_NEVER, error);
    int64_t first = job->resume.us - job->updated_us; /* it was parked then */
    return wait_on(txn, id, WAIT_ESCALATE, now + MAX(first, SECOND_WAIT_MIN_US), error);
}
