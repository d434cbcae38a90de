#include "store/job/timers.h"
#include "base/banned.h"
#include "store/due.h"
#include "store/job/schedules.h"
#include "store/mail/mailboxes.h"
#include "store/sql.h"

#define JOB_MAY_WORK MAILBOX_LETS_WORK("(SELECT j.role FROM job j WHERE j.id = timer.job)")

static void
free_element(gpointer p)
{
    Timer *timer = p;

    g_free(timer->purpose);
    g_free(timer);
}

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

bool
timers_due(Db *db, const char *purpose, int64_t now_us, GPtrArray **ret_timers, GError **error)
{
    SqlStmt *st =
        sql_get(db,
                "SELECT id, wall(due_us), job, purpose FROM timer "
                "WHERE " SQL_IS_DUE("due_us", "?1") " AND purpose = ?2 AND " JOB_MAY_WORK
                                                    "ORDER BY due_us, id",
                error);
    g_autoptr(GPtrArray) timers = g_ptr_array_new_with_free_func(free_element);
    int rc = 0;

    if (!st)
        return false;
    sql_bind(st, "is", now_us, purpose);
    while ((rc = sql_next(st, error)) == 1) {
        Timer *t = g_new0(Timer, 1);
        t->id = sql_col_int(st, 0);
        t->due_us = sql_col_int(st, 1);
        t->job.v = sql_col_int(st, 2);
        t->purpose = sql_text(st, 3);
        g_ptr_array_add(timers, t);
    }
    if (rc < 0)
        return false;
    *ret_timers = g_steal_pointer(&timers);
    return true;
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
