#include "base/banned.h"
#include "store/index_internal.h"
#include "store/query.h"

/* Takes what the words found from the store, as long as the viewer and the filter allow it. */
static bool
take_found(
    Db *db, const Viewer *viewer, const Query *q, MsgId id, GPtrArray *rows, GError **error)
{
    g_autoptr(MsgRow) row = NULL;

    if (!messages_load(db, viewer, id, &row, error))
        return false;
    if (row && query_takes(q, row))
        g_ptr_array_add(rows, g_steal_pointer(&row));
    return true;
}

static bool
search_words(
    Index *ix, Db *db, const Viewer *viewer, const Query *q, GPtrArray *rows, GError **error)
{
    sqlite3_stmt *st = NULL;
    int rc = SQLITE_DONE;

    if (sqlite3_prepare_v2(ix->handle,
                           "SELECT rowid FROM mail WHERE mail MATCH ? ORDER BY rowid DESC", -1,
                           &st, NULL) != SQLITE_OK)
        return index_failed(ix, error, "searching");
    sqlite3_bind_text(st, 1, q->words, -1, SQLITE_STATIC);
    bool ok = true;
    while (ok && rows->len < q->filter.limit && (rc = sqlite3_step(st)) == SQLITE_ROW)
        ok = take_found(db, viewer, q, (MsgId){sqlite3_column_int64(st, 0)}, rows, error);
    sqlite3_finalize(st);
    if (rc != SQLITE_ROW && rc != SQLITE_DONE)
        return index_failed(ix, error, "searching");
    return ok;
}

bool
index_search(Index *ix,
             Db *db,
             const Viewer *viewer,
             const char *query,
             unsigned limit,
             GPtrArray **ret_rows,
             GError **error)
{
    g_auto(Query) q;

    query_parse(query, &q);
    q.filter.limit = limit;
    if (!q.words)
        return messages_list(db, viewer, &q.filter, ret_rows, error);
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func((GDestroyNotify)msg_row_free);
    if (!index_reopen(ix, error) || !search_words(ix, db, viewer, &q, rows, error))
        return false;
    *ret_rows = g_steal_pointer(&rows);
    return true;
}
