#include "store/mail/mailboxes.h"
#include "store/mail/messages.h"
#include "store/out/outbox.h"
#include "store/rows.h"
#include "store/spaces.h"

/* The outbox as others see it: names, rows, lists. Nothing here writes. */

#define DEFAULT_LIMIT 50
#define FILE_NAME_MAX 200

char *
out_row_file(const OutRow *r)
{
    const char *id = r->msgid;
    g_autoptr(GString) name = g_string_new(NULL);
    g_autofree char *tail = g_strdup_printf(".%" PRId64, r->delivery);

    g_string_append_printf(name, "%" PRId64 ".", r->created_us / USEC_PER_SEC);
    for (; *id && *id != '@' && name->len + strlen(tail) < FILE_NAME_MAX; id++)
        g_string_append_c(name, g_ascii_isalnum(*id) || strchr("._-", *id) ? *id : '_');
    g_string_append(name, tail);
    return g_string_free(g_steal_pointer(&name), FALSE);
}

/* The words of the index delivery_due, so that it is used. */
#define DUE "d.state IN ('ready', 'retry') AND d.next_us <= steady(?) "
/* In the same statement and not by db_hold_all() before it: what is asked for every mail costs
 * one read transaction. */
#define NOTHING_HELD                                                                           \
    "NOT EXISTS (SELECT 1 FROM meta WHERE key = 'hold-all' AND value IS NOT NULL) "
#define MAY_LEAVE NOTHING_HELD "AND " MAILBOX_LETS_LEAVE

bool
outbox_due(Db *db, int64_t now_us, bool local, unsigned max, OutRows **ret_rows, GError **error)
{
    return rows_list(db, &out_row_whole,
                     "FROM delivery d CROSS JOIN outbox o ON o.id = d.outbox "
                     "WHERE " DUE "AND (d.mailbox IS NOT NULL) = ? "
                     "AND (d.mailbox IS NOT NULL OR d.folder = '') "
                     "AND " MAY_LEAVE "ORDER BY d.next_us, d.id LIMIT ?",
                     ret_rows, error, "inu", now_us, local, max);
}

/* On a server lies only what has left: a copy in Sent tells the truth. */
#define FILES                                                                                  \
    "d.affinity = ? AND d.mailbox IS NULL AND d.folder <> '' AND (EXISTS "                     \
    "(SELECT 1 FROM delivery e WHERE e.outbox = d.outbox AND e.state = 'sent' "                \
    "AND e.folder = '') OR NOT EXISTS "                                                        \
    "(SELECT 1 FROM delivery e WHERE e.outbox = d.outbox AND e.folder = '')) "

bool
outbox_due_files(Db *db, const char *account, unsigned max, OutRows **ret_rows, GError **error)
{
    return rows_list(db, &out_row_whole,
                     "FROM delivery d CROSS JOIN outbox o ON o.id = d.outbox "
                     "WHERE " DUE "AND " FILES "AND " NOTHING_HELD
                     "ORDER BY d.next_us, d.id LIMIT ?",
                     ret_rows, error, "isu", home_now(db_home(db)), account, max);
}

bool
outbox_next_file(Db *db, const char *account, int64_t *ret_us, GError **error)
{
    return sql_int(db,
                   "SELECT coalesce(wall(min(d.next_us)), " SQL_NEVER ") FROM delivery d "
                   "WHERE d.state IN ('ready', 'retry') AND " FILES "AND " NOTHING_HELD,
                   ret_us, error, "s", account);
}

bool
outbox_find_local(Db *db, OutId id, const char *mailbox, OutRow **ret, GError **error)
{
    return rows_first(db, &out_row_whole,
                      "FROM outbox o JOIN delivery d ON d.outbox = o.id "
                      "WHERE o.id = ? AND d.mailbox = ? AND d.folder = '' LIMIT 1",
                      ret, error, "is", id.v, mailbox);
}

bool
outbox_count_due(Db *db, int64_t now_us, unsigned *ret_n, GError **error)
{
    return sql_count(db, "SELECT count(*) FROM delivery d WHERE " DUE "AND " MAY_LEAVE, ret_n,
                     error, "i", now_us);
}

