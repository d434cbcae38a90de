#include "store/index/index_internal.h"
#include "store/mail/query.h"

/* A search. Mail that came and mail that we wrote are looked for apart, up to the limit each,
 * then put in one order. */
typedef struct Search {
    Index *ix;
    Db *db;
    const Viewer *viewer;
    Query q;
    GPtrArray *in, *out; /* of MsgRow, of OutRow, newest first */
    GHashTable *taken;   /* Message-IDs of in; borrowed */
} Search;

static void
search_clear(Search *s)
{
    query_clear(&s->q);
    g_ptr_array_unref(s->in);
    g_ptr_array_unref(s->out);
    g_hash_table_unref(s->taken);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Search, search_clear)

/* --- what is found is taken from the store, as far as the viewer and the filter allow it
 * --- */

/* Mail that a role had written before the store was made, and that came to another one, is
 * found there only; but who asks by place or state may mean this one alone. */
static bool
is_double(Search *s, const MsgRow *row, bool *ret, GError **error)
{
    const MsgQuery *f = &s->q.filter;

    *ret = false;
    return f->folder || f->role || f->state || strcmp(row->folder, "Sent") != 0 ||
           messages_came(s->db, s->viewer, row->msgid, ret, error);
}

static bool
add_in(Search *s, MsgRow *take_row, GError **error)
{
    g_autoptr(MsgRow) row = take_row;
    bool is_there;

    if (!is_double(s, row, &is_there, error))
        return false;
    if (!is_there)
        g_ptr_array_add(s->in, g_steal_pointer(&row));
    return true;
}

static bool
take_in(Search *s, int64_t id, GError **error)
{
    g_autoptr(MsgRow) row = NULL;

    if (!messages_load(s->db, s->viewer, (MsgId){id}, &row, error))
        return false;
    return !row || !query_takes(&s->q, row) || add_in(s, g_steal_pointer(&row), error);
}

/* A mail that was also taken in is there already, or is older than all that there is room
 * for. */
static bool
take_out(Search *s, int64_t id, GError **error)
{
    g_autoptr(OutRow) row = NULL;

    if (!outbox_whole(s->db, s->viewer, (OutId){id}, &row, error))
        return false;
    if (row && query_takes_out(&s->q, row) && !g_hash_table_contains(s->taken, row->msgid))
        g_ptr_array_add(s->out, g_steal_pointer(&row));
    return true;
}

/* --- by words --- */

/* True when there are letters or digits in a quoted part. FTS5 knows no other characters, and
 * finds nothing by a query without them. */
static bool
has_letters(const char *words)
{
    bool quoted = false;

    for (; *words; words = g_utf8_next_char(words)) {
        quoted ^= *words == '"';
        if (quoted && g_unichar_isalnum(g_utf8_get_char(words)))
            return true;
    }
    return false;
}

/* The words, of a role's search in mail of its own alone: what others have costs it no time.
 * Caller frees. */
static char *
match_text(const Search *s)
{
    if (s->viewer->operator || !has_letters(s->q.words))
        return g_strdup(s->q.words);
    g_autofree char *role = index_role_word(s->viewer->role);
    return g_strdup_printf("role : \"%s\" %s", role, s->q.words);
}

static bool
search_words(Search *s,
             const char *sql,
             const GPtrArray *rows,
             bool (*take)(Search *s, int64_t id, GError **error),
             GError **error)
{
    SqlStmt *st = sql_conn_get(&s->ix->conn, sql, NULL);
    g_autofree char *words = match_text(s);
    bool ok = true;
    int rc = 0;

    if (!st)
        return index_failed(s->ix, error, "searching");
    sql_bind(st, "s", words);
    while (ok && rows->len < s->q.filter.limit && (rc = sql_next(st, NULL)) == 1)
        ok = take(s, sql_col_int(st, 0), error);
    if (rc < 0)
        return index_failed(s->ix, error, "searching");
    sql_reset(st);
    return ok;
}

