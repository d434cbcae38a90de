#include "store/mail/server_mail.h"
#include "store/account_rows.h"
#include "store/out/outbox.h"
#include "store/rows.h"

static const Field mark_fields[] = {
    {NULL, "uidvalidity", FIELD_NUMBER, offsetof(RemoteMark, uidvalidity)},
    {NULL, "next_uid", FIELD_NUMBER, offsetof(RemoteMark, next_uid)},
    {NULL, "anew_uid", FIELD_NUMBER, offsetof(RemoteMark, anew_uid)},
    {NULL, "first_us", FIELD_TIME, offsetof(RemoteMark, first_us)},
    {NULL, "past_uid", FIELD_NUMBER, offsetof(RemoteMark, past_uid)},
};
SHAPE_HERE(mark_shape, "remote_folder", RemoteMark, mark_fields)

static const Field row_fields[] = {
    {NULL, "id", FIELD_INT, offsetof(RemoteRow, id)},
    {NULL, "folder", FIELD_TEXT, offsetof(RemoteRow, folder)},
    {NULL, "uidvalidity", FIELD_NUMBER, offsetof(RemoteRow, uidvalidity)},
    {NULL, "uid", FIELD_NUMBER, offsetof(RemoteRow, uid)},
    {NULL, "role", FIELD_TEXT, offsetof(RemoteRow, role)},
    {NULL, "file", FIELD_TEXT, offsetof(RemoteRow, file)},
    {NULL, "msgid", FIELD_TEXT, offsetof(RemoteRow, msgid)},
    {NULL, "wants", FIELD_TEXT_NULL, offsetof(RemoteRow, wants)},
    {NULL, "marks", FIELD_TEXT_NULL, offsetof(RemoteRow, marks)},
    {NULL, "job", FIELD_INT, offsetof(RemoteRow, job)},
};
const Shape remote_row_shape = {SHAPE("x", RemoteRow, remote_rows, row_fields)};
/* The rows as they are; no job. */
#define ROWS "FROM (SELECT r.*, 0 AS job FROM remote r "
#define END ") x"

bool
remote_mark_get(
    Db *db, const char *account, const char *folder, RemoteMark *ret, GError **error)
{
    return rows_into(db, &mark_shape, "FROM remote_folder WHERE account = ? AND folder = ?",
                     ret, error, "ss", account, folder);
}

bool
remote_mark_set(
    Txn *txn, const char *account, const char *folder, const RemoteMark *mark, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO remote_folder (account, folder, uidvalidity, next_uid, "
                   "anew_uid, first_us, past_uid) VALUES (?, ?, ?, ?, ?, ?, ?) "
                   "ON CONFLICT (account, folder) DO UPDATE SET "
                   "next_uid = CASE WHEN remote_folder.uidvalidity = excluded.uidvalidity AND "
                   "remote_folder.next_uid > excluded.next_uid THEN remote_folder.next_uid "
                   "ELSE excluded.next_uid END, uidvalidity = excluded.uidvalidity, "
                   "anew_uid = excluded.anew_uid, past_uid = excluded.past_uid, "
                   "first_us = coalesce(NULLIF(remote_folder.first_us, 0), excluded.first_us)",
                   error, "ssuuuiu", account, folder, mark->uidvalidity, mark->next_uid,
                   mark->anew_uid, mark->first_us, mark->past_uid);
}

/* The message that a file is of, or is a copy of. */
#define ROW_OF                                                                                 \
    "(SELECT id FROM message WHERE file = ?6 AND role = ?5 "                                   \
    "UNION ALL SELECT message FROM copy WHERE file = ?6 AND role = ?5)"

/* Puts a mail of a server into the store. What was decided about the mail before its row was
 * there is owed from the start. */
bool
remote_put(Txn *txn, const RemoteNew *in, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO remote (account, folder, uidvalidity, uid, role, file, msgid, "
                   "wants, marks) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, "
                   "(SELECT folder FROM message WHERE id IN " ROW_OF
                   " AND folder IN ('Active', 'Done') LIMIT 1), "
                   "(SELECT marks FROM message WHERE id IN " ROW_OF
                   " AND marks <> '' LIMIT 1)) "
                   "ON CONFLICT (account, folder, uidvalidity, uid) DO NOTHING",
                   error, "ssuusss", in->account, in->folder, in->uidvalidity, in->uid,
                   in->role, in->file, in->msgid) &&
           sql_run(txn, "UPDATE message SET account = ? WHERE file = ? AND role = ?", error,
                   "sss", in->account, in->file, in->role);
}

