#include "store/mail/messages.h"
#include "store/rows.h"
#include "store/spaces.h"

#define LIST_LIMIT 50

/*
 * Every combination of wishes has its own best index, so the text is put together from constant
 * pieces; the data only ever goes in by binding.
 */
typedef struct Where {
    GString *sql;
    struct {
        const char *text; /* NULL: the number */
        int64_t number;
    } marks[16];
    int n;
} Where;

static void
add_mark(Where *w, const char *term, const char *text, int64_t number)
{
    g_assert(w->n < (int)G_N_ELEMENTS(w->marks));
    g_string_append(w->sql, term);
    w->marks[w->n].text = text;
    w->marks[w->n++].number = number;
}

static void
and_text(Where *w, const char *term, const char *value)
{
    if (value)
        add_mark(w, term, value, 0);
}

static void
and_number(Where *w, const char *term, int64_t value)
{
    if (value != 0)
        add_mark(w, term, NULL, value);
}

/* A role alone is no reason to leave the order of ids, which is the order of the list: the plus
 * keeps SQLite from gathering and sorting all mail of the role. */
static void
and_role(Where *w, const char *role, const MsgQuery *q)
{
    and_text(w, q->folder ? " AND role = ?" : " AND +role = ?", role);
}

/* A role may see its own mailbox, except for mail that came by a space that the role has
 * left. */
#define LETS SPACE_LETS("message.space", "message.role")
#define VISIBLE_TO(all, viewer) "(" all " OR (role = " viewer " AND " LETS ")) "
/* A mail of somebody else's is to cost as much time as one that is not there: by the index, so
 * that its row is not read. */
#define FIND(who)                                                                              \
    "FROM message WHERE msgid = ?1 AND " who                                                   \
    " ORDER BY folder = 'Sent', job = 0 AND state <> 'handled', id DESC LIMIT 1"

/* Adds the conditions of the viewer. A viewer that is neither the operator nor a role sees no
 * mail. */
static void
and_viewer(Where *w, const Viewer *viewer, const MsgQuery *q)
{
    if (viewer->operator)
        return;
    and_role(w, viewer->role, q);
    g_string_append(w->sql, " AND " LETS);
    if (!viewer->role)
        g_string_append(w->sql, " AND false");
}

/* The condition of the index message_aside must stand in the text, else it is not used. */
#define IS_ASIDE " AND state NOT IN ('stored', 'shown', 'handled')"

static bool
is_aside(MsgState state)
{
    return state != MSG_STORED && state != MSG_SHOWN && state != MSG_HANDLED;
}

static void
and_state(Where *w, const char *name)
{
    MsgState state;

    and_text(w, " AND state = ?", name);
    if (msg_state_parse(name, &state) && is_aside(state))
        g_string_append(w->sql, IS_ASIDE);
}

/* Mail without a date has the one at which it came. */
#define DATED "coalesce(NULLIF(date_us, 0), received_us)"

/* joined: the thread is one of several that are one. */
static void
and_query(Where *w, const MsgQuery *q, bool joined)
{
    and_role(w, q->role, q);
    and_text(w, " AND folder = ?", q->folder);
    and_state(w, q->state);
    and_number(w, " AND " DATED " >= ?", q->since_us);
    and_number(w, " AND " DATED " < ?", q->before_us);
    and_number(w, " AND id < ?", q->below_id);
    and_text(w, " AND space IS NOT NULL AND space = ?", q->space);
    and_number(w, " AND job <> 0 AND job = ?", q->job.v);
    and_number(w, " AND step = ?", q->step);
    and_number(w,
               joined ? " AND thread IN (SELECT id FROM thread, "
                        "(SELECT coalesce(into_thread, id) AS root FROM thread WHERE id = ?) "
                        "WHERE id = root OR into_thread = root)"
                      : " AND thread = ?",
               q->thread.v);
    if (q->open_only)
        g_string_append(w->sql, " AND state IN ('stored', 'shown', 'held')");
    if (q->history_only)
        g_string_append(w->sql, " AND class = 'history' AND job = 0");
    if (q->taken_in)
        g_string_append(w->sql, " AND folder <> 'Sent'");
    g_string_append(w->sql, q->oldest_first ? " ORDER BY id" : " ORDER BY id DESC");
}

/* There are few shapes of a query, and every step asks by the same one: each is prepared
 * once. */
