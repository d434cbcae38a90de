#include "store/out/server_ids.h"
#include "mail/msgid.h"
#include "store/mail/messages.h"
#include "store/sql.h"

static bool
is_minted(Db *db, const char *id)
{
    const Home *home = db_home(db);
    Minted minted;

    return msgid_read(&home->key, id, home->config->domain, &minted);
}

/* Mail without a thread gets one with its first answer, which names both ids. */
static bool
enter_thread(Txn *txn, OutId mail, const char *id, GError **error)
{
    ThreadId thread = {0};

    return sql_int(
               txn->db,
               "SELECT m.thread FROM outbox o JOIN msgid m ON m.id = o.msgid WHERE o.id = ?",
               &thread.v, error, "i", mail.v) &&
           (thread.v == 0 || messages_thread_own(txn, id, thread, error));
}

bool
server_ids_put(Txn *txn, OutId mail, const char *id, bool *ret_new, GError **error)
{
    *ret_new = false;
    return is_minted(txn->db, id) ||
           (sql_changed(txn,
                        "INSERT INTO renamed (id, outbox) SELECT ?1, id FROM outbox "
                        "WHERE id = ?2 AND msgid <> ?1 ON CONFLICT DO NOTHING",
                        ret_new, error, "si", id, mail.v) &&
            (!*ret_new || enter_thread(txn, mail, id, error)));
}

bool
server_ids_put_own(Txn *txn, OutId mail, const char *id, GError **error)
{
    return sql_run(txn, "INSERT INTO renamed (id, outbox) VALUES (?, ?) ON CONFLICT DO NOTHING",
                   error, "si", id, mail.v);
}

bool
server_ids_find(Db *db, const char *id, char **ret_msgid, GError **error)
{
    return sql_string(db,
                      "SELECT o.msgid FROM renamed r JOIN outbox o ON o.id = r.outbox "
                      "WHERE r.id = ?",
                      ret_msgid, error, "s", id);
}

bool
server_ids_any(Db *db, bool *ret, GError **error)
{
    return sql_bool(db, "SELECT 1 FROM renamed LIMIT 1", ret, error, "");
}

/* Numbers grow with time, so only what is newer is looked at. */
bool
server_ids_owed(Db *db, const char *account, int64_t since_us, GArray **ret, GError **error)
{
    int64_t before = 0;

    if (!sql_int(db, "SELECT id FROM outbox WHERE created_us < ? ORDER BY id DESC LIMIT 1",
                 &before, error, "i", since_us))
        return false;
    return sql_ints(
        db,
        "SELECT DISTINCT d.outbox FROM delivery d WHERE d.outbox > ? AND d.affinity = ? AND "
        "d.mailbox IS NULL AND d.folder = '' AND d.state IN ('sending', 'sent', 'in_doubt') "
        "AND NOT EXISTS (SELECT 1 FROM renamed r JOIN outbox o ON o.id = r.outbox "
        "WHERE r.outbox = d.outbox AND r.id <> o.msgid) ORDER BY d.outbox",
        ret, error, "is", before, account);
}
