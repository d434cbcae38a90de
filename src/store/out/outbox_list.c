#include "base/banned.h"
#include "base/text.h"
#include "store/mail/mailboxes.h"
#include "store/mail/messages.h"
#include "store/out/outbox.h"
#include "store/sql.h"
#include <inttypes.h>

/* The outbox as others see it: names, rows, lists. Nothing here writes. */

#define DEFAULT_LIMIT 50
#define FILE_NAME_MAX 200

static const char *const state_names[] = {"waiting", "ready",    "sending", "sent",
                                          "retry",   "in_doubt", "held",    "failed"};
_Static_assert(G_N_ELEMENTS(state_names) == OUT_N_STATES, "name every OutState");

const char *
out_state_name(OutState s)
{
    g_assert((unsigned)s < OUT_N_STATES);
    return state_names[s];
}

bool
out_state_parse(const char *name, OutState *ret)
{
    for (int s = 0; s < OUT_N_STATES; s++) {
        if (strcmp(name, state_names[s]) == 0) {
            *ret = (OutState)s;
            return true;
        }
    }
    return false;
}

/* An unknown word is shown as held: nothing that we do not understand leaves. */
static OutState
read_state(const char *name)
{
    OutState s;

    return out_state_parse(name, &s) ? s : OUT_HELD;
}

void
out_row_free(OutRow *r)
{
    if (!r)
        return;
    g_free(r->msgid);
    g_free(r->from);
    g_free(r->address);
    g_free(r->mailbox);
    g_free(r->folder);
    g_free(r->flags);
    g_free(r->subject);
    g_free(r->why);
    g_free(r->account);
    g_free(r->role);
    g_clear_pointer(&r->bytes, g_bytes_unref);
    g_free(r);
}

static void
free_element(gpointer row)
{
    out_row_free(row);
}

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

#define FLOOR "coalesce(o.floor, o.level)"
/* Of delivery d and its outbox o; the bytes come last. */
#define COLUMNS                                                                                \
    "o.id, d.id, o.job, d.state, d.attempts, o.round, o.step, o.level, o.msgid, o.from_spec, " \
    "d.address, d.mailbox, d.folder, d.flags, o.subject, d.why, o.created_us, "                \
    "wall(d.next_us), "                                                                        \
    "o.question, d.affinity, " FLOOR ", wall(o.since_us), "

static Trust
read_floor(SqlStmt *st, int column)
{
    Trust floor;

    return trust_parse(sql_col_text(st, column), &floor) ? floor : TRUST_ANYONE;
}

static OutRow *
read_row(SqlStmt *st)
{
    OutRow *r = g_new0(OutRow, 1);
    g_autofree char *state = sql_text(st, 3);
    g_autofree char *level = sql_text(st, 7);

    r->id.v = sql_col_int(st, 0);
    r->delivery = sql_col_int(st, 1);
    r->job.v = sql_col_int(st, 2);
    r->state = read_state(state);
    r->attempts = (int)sql_col_int(st, 4);
    r->round = (int)sql_col_int(st, 5);
    r->step = (int)sql_col_int(st, 6);
    if (!trust_parse(level, &r->level))
        r->level = TRUST_ANYONE;
    r->msgid = sql_text(st, 8);
    r->from = sql_text(st, 9);
    r->address = sql_text(st, 10);
    r->mailbox = sql_text_null(st, 11);
    r->folder = sql_text(st, 12);
    r->flags = sql_text_null(st, 13);
    r->subject = sql_text(st, 14);
    r->why = sql_text_null(st, 15);
    r->created_us = sql_col_int(st, 16);
    r->next_us = sql_col_int(st, 17);
    r->question.v = sql_col_int(st, 18); /* 0 for NULL */
    r->account = sql_text(st, 19);
    r->floor = read_floor(st, 20);
    r->since_us = sql_col_int(st, 21);
    r->bytes = sql_bytes(st, 22);
    return r;
}

static bool
read_rows(Db *db, SqlStmt *st, OutRows **ret_rows, GError **error)
{
    g_autoptr(OutRows) rows = out_rows_new();
    int rc = 0;

    while ((rc = sql_next(st, error)) == 1)
        out_rows_add(rows, read_row(st));
    if (rc < 0)
        return false;
    *ret_rows = g_steal_pointer(&rows);
    return true;
}

static bool
read_first(Db *db, SqlStmt *st, OutRow **ret, GError **error)
{
    g_autoptr(OutRows) rows = NULL;

    if (!read_rows(db, st, &rows, error))
        return false;
    *ret = rows->len > 0 ? g_ptr_array_steal_index(LIST_ARRAY(rows), 0) : NULL;
    return true;
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
    SqlStmt *st = sql_get(db,
                          "SELECT " COLUMNS "o.bytes FROM delivery d "
                          "CROSS JOIN outbox o ON o.id = d.outbox "
                          "WHERE " DUE "AND (d.mailbox IS NOT NULL) = ? "
                          "AND (d.mailbox IS NOT NULL OR d.folder = '') "
                          "AND " MAY_LEAVE "ORDER BY d.next_us, d.id LIMIT ?",
                          error);

    if (!st)
        return false;
    sql_bind(st, "iii", now_us, (int64_t)local, (int64_t)max);
    return read_rows(db, st, ret_rows, error);
}