bool
remote_has(Db *db, const char *account, const RemotePlace *at, bool *ret, GError **error)
{
    return sql_bool(
        db,
        "SELECT id FROM remote WHERE account = ? AND folder = ? AND uidvalidity = ? "
        "AND uid = ?",
        ret, error, "ssuu", account, at->folder, at->uidvalidity, at->uid);
}

bool
remote_account_of(
    Db *db, const char *role, const char *file, char **ret_account, GError **error)
{
    return sql_string(db, "SELECT account FROM remote WHERE file = ? AND role = ? LIMIT 1",
                      ret_account, error, "ss", file, role);
}

/* Mail of this mail's job has still to leave for somebody outside, or waits for a person's
 * word. Then the mail is in hand, and whoever takes the mailbox over finds it in Active. */
#define ANSWER_IS_DUE                                                                          \
    "EXISTS (SELECT 1 FROM message m JOIN outbox o ON o.job = m.job JOIN delivery d "          \
    "ON d.outbox = o.id WHERE m.file = r.file AND m.role = r.role AND m.job <> 0 AND "         \
    "o.job <> 0 AND d.folder = '' AND (d.state = 'held' OR d.mailbox IS NULL AND "             \
    "d.state IN ('waiting', 'ready', 'retry', 'sending', 'in_doubt'))) "
/* The second argument is the watched folder. */
#define MOVE_IS_OWED                                                                           \
    "r.account = ?1 AND r.wants IS NOT NULL AND "                                              \
    "NOT (r.wants = 'Done' AND r.folder <> ?2 AND " ANSWER_IS_DUE ") "

static const char *
watched_folder(Db *db, const char *account)
{
    const Config *config = db_home(db)->config;
    const ConfAccount *found = config ? config_account(config, account) : NULL;

    return found ? found->folder : "INBOX";
}

bool
remote_owed(Db *db, const char *account, unsigned max, RemoteRows **ret_rows, GError **error)
{
    return rows_list(
        db, &remote_row_shape,
        "FROM (SELECT r.id, r.folder, r.uidvalidity, r.uid, r.role, r.file, r.msgid, "
        "CASE WHEN r.wants = 'Done' AND " ANSWER_IS_DUE
        "THEN 'Active' ELSE r.wants END AS wants, r.marks, 0 AS job FROM remote r "
        "WHERE " MOVE_IS_OWED "ORDER BY r.id LIMIT ?3) x ORDER BY x.id",
        ret_rows, error, "ssu", account, watched_folder(db, account), max);
}

/* Somebody may want it elsewhere again since we began. */
bool
remote_moved(Txn *txn, int64_t id, const RemotePlace *to, const char *paid, GError **error)
{
    return sql_run(txn,
                   "DELETE FROM remote WHERE id <> ?1 AND account = (SELECT account FROM "
                   "remote WHERE id = ?1) AND folder = ?2 AND uidvalidity = ?3 AND uid = ?4",
                   error, "isuu", id, to->folder, to->uidvalidity, to->uid) &&
           sql_run(txn,
                   "UPDATE remote SET folder = ?2, uidvalidity = ?3, uid = ?4, "
                   "wants = CASE WHEN wants = ?5 THEN NULL ELSE wants END WHERE id = ?1",
                   error, "isuus", id, to->folder, to->uidvalidity, to->uid, paid);
}

bool
remote_forget(Txn *txn, int64_t id, GError **error)
{
    return sql_run(txn, "DELETE FROM remote WHERE id = ?", error, "i", id);
}

bool
remote_forget_all(
    Txn *txn, const char *account, const char *folder, uint32_t uidvalidity, GError **error)
{
    return sql_run(txn,
                   "DELETE FROM remote WHERE account = ? AND folder = ? AND uidvalidity = ?",
                   error, "ssu", account, folder, uidvalidity);
}

bool
remote_owed_marks(
    Db *db, const char *account, unsigned max, RemoteRows **ret_rows, GError **error)
{
    return rows_list(db, &remote_row_shape,
                     ROWS "WHERE r.account = ? AND r.marks IS NOT NULL AND r.wants IS NULL "
                          "ORDER BY r.id LIMIT ?) x ORDER BY x.id",
                     ret_rows, error, "su", account, max);
}

bool
remote_marked(Txn *txn, int64_t id, const char *paid, GError **error)
{
    return sql_run(txn, "UPDATE remote SET marks = NULL WHERE id = ? AND marks = ?", error,
                   "is", id, paid);
}