static SqlStmt *
where_prepare(const Where *w, Db *db, GError **error)
{
    SqlStmt *st = rows_get(db, &msg_row_shape, g_intern_string(w->sql->str), error);

    if (!st)
        return NULL;
    for (int i = 0; i < w->n; i++) {
        if (w->marks[i].text)
            sql_bind_text(st, i + 1, w->marks[i].text);
        else
            sql_bind_int(st, i + 1, w->marks[i].number);
    }
    return st;
}

/* Contains, in any case; want is folded already. SQLite folds ASCII only. */
static bool
contains(const char *text, const char *want)
{
    g_autofree char *folded = g_utf8_casefold(text, -1);

    return strstr(folded, want) != NULL;
}

static bool
matches(const MsgRow *row, const char *from, const char *subject)
{
    if (from && !contains(row->from, from) && !contains(row->from_name, from))
        return false;
    return !subject || contains(row->subject, subject);
}

static bool
read_matching(SqlStmt *st, const MsgQuery *q, MsgRows *rows, GError **error)
{
    g_autofree char *from = q->from ? g_utf8_casefold(q->from, -1) : NULL;
    g_autofree char *subject = q->subject ? g_utf8_casefold(q->subject, -1) : NULL;
    unsigned limit = q->limit ? q->limit : LIST_LIMIT;
    int rc = 0;

    while (rows->len < limit && (rc = sql_next(st, error)) == 1) {
        g_autoptr(MsgRow) row = rows_read(&msg_row_shape, st);

        if (matches(row, from, subject))
            msg_rows_add(rows, g_steal_pointer(&row));
    }
    return rc >= 0;
}

/* Was this thread joined to another, or another to this? Few are, and for any other thread SQLite need not
 * gather the numbers of threads first. */
static bool
is_joined(Db *db, ThreadId thread, bool *ret, GError **error)
{
    *ret = false;
    return thread.v == 0 ||
           sql_bool(db,
                    "SELECT EXISTS (SELECT 1 FROM thread WHERE id = ?1 AND into_thread IS NOT NULL) "
                    "OR EXISTS (SELECT 1 FROM thread WHERE into_thread = ?1)",
                    ret, error, "i", thread.v);
}

bool
messages_list(
    Db *db, const Viewer *viewer, const MsgQuery *q, MsgRows **ret_rows, GError **error)
{
    g_autoptr(MsgRows) rows = msg_rows_new();
    bool joined;
    g_autoptr(GString) sql = g_string_new("FROM message WHERE true");
    Where w = {.sql = sql};

    if (!is_joined(db, q->thread, &joined, error))
        return false;
    and_viewer(&w, viewer, q);
    and_query(&w, q, joined);
    SqlStmt *st = where_prepare(&w, db, error);
    if (!st)
        return false;
    bool ok = read_matching(st, q, rows, error);
    sql_reset(st);
    if (ok)
        *ret_rows = g_steal_pointer(&rows);
    return ok;
}

bool
messages_find(Db *db, const Viewer *viewer, const char *msgid, MsgRow **ret, GError **error)
{
    if (viewer->operator)
        return rows_first(db, &msg_row_shape, FIND("true"), ret, error, "s", msgid);
    return rows_first(db, &msg_row_shape, FIND("role = ?2 AND " LETS), ret, error, "ss", msgid,
                      viewer->role);
}

bool
messages_load(Db *db, const Viewer *viewer, MsgId id, MsgRow **ret, GError **error)
{
    return rows_first(db, &msg_row_shape, "FROM message WHERE id = ?1 AND " VISIBLE_TO("?2", "?3"),
                      ret, error, "ins", id.v, viewer->operator, viewer->role);
}

bool
messages_came(Db *db, const Viewer *viewer, const char *msgid, bool *ret, GError **error)
{
    return sql_bool(
        db,
        "SELECT EXISTS (SELECT 1 FROM message WHERE msgid = ?1 AND folder <> 'Sent' "
        "AND " VISIBLE_TO("?2", "?3") ")",
        ret, error, "sns", msgid, viewer->operator, viewer->role);
}

/* In the alphabet nothing stands between the two states, and SQLite makes no table of them for a range
 * of the index, as it does for IN. */
