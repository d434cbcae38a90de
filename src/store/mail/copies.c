#include "store/mail/copies.h"
#include "base/banned.h"
#include "store/mail/messages_row.h"

/* What a file on a server owes, it owes as the message's own does. */
static bool
owe_remote(Txn *txn, MsgId message, const char *file, GError **error)
{
    return sql_run(txn,
                   "UPDATE remote SET "
                   "wants = (SELECT folder FROM message WHERE id = ?1 "
                   "AND folder IN ('Active', 'Done')), "
                   "marks = (SELECT marks FROM message WHERE id = ?1 AND marks <> '') "
                   "WHERE file = ?2 AND role = (SELECT role FROM message WHERE id = ?1)",
                   NULL, error, "is", message.v, file);
}

bool
copies_add(Txn *txn, MsgId message, const char *folder, const char *file, GError **error)
{
    int changes;

    return sql_run(txn,
                   "INSERT INTO copy (message, role, file, at_us, owed) "
                   "SELECT id, role, ?2, ?3, CASE WHEN folder <> ?4 OR (marks <> '' AND "
                   "folder NOT IN ('', 'Active')) THEN 1 ELSE 0 END FROM message "
                   "WHERE id = ?1 AND file <> ?2 AND NOT EXISTS "
                   "(SELECT 1 FROM copy WHERE file = ?2 AND role = message.role)",
                   &changes, error, "isis", message.v, file, txn_now(txn), folder) &&
           (changes == 0 || owe_remote(txn, message, file, error));
}

bool
copies_files(Db *db, MsgId message, unsigned max, GPtrArray **ret_files, GError **error)
{
    SqlStmt *st =
        sql_get(db, "SELECT file FROM copy WHERE message = ? ORDER BY id LIMIT ?", error);
    g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
    int rc;

    if (!st)
        return false;
    sql_bind(st, "ii", message.v, (int64_t)max);
    while ((rc = sql_next(st, error)) == 1)
        g_ptr_array_add(files, sql_text(st, 0));
    if (rc < 0)
        return false;
    *ret_files = g_steal_pointer(&files);
    return true;
}

bool
copies_is(Db *db, MsgId message, const Digest *identity, bool *ret, GError **error)
{
    int64_t found;

    if (!sql_int(db, "SELECT 1 FROM message WHERE id = ? AND identity = ?", 0, &found, error,
                 "id", message.v, identity))
        return false;
    *ret = found != 0;
    return true;
}

bool
copies_promote(Txn *txn, MsgId message, const char *file, GError **error)
{
    return sql_run(txn, "UPDATE message SET file = ?2 WHERE id = ?1", NULL, error, "is",
                   message.v, file) &&
           sql_run(txn, "DELETE FROM copy WHERE message = ? AND file = ?", NULL, error, "is",
                   message.v, file);
}

static void
owed_free(gpointer p)
{
    CopyOwed *c = p;

    g_free(c->role);
    g_free(c->file);
    g_free(c->folder);
    g_free(c->marks);
    g_free(c);
}

bool
copies_owed(Db *db, unsigned max, GPtrArray **ret_rows, GError **error)
{
    SqlStmt *st = sql_get(db,
                          "SELECT c.id, c.role, c.file, m.folder, m.marks FROM copy c "
                          "JOIN message m ON m.id = c.message WHERE c.owed <> 0 "
                          "ORDER BY c.id LIMIT ?",
                          error);
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func(owed_free);
    int rc;

    if (!st)
        return false;
    sql_bind(st, "i", (int64_t)max);
    while ((rc = sql_next(st, error)) == 1) {
        CopyOwed *c = g_new(CopyOwed, 1);
        *c = (CopyOwed){.id = sql_col_int(st, 0),
                        .role = sql_text(st, 1),
                        .file = sql_text(st, 2),
                        .folder = sql_text(st, 3),
                        .marks = sql_text(st, 4)};
        g_ptr_array_add(rows, c);
    }
    if (rc < 0)
        return false;
    *ret_rows = g_steal_pointer(&rows);
    return true;
}

bool
copies_paid(Txn *txn, const CopyOwed *copy, GError **error)
{
    return sql_run(txn,
                   "UPDATE copy SET owed = 0 WHERE id = ? AND EXISTS (SELECT 1 FROM message "
                   "WHERE id = copy.message AND folder = ? AND marks = ?)",
                   NULL, error, "iss", copy->id, copy->folder, copy->marks);
}

bool
copies_rivals(Db *db, const char *role, const Message *m, MsgRows **ret_rows, GError **error)
{
    SqlStmt *st =
        sql_get(db,
                "SELECT " MSG_COLUMNS " FROM message WHERE id IN "
                "(SELECT id FROM message WHERE msgid = ? AND role = ? LIMIT ?) "
                "AND from_spec = ? AND subject = ? AND folder <> 'Sent' ORDER BY "
                "CASE WHEN job <> 0 OR state = 'handled' THEN 0 ELSE 1 END, id LIMIT ?",
                error);
    if (!st)
        return false;
    sql_bind(st, "ssissi", m->id, role, (int64_t)COPIES_LOOKED_AT, m->from ? m->from->spec : "",
             m->subject, (int64_t)COPIES_COMPARED);
    return msg_rows_read(db, st, ret_rows, error);
}

bool
copies_under(Db *db, const char *role, const char *msgid, MsgRows **ret_rows, GError **error)
{
    SqlStmt *st = sql_get(db,
                          "SELECT " MSG_COLUMNS " FROM message WHERE msgid = ? AND "
                          "role = ? AND folder <> 'Sent' ORDER BY id LIMIT ?",
                          error);
    if (!st)
        return false;
    sql_bind(st, "ssi", msgid, role, (int64_t)COPIES_COMPARED);
    return msg_rows_read(db, st, ret_rows, error);
}

bool
copies_count(Db *db, const char *role, const char *msgid, int64_t *ret_n, GError **error)
{
    return sql_int(db, "SELECT count(*) FROM message WHERE msgid = ? AND role = ?", 0, ret_n,
                   error, "ss", msgid, role);
}
