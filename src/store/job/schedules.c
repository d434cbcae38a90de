#include "store/job/schedules.h"
#include "store/mail/mailboxes.h"
#include "store/rows.h"

bool
schedule_put(Txn *txn, const Schedule *s, int64_t *ret_id, GError **error)
{
    return sql_insert(txn,
                      "INSERT INTO schedule (spec, role, subject, body, created_us, next_us) "
                      "VALUES (?, ?, ?, ?, ?, ?)",
                      ret_id, error, "ssssii", s->spec, s->role, s->subject, s->body,
                      s->created_us, s->next_us);
}

bool
schedule_load(Db *db, int64_t id, Schedule **ret, GError **error)
{
    return rows_first(db, &schedule_shape, "FROM schedule WHERE id = ?", ret, error, "i", id);
}

bool
schedule_remove(Txn *txn, int64_t id, GError **error)
{
    return sql_run(txn, "DELETE FROM schedule WHERE id = ?", error, "i", id);
}

bool
schedule_move(
    Txn *txn, const Schedule *s, int64_t last_us, int64_t next_us, bool *ret, GError **error)
{
    return sql_changed(txn,
                       "UPDATE schedule SET next_us = ?, "
                       "last_us = coalesce(" SQL_TIME ", last_us) "
                       "WHERE id = ? AND next_us = ?",
                       ret, error, "iiii", next_us, last_us, s->id, s->next_us);
}

bool
schedule_replan(Txn *txn, const Schedule *s, int64_t next_us, GError **error)
{
    return sql_run(
        txn, "UPDATE schedule SET next_us = ?, last_us = NULL WHERE id = ? AND next_us = ?",
        error, "iii", next_us, s->id, s->next_us);
}

bool
schedules_list(Db *db, int64_t due_us, Schedules **ret, GError **error)
{
    bool any;

    if (due_us == USEC_NEVER)
        return rows_any(db, "SELECT 1 FROM schedule LIMIT 1", &schedule_shape, ret, &any, error) &&
               (!any ||
                rows_list(db, &schedule_shape, "FROM schedule ORDER BY id", ret, error, ""));
    return rows_list(db, &schedule_shape,
                     "FROM schedule WHERE " SCHEDULE_IS_DUE "ORDER BY next_us, id", ret, error,
                     "ii", due_us, due_us + SCHEDULE_AHEAD_US);
}

bool
schedules_check(Db *db, GPtrArray *lines, GError **error)
{
    const Config *config = db_home(db)->config;
    g_autoptr(Schedules) rows = NULL;

    if (!schedules_list(db, USEC_NEVER, &rows, error))
        return false;
    LIST_EACH(const Schedule, s, rows) {
        if (!config_role(config, s->role))
            g_ptr_array_add(
                lines, g_strdup_printf("schedule %" PRId64 " (%s: %s) mails '%s', which is no "
                                       "role any more; postrider every remove %" PRId64,
                                       s->id, s->spec, s->subject, s->role, s->id));
    }
    return true;
}