bool
remote_open(
    Db *db, const char *account, const char *role, RemoteRows **ret_rows, GError **error)
{
    return rows_list(
        db, &remote_row_shape,
        "FROM (SELECT r.id, r.folder, r.uidvalidity, r.uid, m.role, m.file, m.msgid, r.wants, "
        "r.marks, m.job FROM job j JOIN message m ON m.job = j.id "
        "LEFT JOIN remote r ON r.file = m.file AND r.role = m.role AND r.account = ? "
        "WHERE j.role = ? AND ((j.state IN ('queued', 'running') AND m.state IN "
        "('stored', 'shown')) OR (j.state = 'parked' AND m.id = (SELECT max(c.id) "
        "FROM message c WHERE c.job = j.id AND c.class = 'checkpoint'))) " END,
        ret_rows, error, "ss", account, role);
}

bool
remote_parked(Db *db, const char *account, RemoteRows **ret_rows, GError **error)
{
    return rows_list(db, &remote_row_shape,
                     ROWS
                     "JOIN message m ON m.file = r.file AND m.role = r.role "
                     "WHERE r.account = ? AND r.wants IS NULL AND m.id IN "
                     "(SELECT max(c.id) FROM job j JOIN message c ON c.job = j.id "
                     "AND c.class = 'checkpoint' WHERE j.state = 'parked' GROUP BY j.id)" END,
                     ret_rows, error, "s", account);
}

bool
remote_strays(
    Db *db, const char *account, uint32_t uidvalidity, RemoteRows **ret_rows, GError **error)
{
    return rows_list(db, &remote_row_shape,
                     ROWS "JOIN message m ON m.file = r.file AND m.role = r.role "
                          "JOIN job j ON j.id = m.job AND j.state NOT IN ('done', 'cancelled') "
                          "WHERE r.account = ? AND r.folder = ? AND r.uidvalidity <> ?" END,
                     ret_rows, error, "ssu", account, watched_folder(db, account), uidvalidity);
}

bool
remote_has_work(Db *db, const char *account, int64_t now_us, bool *ret, GError **error)
{
    int64_t next_us;
    bool found;

    if (!sql_bool(
            db,
            "SELECT EXISTS (SELECT 1 FROM remote r WHERE " MOVE_IS_OWED ") "
            "OR EXISTS (SELECT 1 FROM remote WHERE account = ?1 AND marks IS NOT NULL AND "
            "wants IS NULL) "
            "OR EXISTS (SELECT 1 FROM mailbox mb WHERE mb.account = ?1 AND mb.role = '' AND "
            "(mb.state = 'unseen' OR (mb.state = 'ours' AND EXISTS (SELECT 1 FROM delivery d "
            "WHERE d.state IN ('ready', 'retry') AND d.next_us <= steady(?3) AND "
            "d.outbox > mb.upto AND (d.mailbox IS NOT NULL OR d.folder = ''))))) "
            "OR EXISTS (SELECT 1 FROM demand WHERE account = ?1 AND answer IS NULL)",
            &found, error, "ssi", account, watched_folder(db, account), now_us) ||
        !outbox_next_file(db, account, &next_us, error))
        return false;
    if (!found && next_us > now_us &&
        !sql_bool(db,
                  "SELECT 1 FROM delivery WHERE state IN ('sending', 'in_doubt') "
                  "AND state = 'in_doubt' AND affinity = ? LIMIT 1",
                  &found, error, "s", account))
        return false;
    *ret = found || next_us <= now_us;
    return true;
}

bool
remote_since(Db *db, const char *account, int64_t *ret_us, GError **error)
{
    return sql_int(db, ACCOUNT_GET("since_us"), ret_us, error, "s", account);
}

bool
remote_set_since(Txn *txn, const char *account, int64_t since_us, GError **error)
{
    return sql_run(txn, ACCOUNT_SET("since_us"), error, "si", account, since_us);
}

bool
remote_trouble(Db *db, const char *account, char **ret_why, GError **error)
{
    return sql_string(db, ACCOUNT_GET("trouble"), ret_why, error, "s", account);
}

bool
remote_set_trouble(Txn *txn, const char *account, const char *why, GError **error)
{
    return sql_run(txn, ACCOUNT_SET("trouble"), error, "ss", account, why);
}

bool
remote_forged(Db *db, const char *account, char **ret_name, GError **error)
{
    return sql_string(db, ACCOUNT_GET("forged"), ret_name, error, "s", account);
}

bool
remote_set_forged(Txn *txn, const char *account, const char *name, GError **error)
{
    return sql_run(txn, ACCOUNT_SET("forged"), error, "ss", account, name);
}