bool
messages_open(Db *db, JobId job, MsgRows **ret_rows, GError **error)
{
    return rows_list(db, &msg_row_shape,
                     "FROM message WHERE job = ? AND job <> 0 "
                     "AND state BETWEEN 'shown' AND 'stored' ORDER BY id",
                     ret_rows, error, "i", job.v);
}

bool
messages_count_open(Db *db, JobId job, unsigned *ret_n, GError **error)
{
    return sql_count(db,
                     "SELECT count(*) FROM message WHERE job = ? AND job <> 0 "
                     "AND state IN ('stored', 'shown')",
                     ret_n, error, "i", job.v);
}

#define COUNT_STATE                                                                            \
    "SELECT count(*) FROM message WHERE state = ?1 AND "                                       \
    "(?2 IS NULL OR substr(why, 1, length(?2)) = ?2)"

bool
messages_count_state(
    Db *db, MsgState state, const char *why_prefix, int64_t *ret_n, GError **error)
{
    return sql_int(db, is_aside(state) ? COUNT_STATE IS_ASIDE : COUNT_STATE, ret_n, error, "ss",
                   msg_state_name(state), why_prefix);
}

static void
add_trace(TraceRows *rows, int64_t at_us, char *take_what, char *take_why)
{
    TraceRow *t = g_new0(TraceRow, 1);

    *t = (TraceRow){.at_us = at_us, .what = take_what, .why = take_why};
    trace_rows_add(rows, t);
}

/* Its coming is told by the row itself. */
static bool
add_arrival(Db *db, MsgId id, TraceRows *rows, GError **error)
{
    g_autoptr(MsgRow) row = NULL;

    if (!messages_load(db, &VIEWER_OPERATOR, id, &row, error))
        return false;
    bool low = row && row->floor < row->trust;
    if (row)
        add_trace(rows, row->received_us, g_strdup("received"),
                  g_strdup_printf("%s, trust %s%s%s, now %s", msg_class_name(row->class),
                                  trust_name(row->trust), low ? ", text " : "",
                                  low ? trust_name(row->floor) : "",
                                  msg_state_name(row->state)));
    return true;
}

#define COPIES_TRACED 10
#define COPIES_OF                                                                              \
    "SELECT at_us AS at, 'the same mail again: ' || file AS why FROM copy WHERE message = ?1 " \
    "UNION ALL SELECT o.received_us, 'mail ' || o.id || ' has the same Message-ID: ' || "      \
    "o.state || coalesce(', ' || o.why, '') FROM message m JOIN message o "                    \
    "ON o.msgid = m.msgid AND o.role = m.role AND o.id <> m.id WHERE m.id = ?1"

/* A line for each of the first ten files or mails that came under the same id, then a count. */
static bool
add_copies(Db *db, MsgId id, TraceRows *rows, GError **error)
{
    g_autoptr(TraceRows) copies = NULL;
    int64_t last_us;
    unsigned all;

    if (!rows_list(db, &trace_row_shape,
                   "FROM (SELECT at AS at_us, 'copy' AS what, why FROM (" COPIES_OF
                   ") AS c ORDER BY at, why LIMIT ?2) AS trace",
                   &copies, error, "in", id.v, COPIES_TRACED) ||
        !sql_count(db, "SELECT count(*) FROM (" COPIES_OF ") AS c", &all, error, "i", id.v) ||
        !sql_int(db, "SELECT max(at) FROM (" COPIES_OF ") AS c", &last_us, error, "i", id.v))
        return false;
    guint n = copies->len;
    g_ptr_array_extend_and_steal(LIST_ARRAY(rows), LIST_ARRAY(g_steal_pointer(&copies)));
    if (all > n)
        add_trace(rows, last_us, g_strdup("copies"), g_strdup_printf("%u more", all - n));
    return true;
}

bool
messages_trace_list(Db *db, MsgId id, TraceRows **ret_rows, GError **error)
{
    g_autoptr(TraceRows) rows = trace_rows_new(), told = NULL;

    if (!add_arrival(db, id, rows, error) ||
        !rows_list(db, &trace_row_shape, "FROM trace WHERE message = ? ORDER BY id", &told,
                   error, "i", id.v))
        return false;
    g_ptr_array_extend_and_steal(LIST_ARRAY(rows), LIST_ARRAY(g_steal_pointer(&told)));
    if (!add_copies(db, id, rows, error))
        return false;
    *ret_rows = g_steal_pointer(&rows);
    return true;
}