bool
outbox_is_due(Txn *txn, int64_t delivery, bool *ret, GError **error)
{
    return sql_bool(txn->db,
                    "SELECT 1 FROM delivery d WHERE d.id = ? AND d.state IN ('ready', 'retry') "
                    "AND " MAY_LEAVE,
                    ret, error, "i", delivery);
}

bool
outbox_sent_if_due(Txn *txn, int64_t delivery, bool *ret, GError **error)
{
    return sql_changed(txn,
                       "UPDATE delivery AS d SET state = 'sent', why = NULL "
                       "WHERE d.id = ? AND d.state IN ('ready', 'retry') AND " MAY_LEAVE,
                       ret, error, "i", delivery);
}

/* The viewer sees no more than this: the operator all mail, a role the mail of its jobs, while
 * it is in the mail's space. */
#define VISIBLE                                                                                \
    "(?1 OR (EXISTS (SELECT 1 FROM job j WHERE j.id = o.job AND j.role = ?2) AND "             \
    SPACE_LETS("o.space", "?2") ")) "

/* The numbers between which the mails of a query lie, so that not all are looked at. */
static bool
find_range(Db *db, const OutQuery *q, int64_t *ret_low, int64_t *ret_high, GError **error)
{
    *ret_low = q->id.v;
    *ret_high = q->id.v ? q->id.v : INT64_MAX;
    if (q->id.v != 0 || q->job.v == 0)
        return true;
    return sql_int(db, "SELECT min(id) FROM outbox WHERE job = ? AND job <> 0", ret_low, error,
                   "i", q->job.v) &&
           sql_int(db, "SELECT max(id) FROM outbox WHERE job = ? AND job <> 0", ret_high, error,
                   "i", q->job.v);
}

bool
outbox_list(Db *db, const Viewer *viewer, const OutQuery *q, OutRows **ret_rows, GError **error)
{
    int64_t low = 0, high = 0;

    if (!find_range(db, q, &low, &high, error))
        return false;
    return rows_list(
        db, &out_row_shape,
        "FROM delivery d CROSS JOIN outbox o ON o.id = d.outbox "
        "WHERE d.outbox >= ?7 AND d.outbox <= ?8 AND " VISIBLE
        "AND (?3 IS NULL OR d.state = ?3) AND (?4 OR ?3 IS NOT NULL OR d.state <> 'sent') "
        "AND (?5 OR (d.folder <> 'Sent' AND (d.mailbox IS NOT NULL OR d.folder = ''))) "
        "AND (?6 = 0 OR o.job = ?6) AND (?9 = 0 OR o.step = ?9) "
        "ORDER BY d.outbox DESC, d.id DESC LIMIT ?10",
        ret_rows, error, "nssnniiinu", viewer->operator, viewer->role, q->state, q->all,
        q->copies, q->job.v, low, high, q->step, q->limit ? q->limit : DEFAULT_LIMIT);
}

int64_t
out_number(const char *msgid)
{
    bool event = strspn(msgid, "0123456789") == strlen("20251114103000");
    g_auto(GStrv) parts = g_strsplit(msgid, ".", event ? 5 : 3);
    int64_t number = 0;

    if (g_strv_length(parts) != (event ? 5u : 3u) ||
        !text_parse_int(parts[event ? 2 : 1], 1, INT64_MAX, &number))
        return 0;
    return number;
}

bool
outbox_find(Db *db, const Viewer *viewer, const char *msgid, OutRow **ret, GError **error)
{
    return rows_first(db, &out_row_whole,
                      "FROM outbox o JOIN delivery d ON d.outbox = o.id "
                      "WHERE " VISIBLE "AND ((o.id = ?3 AND o.msgid = ?4) OR "
                      "o.id = (SELECT outbox FROM renamed WHERE id = ?4)) "
                      "ORDER BY d.folder = 'Sent', d.id LIMIT 1",
                      ret, error, "nsis", viewer->operator, viewer->role, out_number(msgid),
                      msgid);
}

bool
outbox_floor(Db *db, const Viewer *viewer, const char *msgid, Trust *ret, GError **error)
{
    g_autofree char *floor = NULL;

    if (!sql_string(db,
                    "SELECT coalesce(o.floor, o.level) FROM outbox o WHERE " VISIBLE
                    "AND ((o.id = ?3 AND o.msgid = ?4) OR "
                    "o.id = (SELECT outbox FROM renamed WHERE id = ?4))",
                    &floor, error, "nsis", viewer->operator, viewer->role, out_number(msgid),
                    msgid))
        return false;
    *ret = floor ? TRUST_ANYONE : TRUST_OPERATOR;
    (void)words_parse(&trust_words, floor, ret);
    return true;
}

