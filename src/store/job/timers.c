#include "store/job/timers.h"
#include "store/due.h"
#include "store/job/schedules.h"
#include "store/mail/mailboxes.h"
#include "store/rows.h"

#define JOB_MAY_WORK MAILBOX_LETS_WORK("(SELECT j.role FROM job j WHERE j.id = timer.job)")
#define FIRED_BY_ANY SQL_IS_DUE("due_us", "?1") " AND whose = 'any' AND " JOB_MAY_WORK

bool
timer_set(Txn *txn, JobId job, const char *purpose, int64_t due_us, GError **error)
{
    return timer_set_about(txn, job, purpose, "", due_us, error);
}

bool
timer_set_about(Txn *txn,
                JobId job,
                const char *purpose,
                const char *subject,
                int64_t due_us,
                GError **error)
{
    return sql_run(txn,
                   "INSERT INTO timer (due_us, job, purpose, subject) "
                   "VALUES (steady(?), ?, ?, ?) ON CONFLICT (job, purpose, subject) "
                   "DO UPDATE SET due_us = excluded.due_us",
                   error, "iiss", due_us, job.v, purpose, subject);
}

bool
timer_set_own(Txn *txn, JobId job, const char *purpose, int64_t due_us, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO timer (due_us, job, purpose, whose) "
                   "VALUES (steady(?), ?, ?, 'own') ON CONFLICT (job, purpose, subject) "
                   "DO UPDATE SET due_us = excluded.due_us",
                   error, "iis", due_us, job.v, purpose);
}

bool
timer_begin(Txn *txn, JobId job, const char *purpose, int64_t due_us, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO timer (due_us, job, purpose) VALUES (steady(?), ?, ?) "
                   "ON CONFLICT (job, purpose, subject) DO NOTHING",
                   error, "iis", due_us, job.v, purpose);
}

bool
timer_set_wait(Txn *txn, JobId job, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO timer (due_us, job, purpose) "
                   "SELECT resume_us, id, '" TIMER_WAIT "' FROM job WHERE id = ? "
                   "ON CONFLICT (job, purpose, subject) DO UPDATE SET due_us = excluded.due_us",
                   error, "i", job.v);
}

bool
timer_set_permits(Txn *txn, JobId job, int64_t due_us, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO timer (due_us, job, purpose, subject) "
                   "SELECT DISTINCT steady(?), job, '" TIMER_PERMIT "', msgid FROM question "
                   "WHERE job = ? AND state = 'open' AND kind IN ('permit', 'agent-question') "
                   "ON CONFLICT (job, purpose, subject) DO UPDATE SET due_us = excluded.due_us",
                   error, "ii", due_us, job.v);
}

bool
timer_drop(Txn *txn, JobId job, const char *purpose, GError **error)
{
    return sql_run(txn, "DELETE FROM timer WHERE job = ?1 AND (?2 IS NULL OR purpose = ?2)",
                   error, "is", job.v, purpose);
}

bool
timer_take(Txn *txn, const Timer *t, bool *ret_was, GError **error)
{
    return sql_changed(txn, "DELETE FROM timer WHERE id = ? AND wall(due_us) = ?", ret_was,
                       error, "ii", t->id, t->due_us);
}

bool
timer_find(Db *db, JobId job, const char *purpose, int64_t *ret_due_us, GError **error)
{
    return sql_int(db,
                   "SELECT coalesce((SELECT wall(due_us) FROM timer WHERE job = ? AND purpose "
                   "= ?), " SQL_NEVER ")",
                   ret_due_us, error, "is", job.v, purpose);
}

bool
timers_find(Db *db,
            JobId job,
            const char *one,
            int64_t *ret_one_us,
            const char *other,
            int64_t *ret_other_us,
            GError **error)
{
    SqlStmt *st = sql_get(
        db, "SELECT purpose, wall(due_us) FROM timer WHERE job = ? AND due_us IS NOT NULL", error);
    int rc;

    *ret_one_us = *ret_other_us = USEC_NEVER;
    if (!st)
        return false;
    sql_bind(st, "i", job.v);
    while ((rc = sql_next(st, error)) == 1) {
        if (g_str_equal(sql_col_text(st, 0), one))
            *ret_one_us = sql_col_int(st, 1);
        if (g_str_equal(sql_col_text(st, 0), other))
            *ret_other_us = sql_col_int(st, 1);
    }
    return rc == 0;
}

static const Field timer_fields[] = {
    {NULL, "id", FIELD_INT, offsetof(Timer, id)},
    {NULL, "due_us", FIELD_TIME, offsetof(Timer, due_us)},
    {NULL, "job", FIELD_INT, offsetof(Timer, job)},
    {NULL, "purpose", FIELD_TEXT, offsetof(Timer, purpose)},
    {NULL, "subject", FIELD_TEXT, offsetof(Timer, subject)},
};
const Shape timer_shape = {SHAPE("timer", Timer, timers, timer_fields)};

bool
timers_due(Db *db, int64_t now_us, Timers **ret, GError **error)
{
    return rows_list(db, &timer_shape, "FROM timer WHERE " FIRED_BY_ANY "ORDER BY due_us, id",
                     ret, error, "i", now_us);
}

bool
timers_ready(Db *db, int64_t now_us, unsigned *ret_n, GError **error)
{
    g_autofree char *hold = db_hold_all(db);

    *ret_n = 0;
    return hold || sql_count(db,
                             "SELECT (SELECT count(*) FROM timer WHERE " FIRED_BY_ANY ") + "
                             "(SELECT count(*) FROM schedule WHERE " SCHEDULE_IS_DUE ")",
                             ret_n, error, "ii", now_us, now_us + SCHEDULE_AHEAD_US);
}
