#include "store/job/schedules.h"
#include "base/banned.h"
#include "store/mail/mailboxes.h"
#include "store/sql.h"
#include <inttypes.h>

void
schedule_free(Schedule *s)
{
    if (!s)
        return;
    g_free(s->spec);
    g_free(s->role);
    g_free(s->subject);
    g_free(s->body);
    g_free(s);
}

bool
schedule_put(Txn *txn, const Schedule *s, int64_t *ret_id, GError **error)
{
    return sql_insert(txn,
                      "INSERT INTO schedule (spec, role, subject, body, created_us, next_us) "
                      "VALUES (?, ?, ?, ?, ?, ?)",
                      ret_id, error, "ssssii", s->spec, s->role, s->subject, s->body,
                      s->created_us, s->next_us);
}

#define COLUMNS "id, spec, role, subject, body, created_us, last_us, next_us "

static Schedule *
read_schedule(SqlStmt *st)
{
    Schedule *s = g_new0(Schedule, 1);

    s->id = sql_col_int(st, 0);
    s->spec = sql_text(st, 1);
    s->role = sql_text(st, 2);
    s->subject = sql_text(st, 3);
    s->body = sql_text(st, 4);
    s->created_us = sql_col_int(st, 5);
    s->last_us = sql_col_null(st, 6) ? USEC_NEVER : sql_col_int(st, 6);
    s->next_us = sql_col_int(st, 7);
    return s;
}

bool
schedule_load(Db *db, int64_t id, Schedule **ret, GError **error)
{
    SqlStmt *st = sql_get(db, "SELECT " COLUMNS "FROM schedule WHERE id = ?", error);

    if (!st)
        return false;
    sql_bind(st, "i", id);
    int rc = sql_next(st, error);
    if (rc < 0)
        return false;
    *ret = rc == 1 ? read_schedule(st) : NULL;
    sql_reset(st);
    return true;
}

bool
schedule_remove(Txn *txn, int64_t id, GError **error)
{
    return sql_run(txn, "DELETE FROM schedule WHERE id = ?", NULL, error, "i", id);
}

bool
schedule_move(Txn *txn,
              int64_t id,
              int64_t from_us,
              int64_t last_us,
              int64_t next_us,
              bool *ret_moved,
              GError **error)
{
    int changes = 0;

    if (!sql_run(txn,
                 "UPDATE schedule SET next_us = ?, "
                 "last_us = coalesce(" SQL_TIME ", last_us) "
                 "WHERE id = ? AND next_us = ?",
                 &changes, error, "iiii", next_us, last_us, id, from_us))
        return false;
    *ret_moved = changes == 1;
    return true;
}

bool
schedule_replan(Txn *txn, int64_t id, int64_t from_us, int64_t next_us, GError **error)
{
    return sql_run(
        txn, "UPDATE schedule SET next_us = ?, last_us = NULL WHERE id = ? AND next_us = ?",
        NULL, error, "iii", next_us, id, from_us);
}

bool
schedules_list(Db *db, int64_t due_us, Schedules **ret, GError **error)
{
    SqlStmt *st =
        due_us == USEC_NEVER
            ? sql_get(db, "SELECT " COLUMNS "FROM schedule ORDER BY id", error)
            : sql_get(db,
                      "SELECT " COLUMNS "FROM schedule WHERE (next_us <= ?1 OR last_us > ?2) "
                      "AND " MAILBOX_LETS_WORK("schedule.role") "ORDER BY next_us, id",
                      error);
    g_autoptr(Schedules) rows = schedules_new();
    int rc = 0;

    if (!st)
        return false;
    if (due_us != USEC_NEVER)
        sql_bind(st, "ii", due_us, due_us + SCHEDULE_AHEAD_US);
    while ((rc = sql_next(st, error)) == 1)
        schedules_add(rows, read_schedule(st));
    if (rc < 0)
        return false;
    *ret = g_steal_pointer(&rows);
    return true;
}

bool
schedules_check(Db *db, GPtrArray *lines, GError **error)
{
    const Config *config = db_home(db)->config;
    g_autoptr(Schedules) rows = NULL;

    if (!schedules_list(db, USEC_NEVER, &rows, error))
        return false;
    for (guint i = 0; i < rows->len; i++) {
        const Schedule *s = g_ptr_array_index(rows, i);

        if (!config_role(config, s->role))
            g_ptr_array_add(
                lines, g_strdup_printf("schedule %" PRId64 " (%s: %s) mails '%s', which is no "
                                       "role any more; postrider every remove %" PRId64,
                                       s->id, s->spec, s->subject, s->role, s->id));
    }
    return true;
}