bool
outbox_load(Db *db, OutId id, OutRow **ret, GError **error)
{
    return rows_first(db, &out_row_whole,
                      "FROM outbox o JOIN delivery d ON d.outbox = o.id "
                      "WHERE o.id = ? ORDER BY d.folder = 'Sent', d.id LIMIT 1",
                      ret, error, "i", id.v);
}

/* --- a mail as a whole --- */

/* The lower, the further from its reader. */
static int
rank(OutState s)
{
    static const int ranks[] = {
        [OUT_FAILED] = 0,  [OUT_HELD] = 1,  [OUT_IN_DOUBT] = 2, [OUT_RETRY] = 3,
        [OUT_WAITING] = 4, [OUT_READY] = 5, [OUT_SENDING] = 6,  [OUT_SENT] = 7,
    };
    _Static_assert(G_N_ELEMENTS(ranks) == OUT_N_STATES, "rank every OutState");

    return ranks[s];
}

/* Makes one row of the rows of one mail: the one whose state counts for all, with the addresses
 * of all. */
static OutRow *
join_rows(GPtrArray *rows)
{
    g_autoptr(GString) to = g_string_new(NULL);
    guint least = 0;

    for (guint i = 0; i < rows->len; i++) {
        const OutRow *r = rows->pdata[i], *so_far = rows->pdata[least];

        g_string_append_printf(to, "%s%s", to->len ? " " : "", r->address);
        if (rank(r->state) < rank(so_far->state))
            least = i;
    }
    OutRow *row = g_ptr_array_steal_index(rows, least);
    g_free(row->address);
    row->address = g_strdup(to->str);
    return row;
}

bool
outbox_whole(Db *db, const Viewer *viewer, OutId id, OutRow **ret, GError **error)
{
    const OutQuery q = {.id = id, .all = true, .copies = true, .limit = UINT_MAX};
    g_autoptr(OutRows) rows = NULL;
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(out_row_shape.free);

    if (!outbox_list(db, viewer, &q, &rows, error))
        return false;
    for (guint i = rows->len; i-- > 0;) { /* newest first: turned round */
        const OutRow *r = rows->pdata[i];
        /* Not a copy in Sent, and not what an account files on its server. */
        if (strcmp(r->folder, "Sent") != 0 && (r->mailbox || !*r->folder))
            g_ptr_array_add(all, g_ptr_array_steal_index(LIST_ARRAY(rows), i));
    }
    if (all->len == 0 && rows->len > 0) /* only ever filed */
        g_ptr_array_add(all, g_ptr_array_steal_index(LIST_ARRAY(rows), rows->len - 1));
    g_autoptr(OutRow) row = all->len > 0 ? join_rows(all) : NULL;
    if (row && !sql_string(db, "SELECT role FROM job WHERE id = ?", &row->role, error, "i",
                           row->job.v))
        return false;
    *ret = g_steal_pointer(&row);
    return true;
}

bool
outbox_below(
    Db *db, const Viewer *viewer, const MsgQuery *q, OutId below, OutId *ret, GError **error)
{
    return sql_int(db,
                   "SELECT o.id FROM outbox o WHERE o.id < ?3 AND " VISIBLE
                   "AND (?4 IS NULL OR EXISTS "
                   "(SELECT 1 FROM job j WHERE j.id = o.job AND j.role = ?4)) "
                   "AND (?5 IS NULL OR EXISTS "
                   "(SELECT 1 FROM delivery d WHERE d.outbox = o.id AND d.state = ?5)) "
                   "AND (?6 = 0 OR o.created_us >= ?6) AND (?7 = 0 OR o.created_us < ?7) "
                   "ORDER BY o.id DESC LIMIT 1",
                   &ret->v, error, "nsissii", viewer->operator, viewer->role, below.v, q->role,
                   q->state, q->since_us, q->before_us);
}

bool
outbox_any_held(Db *db, bool *ret, GError **error)
{
    return sql_bool(db, "SELECT 1 FROM delivery WHERE state = 'held' LIMIT 1", ret, error, "");
}
