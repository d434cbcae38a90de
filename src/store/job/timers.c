#include "store/job/timers.h"
#include "base/banned.h"
#include "store/due.h"
#include "store/job/schedules.h"
#include "store/mail/mailboxes.h"
#include "store/rows.h"

#define JOB_MAY_WORK MAILBOX_LETS_WORK("(SELECT j.role FROM job j WHERE j.id = timer.job)")

bool
timer_set(Txn *txn, JobId job, const char *purpose, int64_t due_us, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO timer (due_us, job, purpose) VALUES (steady(?), ?, ?) "
                   "ON CONFLICT (job, purpose) DO UPDATE SET due_us = excluded.due_us",
                   NULL, error, "iis", due_us, job.v, purpose);
}

bool
timer_begin(Txn *txn, JobId job, const char *purpose, int64_t due_us, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO timer (due_us, job, purpose) VALUES (steady(?), ?, ?) "
                   "ON CONFLICT (job, purpose) DO NOTHING",
                   NULL, error, "iis", due_us, job.v, purpose);
}

bool
timer_set_wait(Txn *txn, JobId job, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO timer (due_us, job, purpose) "
                   "SELECT resume_us, id, '" TIMER_WAIT "' FROM job WHERE id = ? "
                   "ON CONFLICT (job, purpose) DO UPDATE SET due_us = excluded.due_us",
                   NULL, error, "i", job.v);
}

bool
timer_drop(Txn *txn, JobId job, const char *purpose, GError **error)
{
    return sql_run(txn, "DELETE FROM timer WHERE job = ?1 AND (?2 IS NULL OR purpose = ?2)",
                   NULL, error, "is", job.v, purpose);
}

bool
timer_find(Db *db, JobId job, const char *purpose, int64_t *ret_due_us, GError **error)
{
    return sql_int(db, "SELECT wall(due_us) FROM timer WHERE job = ? AND purpose = ?",
                   USEC_NEVER, ret_due_us, error, "is", job.v, purpose);
}

#define AT(member) offsetof(Timer, member)
static const Field timer_fields[] = {
    {NULL, "id", FIELD_INT, AT(id)},
    {NULL, "due_us", FIELD_TIME, AT(due_us)},
    {NULL, "job", FIELD_INT, AT(job)},
    {NULL, "purpose", FIELD_TEXT, AT(purpose)},
};
SHAPE_HERE(timer_shape, "timer", Timer, timer_fields)

bool
timers_due(Db *db, const char *purpose, int64_t now_us, GPtrArray **ret_timers, GError **error)
{
    return rows_list(db, &timer_shape,
                     "FROM timer WHERE " SQL_IS_DUE("due_us", "?1") " AND purpose = ?2 "
                                                                    "AND " JOB_MAY_WORK
                                                                    "ORDER BY due_us, id",
                     ret_timers, error, "is", now_us, purpose);
}

bool
timers_ready(Db *db, int64_t now_us, unsigned *ret_n, GError **error)
{
    g_autofree char *hold = db_hold_all(db);
    int64_t n = 0;

    if (!hold &&
        !sql_int(
            db,
            "SELECT (SELECT count(*) FROM timer WHERE " SQL_IS_DUE(
                "due_us",
                "?1") " AND purpose IN ('wait', 'progress', 'checkpoint') AND " JOB_MAY_WORK
                      ") + "
                      "(SELECT count(*) FROM schedule WHERE (next_us <= ?1 OR "
                      "last_us > ?2) AND " MAILBOX_LETS_WORK("schedule.role") ")",
            0, &n, error, "ii", now_us, now_us + SCHEDULE_AHEAD_US))
        return false;
    *ret_n = (unsigned)n;
    return true;
}