/* On a server lies only what has left: a copy in Sent tells the truth. */
#define FILES                                                                                  \
    "d.affinity = ? AND d.mailbox IS NULL AND d.folder <> '' AND (EXISTS "                     \
    "(SELECT 1 FROM delivery e WHERE e.outbox = d.outbox AND e.state = 'sent' "                \
    "AND e.folder = '') OR NOT EXISTS "                                                        \
    "(SELECT 1 FROM delivery e WHERE e.outbox = d.outbox AND e.folder = '')) "

bool
outbox_due_files(Db *db,
                 const char *account,
                 int64_t now_us,
                 unsigned max,
                 OutRows **ret_rows,
                 GError **error)
{
    SqlStmt *st = sql_get(db,
                          "SELECT " COLUMNS "o.bytes FROM delivery d "
                          "CROSS JOIN outbox o ON o.id = d.outbox "
                          "WHERE " DUE "AND " FILES "AND " NOTHING_HELD
                          "ORDER BY d.next_us, d.id LIMIT ?",
                          error);

    if (!st)
        return false;
    sql_bind(st, "isi", now_us, account, (int64_t)max);
    return read_rows(db, st, ret_rows, error);
}

bool
outbox_next_file(Db *db, const char *account, int64_t *ret_us, GError **error)
{
    return sql_int(db,
                   "SELECT wall(min(d.next_us)) FROM delivery d "
                   "WHERE d.state IN ('ready', 'retry') AND " FILES "AND " NOTHING_HELD,
                   USEC_NEVER, ret_us, error, "s", account);
}

bool
outbox_find_local(Db *db, OutId id, const char *mailbox, OutRow **ret, GError **error)
{
    SqlStmt *st =
        sql_get(db,
                "SELECT " COLUMNS "o.bytes FROM outbox o JOIN delivery d ON d.outbox = o.id "
                "WHERE o.id = ? AND d.mailbox = ? AND d.folder = '' LIMIT 1",
                error);

    if (!st)
        return false;
    sql_bind(st, "is", id.v, mailbox);
    return read_first(db, st, ret, error);
}

bool
outbox_count_due(Db *db, int64_t now_us, unsigned *ret_n, GError **error)
{
    int64_t n = 0;

    if (!sql_int(db, "SELECT count(*) FROM delivery d WHERE " DUE "AND " MAY_LEAVE, 0, &n,
                 error, "i", now_us))
        return false;
    *ret_n = (unsigned)n;
    return true;
}

bool
outbox_is_due(Txn *txn, int64_t delivery, bool *ret, GError **error)
{
    int64_t found = 0;

    if (!sql_int(txn->db,
                 "SELECT 1 FROM delivery d WHERE d.id = ? AND d.state IN ('ready', 'retry') "
                 "AND " MAY_LEAVE,
                 0, &found, error, "i", delivery))
        return false;
    *ret = found != 0;
    return true;
}

bool
outbox_sent_if_due(Txn *txn, int64_t delivery, bool *ret, GError **error)
{
    int changed = 0;
    bool ok = sql_run(txn,
                      "UPDATE delivery AS d SET state = 'sent', why = NULL "
                      "WHERE d.id = ? AND d.state IN ('ready', 'retry') AND " MAY_LEAVE,
                      &changed, error, "i", delivery);

    *ret = ok && changed > 0;
    return ok;
}

/* Nothing is wider than the viewer: operator, or the role of the mail's job. */
#define VISIBLE "(?1 OR EXISTS (SELECT 1 FROM job j WHERE j.id = o.job AND j.role = ?2)) "

/* The numbers between which the mails of a query lie, so that not all are looked at. */
static bool
find_range(Db *db, const OutQuery *q, int64_t *ret_low, int64_t *ret_high, GError **error)
{
    *ret_low = q->id.v;
    *ret_high = q->id.v ? q->id.v : INT64_MAX;
    if (q->id.v != 0 || q->job.v == 0)
        return true;
    return sql_int(db, "SELECT min(id) FROM outbox WHERE job = ? AND job <> 0", INT64_MAX,
                   ret_low, error, "i", q->job.v) &&
           sql_int(db, "SELECT max(id) FROM outbox WHERE job = ? AND job <> 0", 0, ret_high,
                   error, "i", q->job.v);
}

