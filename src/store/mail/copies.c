#include "store/mail/copies.h"
#include "store/rows.h"

/* A file on a server owes the same moves and marks as the message's own file does. */
static bool
owe_remote(Txn *txn, MsgId message, const char *file, GError **error)
{
    return sql_run(txn,
                   "UPDATE remote SET "
                   "wants = (SELECT folder FROM message WHERE id = ?1 "
                   "AND folder IN ('Active', 'Done')), "
                   "marks = (SELECT marks FROM message WHERE id = ?1 AND marks <> '') "
                   "WHERE file = ?2 AND role = (SELECT role FROM message WHERE id = ?1)",
                   error, "is", message.v, file);
}

bool
copies_add(Txn *txn, MsgId message, const char *folder, const char *file, GError **error)
{
    bool added;

    return sql_changed(txn,
                       "INSERT INTO copy (message, role, file, at_us, owed) "
                       "SELECT id, role, ?2, ?3, CASE WHEN folder <> ?4 OR (marks <> '' AND "
                       "folder NOT IN ('', 'Active')) THEN 1 ELSE 0 END FROM message "
                       "WHERE id = ?1 AND file <> ?2 AND NOT EXISTS "
                       "(SELECT 1 FROM copy WHERE file = ?2 AND role = message.role)",
                       &added, error, "isis", message.v, file, txn_now(txn), folder) &&
           (!added || owe_remote(txn, message, file, error));
}

bool
copies_files(Db *db, MsgId message, unsigned max, GPtrArray **ret_files, GError **error)
{
    return sql_strings(db, "SELECT file FROM copy WHERE message = ? ORDER BY id LIMIT ?",
                       ret_files, error, "iu", message.v, max);
}

bool
copies_is(Db *db, MsgId message, const Digest *identity, bool *ret, GError **error)
{
    return sql_bool(db, "SELECT 1 FROM message WHERE id = ? AND identity = ?", ret, error, "id",
                    message.v, identity);
}

bool
copies_promote(Txn *txn, MsgId message, const char *file, GError **error)
{
    return sql_run(txn, "UPDATE message SET file = ?2 WHERE id = ?1", error, "is", message.v,
                   file) &&
           sql_run(txn, "DELETE FROM copy WHERE message = ? AND file = ?", error, "is",
                   message.v, file);
}

static const Field owed_fields[] = {
    {NULL, "c.id", FIELD_INT, offsetof(CopyOwed, id)},
    {NULL, "c.role", FIELD_TEXT, offsetof(CopyOwed, role)},
    {NULL, "c.file", FIELD_TEXT, offsetof(CopyOwed, file)},
    {NULL, "m.folder", FIELD_TEXT, offsetof(CopyOwed, folder)},
    {NULL, "m.marks", FIELD_TEXT, offsetof(CopyOwed, marks)},
};
SHAPE_HERE(owed_shape, NULL, CopyOwed, owed_fields)

bool
copies_owed(Db *db, unsigned max, GPtrArray **ret_rows, GError **error)
{
    return rows_list(db, &owed_shape,
                     "FROM copy c JOIN message m ON m.id = c.message WHERE c.owed <> 0 "
                     "ORDER BY c.id LIMIT ?",
                     ret_rows, error, "u", max);
}

bool
copies_paid(Txn *txn, const CopyOwed *copy, GError **error)
{
    return sql_run(txn,
                   "UPDATE copy SET owed = 0 WHERE id = ? AND EXISTS (SELECT 1 FROM message "
                   "WHERE id = copy.message AND folder = ? AND marks = ?)",
                   error, "iss", copy->id, copy->folder, copy->marks);
}

bool
copies_rivals(Db *db, const char *role, const Message *m, MsgRows **ret_rows, GError **error)
{
    return rows_list(db, &msg_row_shape,
                     "FROM message WHERE id IN (SELECT id FROM message WHERE msgid = ? AND "
                     "role = ? LIMIT ?) "
                     "AND from_spec = ? AND subject = ? AND folder <> 'Sent' ORDER BY "
                     "CASE WHEN job <> 0 OR state = 'handled' THEN 0 ELSE 1 END, id LIMIT ?",
                     ret_rows, error, "ssnssn", m->id, role, COPIES_LOOKED_AT,
                     m->from ? m->from->spec : "", m->subject, COPIES_COMPARED);
}

bool
copies_under(Db *db, const char *role, const char *msgid, MsgRows **ret_rows, GError **error)
{
    return rows_list(
        db, &msg_row_shape,
        "FROM message WHERE msgid = ? AND role = ? AND folder <> 'Sent' ORDER BY id LIMIT ?",
        ret_rows, error, "ssn", msgid, role, COPIES_COMPARED);
}

bool
copies_count(Db *db, const char *role, const char *msgid, int64_t *ret_n, GError **error)
{
    return sql_int(db, "SELECT count(*) FROM message WHERE msgid = ? AND role = ?", ret_n,
                   error, "ss", msgid, role);
}
