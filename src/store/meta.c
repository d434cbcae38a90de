#include "store/due.h"
#include "store/mail/mailboxes.h"
#include "store/sql.h"

bool
meta_get(Db *db, const char *key, char **ret, GError **error)
{
    return sql_string(db, "SELECT value FROM meta WHERE key = ?", ret, error, "s", key);
}

bool
meta_set(Txn *txn, const char *key, const char *value, GError **error)
{
    if (!value)
        return sql_run(txn, "DELETE FROM meta WHERE key = ?", error, "s", key);
    return sql_run(txn,
                   "INSERT INTO meta (key, value) VALUES (?, ?) "
                   "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                   error, "ss", key, value);
}

bool
meta_get_time(Db *db, const char *key, int64_t now_us, int64_t *ret_us, GError **error)
{
    g_autofree char *text = NULL;

    if (!meta_get(db, key, &text, error))
        return false;
    if (!text || !text_parse_int(text, 0, now_us, ret_us))
        *ret_us = 0;
    return true;
}

bool
meta_set_time(Txn *txn, const char *key, int64_t us, GError **error)
{
    g_autofree char *text = g_strdup_printf("%" PRId64, us);

    return meta_set(txn, key, text, error);
}

static bool
get_generation(Db *db, uint64_t *ret, GError **error)
{
    g_autofree char *text = NULL;
    int64_t value;

    if (!meta_get(db, "generation", &text, error))
        return false;
    if (!text || !text_parse_int(text, 1, INT64_MAX, &value))
        return err_set(error, ERR_DAMAGE, "the store has lost its generation");
    *ret = (uint64_t)value;
    return true;
}

/* Not kept in memory: doctor may raise it while we run. */
uint64_t
db_generation(Db *db)
{
    uint64_t generation = 0;

    (void)get_generation(db, &generation, NULL);
    return generation;
}

bool
db_set_generation(Txn *txn, uint64_t generation, GError **error)
{
    g_autofree char *text = g_strdup_printf("%" PRIu64, generation);

    return meta_set(txn, "generation", text, error);
}

static bool
hold_all(Txn *txn, uint64_t generation, int64_t number, GError **error)
{
    g_autofree char *held = NULL;

    if (!meta_get(txn->db, "hold-all", &held, error))
        return false;
    if (held)
        return true; /* the first proof says enough */
    g_autofree char *why =
        g_strdup_printf("the store is older than the mail: mail number %" PRIu64 ".%" PRId64
                        " was sent, and the store does not know it; look at what happened "
                        "since the backup, then run: postrider doctor --accept-backup",
                        generation, number);
    return meta_set(txn, "hold-all", why, error);
}

/* Rows of outbox stay for ever (only their bytes go), so the largest is the last given out. */
bool
db_note_minted(
    Txn *txn, uint64_t generation, int64_t number, bool *ret_went_back, GError **error)
{
    uint64_t ours = 0;
    int64_t last;

    if (!get_generation(txn->db, &ours, error) || !mailbox_upto(txn->db, &last, error))
        return false;
    bool back = generation > ours || (generation == ours && number > last);
    if (back && !hold_all(txn, generation, number, error))
        return false;
    *ret_went_back = back;
    return true;
}

/* Why all mail is held, or NULL. If the reason can't be read, the error is the reason. */
char *
db_hold_all(Db *db)
{
    g_autoptr(GError) error = NULL;
    char *why = NULL;

    return meta_get(db, "hold-all", &why, &error) ? why : g_strdup(error->message);
}

/* clang-format off */

/* The first span, and the first moment. */
#define FIRST(column, rows)                                                                    \
    "SELECT min(" column ") AS at FROM " rows " UNION ALL SELECT min(" column ") FROM " rows   \
    " AND " column " >= " SQL_MOMENTS " UNION ALL "

/* Copies that are filed on a server have no deadline here: their account has one. */
static const char next_sql[] =
    "SELECT coalesce(min(wall(at)), " SQL_NEVER ") FROM ("
    FIRST("ready_us", "job WHERE state = 'queued'")
    FIRST("wakes_us", "job WHERE state = 'parked' AND wakes_us IS NOT NULL")
    FIRST("due_us", "timer WHERE true")
    "SELECT min(deadline_us) FROM job WHERE state = 'running' UNION ALL "
    "SELECT min(next_us) FROM delivery WHERE state IN ('ready', 'retry') AND "
        "(mailbox IS NOT NULL OR folder = '') UNION ALL "
    "SELECT min(ask_us) FROM delivery WHERE ask_us IS NOT NULL AND state = 'in_doubt' UNION ALL "
    "SELECT due(min(next_us), 1) FROM schedule)";

/* clang-format on */

bool
db_next_deadline(Db *db, int64_t *ret_wall_us, GError **error)
{
    return sql_int(db, next_sql, ret_wall_us, error, "");
}
