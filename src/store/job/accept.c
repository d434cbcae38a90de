#include "store/job/accept.h"
#include "store/job/jobs.h"
#include "store/job/jobs_internal.h"
#include "store/job/questions.h"
#include "store/job/timers.h"
#include "store/mail/messages.h"
#include "store/out/outbox.h"
#include "store/sql.h"

bool
accept_question(Txn *txn, OutId mail, bool approved, GError **error)
{
    g_autoptr(Question) q = NULL;
    bool closed;

    return question_of(txn->db, mail, &q, error) &&
           (!q || q->state != QUESTION_OPEN ||
            question_decide(txn, q->id, approved, ACCEPT_WHO, NULL, &closed, error));
}

bool
accept_sent(Txn *txn, const char *msgid, unsigned *ret_n, GError **error)
{
    g_autoptr(OutRow) row = NULL;

    *ret_n = 0;
    return outbox_find(txn->db, &VIEWER_OPERATOR, msgid, &row, error) &&
           (!row || sql_changes(txn,
                                "UPDATE delivery SET state = 'sent', after_effect = NULL, "
                                "why = 'found in Sent' WHERE outbox = ? AND state <> 'sent'",
                                ret_n, error, "i", row->id.v)) &&
           (*ret_n == 0 || accept_question(txn, row->id, true, error));
}

bool
accept_ended(Txn *txn, JobId job, const char *why, GError **error)
{
    bool goes_on;

    return timer_drop(txn, job, NULL, error) && job_file_checkpoints(txn, job, error) &&
           sql_run(txn,
                   "UPDATE job SET state = 'done', why = ?, waiting_for = NULL, "
                   "wakes_us = NULL, resume_us = NULL, wait_then = NULL, updated_us = "
                   "?, " JOB_NO_OWNER " WHERE id = ?",
                   error, "sii", why, txn_now(txn), job.v) &&
           job_next_round_open(txn, job, &goes_on, error);
}

/* A role whose mail lies on a server has a row of mailbox. */
#define ACCOUNT_IS                                                                             \
    "coalesce((SELECT mb.account FROM mailbox mb WHERE mb.role = job.role), '') = ?"

bool
accept_jobs(Txn *txn, const char *account, GError **error)
{
    return sql_run(txn,
                   "UPDATE job SET epoch = epoch + 1 WHERE state <> 'parked' AND " ACCOUNT_IS,
                   error, "s", account);
}

bool
accept_backup(Txn *txn, uint64_t newest_seen, GError **error)
{
    uint64_t now = (uint64_t)(txn_now(txn) / USEC_PER_MSEC);
    uint64_t above = MAX(db_generation(txn->db), newest_seen) + 1;

    return db_set_generation(txn, MAX(now, above), error) &&
           sql_run(txn, "UPDATE job SET fence = fence + 1", error, "") &&
           meta_set(txn, "hold-all", NULL, error);
}
