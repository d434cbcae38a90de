#include "store/job/sessions.h"
#include "store/rows.h"

bool
session_load(Db *db, JobId job, Session **ret, GError **error)
{
    return rows_first(db, &session_shape, "FROM session WHERE job = ?", ret, error, "i", job.v);
}

bool
session_put(Txn *txn, const Session *s, GError **error)
{
    return session_forget(txn, s->job, error) &&
           sql_run(txn,
                   "INSERT INTO session (job, brain, kind, folder, host, id, began, step, "
                   "told_us, instructions, input, output, cache_read, cache_write) "
                   "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                   error, "isssssnnisiiii", s->job.v, s->brain, s->kind, s->folder,
                   s->host ? s->host : "", s->id, s->began, s->step, s->told_us, s->telling,
                   s->input, s->output, s->cache_read, s->cache_write);
}

bool
session_began(Txn *txn, JobId job, GError **error)
{
    return sql_run(txn, "UPDATE session SET began = 1 WHERE job = ?", error, "i", job.v);
}

bool
session_heard(Txn *txn, JobId job, const char *heard, GError **error)
{
    return sql_run(txn, "UPDATE session SET heard = ? WHERE job = ?", error, "si", heard,
                   job.v);
}

bool
session_has_heard(const Session *session, MsgId mail)
{
    g_autofree char *number = g_strdup_printf(" %" G_GINT64_FORMAT " ", mail.v);
    return strstr(session->heard, number) != NULL;
}

bool
session_told(Txn *txn, const Session *s, int step, GError **error)
{
    return sql_run(txn, "UPDATE session SET step = ?, told_us = ?, heard = '', instructions = ? "
                   "WHERE job = ? AND began = 1",
                   error, "nisi", step, txn_now(txn), s->telling, s->job.v);
}

bool
session_used(Txn *txn, const Session *s, GError **error)
{
    return sql_run(txn,
                   "UPDATE session SET id = ?, input = ?, output = ?, cache_read = ?, "
                   "cache_write = ? WHERE job = ?",
                   error, "siiiii", s->id, s->input, s->output, s->cache_read, s->cache_write,
                   s->job.v);
}

bool
session_forget(Txn *txn, JobId job, GError **error)
{
    return sql_run(txn, "DELETE FROM session WHERE job = ?", error, "i", job.v);
}