/* Page by page, since what is found twice leaves room. */
static bool
list_in(Search *s, GError **error)
{
    MsgQuery q = s->q.filter;
    guint n = q.limit;

    while (n == q.limit && s->in->len < q.limit) {
        g_autoptr(MsgRows) rows = NULL;

        if (!messages_list(s->db, s->viewer, &q, &rows, error))
            return false;
        n = rows->len;
        for (guint i = 0; i < n; i++) {
            MsgRow *row = g_steal_pointer(&g_ptr_array_index(rows, i));

            q.below_id = row->id.v;
            if (!add_in(s, row, error))
                return false;
        }
    }
    return true;
}

static bool
find_in(Search *s, GError **error)
{
    if (s->q.words)
        return search_words(s, "SELECT rowid FROM mail WHERE mail MATCH ? ORDER BY rowid DESC",
                            s->in, take_in, error);
    return list_in(s, error);
}

static bool
find_out(Search *s, GError **error)
{
    OutId id = {INT64_MAX};

    if (s->q.words)
        return search_words(s, "SELECT rowid FROM sent WHERE sent MATCH ? ORDER BY rowid DESC",
                            s->out, take_out, error);
    while (s->out->len < s->q.filter.limit) {
        if (!outbox_below(s->db, s->viewer, &s->q.filter, id, &id, error))
            return false;
        if (id.v == 0)
            break;
        if (!take_out(s, id.v, error))
            return false;
    }
    return true;
}

/* --- both --- */

void
index_hit_free(IndexHit *hit)
{
    msg_row_free(hit->in);
    out_row_free(hit->out);
    g_free(hit);
}

/* By the time at which each came or was written. */
static IndexHits *
join_hits(Search *s)
{
    IndexHits *hits = index_hits_new();
    guint i = 0, o = 0;

    while (hits->len < s->q.filter.limit && (i < s->in->len || o < s->out->len)) {
        MsgRow *in = i < s->in->len ? s->in->pdata[i] : NULL;
        OutRow *out = o < s->out->len ? s->out->pdata[o] : NULL;
        IndexHit *hit = g_new0(IndexHit, 1);

        if (!out || (in && in->received_us >= out->created_us))
            hit->in = g_steal_pointer(&s->in->pdata[i++]);
        else
            hit->out = g_steal_pointer(&s->out->pdata[o++]);
        index_hits_add(hits, hit);
    }
    return hits;
}

static void
search_init(Search *s, Index *ix, Db *db, const Viewer *viewer)
{
    *s = (Search){
        .ix = ix,
        .db = db,
        .viewer = viewer,
        .in = g_ptr_array_new_with_free_func((GDestroyNotify)msg_row_free),
        .out = g_ptr_array_new_with_free_func((GDestroyNotify)out_row_free),
        .taken = g_hash_table_new(g_str_hash, g_str_equal),
    };
}

static bool
search(Search *s, IndexHits **ret_hits, GError **error)
{
    if (!find_in(s, error))
        return false;
    for (guint i = 0; i < s->in->len; i++)
        g_hash_table_add(s->taken, ((MsgRow *)s->in->pdata[i])->msgid);
    if (!find_out(s, error))
        return false;
    *ret_hits = join_hits(s);
    return true;
}

bool
index_search(Index *ix,
             Db *db,
             const Viewer *viewer,
             const char *query,
             unsigned limit,
             IndexHits **ret_hits,
             GError **error)
{
    g_auto(Search) s;

    search_init(&s, ix, db, viewer);
    query_parse(query, &s.q);
    s.q.filter.limit = limit;
    return (!s.q.words || index_reopen(ix, error)) && search(&s, ret_hits, error);
}

bool
index_list(
    Db *db, const Viewer *viewer, const MsgQuery *q, IndexHits **ret_hits, GError **error)
{
    g_auto(Search) s;

    search_init(&s, NULL, db, viewer);
    s.q.filter = *q;
    return search(&s, ret_hits, error);
}