bool
outbox_list(Db *db, const Viewer *viewer, const OutQuery *q, OutRows **ret_rows, GError **error)
{
    int64_t low = 0, high = 0;

    if (!find_range(db, q, &low, &high, error))
        return false;
    SqlStmt *st =
        sql_get(db,
                "SELECT " COLUMNS "NULL FROM delivery d CROSS JOIN outbox o ON o.id = d.outbox "
                "WHERE d.outbox >= ?7 AND d.outbox <= ?8 AND " VISIBLE
                "AND (?3 IS NULL OR d.state = ?3) "
                "AND (?4 OR ?3 IS NOT NULL OR d.state <> 'sent') "
                "AND (?5 OR (d.folder <> 'Sent' AND (d.mailbox IS NOT NULL OR d.folder = ''))) "
                "AND (?6 = 0 OR o.job = ?6) "
                "ORDER BY d.outbox DESC, d.id DESC LIMIT ?9",
                error);
    if (!st)
        return false;
    sql_bind(st, "issiiiiii", (int64_t)viewer->operator, viewer->role, q->state,
             (int64_t)q->all, (int64_t)q->copies, q->job.v, low, high,
             (int64_t)(q->limit ? q->limit : DEFAULT_LIMIT));
    return read_rows(db, st, ret_rows, error);
}

/* The number in an id that we minted, generation.NUMBER.tag@domain; 0: not one of ours. */
static int64_t
number_of(const char *msgid)
{
    g_auto(GStrv) parts = g_strsplit(msgid, ".", 3);
    int64_t number = 0;

    if (g_strv_length(parts) != 3 || !text_parse_int(parts[1], 1, INT64_MAX, &number))
        return 0;
    return number;
}

bool
outbox_find(Db *db, const Viewer *viewer, const char *msgid, OutRow **ret, GError **error)
{
    SqlStmt *st =
        sql_get(db,
                "SELECT " COLUMNS "o.bytes FROM outbox o JOIN delivery d ON d.outbox = o.id "
                "WHERE " VISIBLE "AND ((o.id = ?3 AND o.msgid = ?4) OR "
                "o.id = (SELECT outbox FROM renamed WHERE id = ?4)) "
                "ORDER BY d.folder = 'Sent', d.id LIMIT 1",
                error);

    if (!st)
        return false;
    sql_bind(st, "isis", (int64_t)viewer->operator, viewer->role, number_of(msgid), msgid);
    return read_first(db, st, ret, error);
}

bool
outbox_floor(Db *db, const Viewer *viewer, const char *msgid, Trust *ret, GError **error)
{
    SqlStmt *st = sql_get(
        db, "SELECT " FLOOR " FROM outbox o WHERE " VISIBLE "AND o.id = ?3 AND o.msgid = ?4",
        error);
    int rc;

    *ret = TRUST_OPERATOR;
    if (!st)
        return false;
    sql_bind(st, "isis", (int64_t)viewer->operator, viewer->role, number_of(msgid), msgid);
    while ((rc = sql_next(st, error)) == 1)
        *ret = read_floor(st, 0);
    return rc == 0;
}

bool
outbox_load(Db *db, OutId id, OutRow **ret, GError **error)
{
    SqlStmt *st =
        sql_get(db,
                "SELECT " COLUMNS "o.bytes FROM outbox o JOIN delivery d ON d.outbox = o.id "
                "WHERE o.id = ? ORDER BY d.folder = 'Sent', d.id LIMIT 1",
                error);

    if (!st)
        return false;
    sql_bind(st, "i", id.v);
    return read_first(db, st, ret, error);
}

/* --- a mail as a whole --- */

/* Not a copy in Sent, and not what an account files on its server. */
static bool
is_recipient(const OutRow *r)
{
    return strcmp(r->folder, "Sent") != 0 && (r->mailbox || !*r->folder);
}

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

/* Of one mail's rows the one whose state counts for all, with the addresses of all. */
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

static bool
read_role(Db *db, OutRow *row, GError **error)
{
    SqlStmt *st = sql_get(db, "SELECT role FROM job WHERE id = ?", error);
    int rc;

    if (!st)
        return false;
    sql_bind(st, "i", row->job.v);
    while ((rc = sql_next(st, error)) == 1)
        row->role = sql_text(st, 0);
    return rc == 0;
}

bool
outbox_whole(Db *db, const Viewer *viewer, OutId id, OutRow **ret, GError **error)
{
    const OutQuery q = {.id = id, .all = true, .copies = true, .limit = UINT_MAX};
    g_autoptr(OutRows) rows = NULL;
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(free_element);

    if (!outbox_list(db, viewer, &q, &rows, error))
        return false;
    for (guint i = rows->len; i-- > 0;) { /* newest first: turned round */
        if (is_recipient(rows->pdata[i]))
            g_ptr_array_add(all, g_ptr_array_steal_index(LIST_ARRAY(rows), i));
    }
    if (all->len == 0 && rows->len > 0) /* only ever filed */
        g_ptr_array_add(all, g_ptr_array_steal_index(LIST_ARRAY(rows), rows->len - 1));
    g_autoptr(OutRow) row = all->len > 0 ? join_rows(all) : NULL;
    if (row && !read_role(db, row, error))
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
                   0, &ret->v, error, "isissii", (int64_t)viewer->operator, viewer->role,
                   below.v, q->role, q->state, q->since_us, q->before_us);
}
