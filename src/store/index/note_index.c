#include "store/index/note_index.h"
#include "base/banned.h"
#include "base/text.h"
#include "store/index/index_internal.h"
#include "store/mail/query.h"

/* A word in the key tells more than one in the text. */
#define RANK "bm25(note, 4.0, 1.0)"

static void
free_hit(gpointer data)
{
    NoteHit *hit = data;

    g_free(hit->key);
    g_free(hit->snippet);
    g_free(hit);
}

/* A statement that lives for one batch. */
static bool
prepare(Index *ix, const char *sql, sqlite3_stmt **ret, GError **error)
{
    return sqlite3_prepare_v2(ix->handle, sql, -1, ret, NULL) == SQLITE_OK ||
           index_failed(ix, error, "opening the search index");
}

static bool
finish_step(Index *ix, sqlite3_stmt *st, GError **error)
{
    bool ok = sqlite3_step(st) == SQLITE_DONE;

    if (!ok)
        index_failed(ix, error, "writing the search index");
    sqlite3_reset(st);
    sqlite3_clear_bindings(st);
    return ok;
}

typedef struct Feed {
    sqlite3_stmt *row, *take, *put;
} Feed;

static void
feed_clear(Feed *f)
{
    sqlite3_finalize(f->row);
    sqlite3_finalize(f->take);
    sqlite3_finalize(f->put);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Feed, feed_clear)

static bool
feed_prepare(Index *ix, Feed *f, GError **error)
{
    return prepare(ix,
                   "INSERT INTO note_row (key, version) VALUES (?, ?) "
                   "ON CONFLICT (key) DO UPDATE SET version = excluded.version",
                   &f->row, error) &&
           prepare(ix, "DELETE FROM note WHERE rowid = (SELECT id FROM note_row WHERE key = ?)",
                   &f->take, error) &&
           prepare(ix,
                   "INSERT INTO note (rowid, key, body) "
                   "SELECT id, key, ? FROM note_row WHERE key = ?",
                   &f->put, error);
}

/* The newest version in the place of the one before; nothing when it is deleted. */
static bool
feed_key(Index *ix, Db *db, Feed *f, const char *key, GError **error)
{
    const Viewer viewer = VIEWER_OPERATOR;
    g_autoptr(Note) note = NULL;

    if (!note_load(db, &viewer, key, 0, &note, error))
        return false;
    sqlite3_bind_text(f->take, 1, key, -1, SQLITE_STATIC);
    if (!finish_step(ix, f->take, error))
        return false;
    if (!note)
        return true;
    g_autofree char *text = note_text(note);
    sqlite3_bind_text(f->row, 1, key, -1, SQLITE_STATIC);
    sqlite3_bind_int64(f->row, 2, note->version);
    if (!finish_step(ix, f->row, error))
        return false;
    sqlite3_bind_text(f->put, 1, text, -1, SQLITE_STATIC);
    sqlite3_bind_text(f->put, 2, key, -1, SQLITE_STATIC);
    return finish_step(ix, f->put, error);
}

static bool
set_notes_mark(Index *ix, int64_t last, GError **error)
{
    sqlite3_stmt *st = NULL;
    bool ok = prepare(ix, "UPDATE mark SET notes = ?", &st, error);

    if (ok) {
        sqlite3_bind_int64(st, 1, last);
        ok = finish_step(ix, st, error);
    }
    sqlite3_finalize(st);
    return ok;
}

static bool
read_notes_mark(Index *ix, int64_t *ret, GError **error)
{
    return sql_pragma_int(ix->handle, "SELECT notes FROM mark", ret, NULL) ||
           index_failed(ix, error, "reading the search index");
}

/* Keys with versions behind the mark, up to `newest`. */
static bool
changed_keys(Db *db, int64_t mark, int64_t newest, GPtrArray **ret, GError **error)
{
    g_autoptr(GPtrArray) keys = g_ptr_array_new_with_free_func(g_free);
    sqlite3_stmt *st =
        sql_get(db, "SELECT DISTINCT key FROM note_version WHERE id > ? AND id <= ?", error);
    int rc = 0;

    if (!st)
        return false;
    sql_bind(st, "ii", mark, newest);
    while ((rc = sql_next(db, st, error)) == 1)
        g_ptr_array_add(keys, sql_text(st, 0));
    if (rc < 0)
        return false;
    *ret = g_steal_pointer(&keys);
    return true;
}

/* Between index_begin() and index_commit(): another process may have been faster. */
static bool
feed_changed(Index *ix, Db *db, int64_t newest, GError **error)
{
    g_autoptr(GPtrArray) keys = NULL;
    g_auto(Feed) feed = {0};
    int64_t mark;

    if (!read_notes_mark(ix, &mark, error) || !changed_keys(db, mark, newest, &keys, error) ||
        !feed_prepare(ix, &feed, error))
        return false;
    for (guint i = 0; i < keys->len; i++)
        if (!feed_key(ix, db, &feed, g_ptr_array_index(keys, i), error))
            return false;
    return set_notes_mark(ix, MAX(mark, newest), error);
}

bool
notes_index_follow(Index *ix, Db *db, GError **error)
{
    int64_t newest, mark;

    if (!index_reopen(ix, error) || !read_notes_mark(ix, &mark, error) ||
        !sql_int(db, "SELECT max(id) FROM note_version", 0, &newest, error, ""))
        return false;
    if (newest <= mark)
        return true;
    if (!index_begin(ix, error))
        return false;
    if (!feed_changed(ix, db, newest, error)) {
        index_roll_back(ix);
        return false;
    }
    return index_commit(ix, INDEX_IN, 0, error);
}

static NoteHit *
read_hit(sqlite3_stmt *st)
{
    NoteHit *hit = g_new0(NoteHit, 1);
    g_autofree char *snippet = sql_text(st, 2);
    g_auto(GStrv) words = g_strsplit_set(snippet, " \t\r\n\v\f", -1);
    GString *line = g_string_new(NULL);

    hit->key = sql_text(st, 0);
    hit->version = sqlite3_column_int64(st, 1);
    for (char **w = words; *w; w++) {
        if (**w)
            g_string_append_printf(line, "%s%s", line->len ? " " : "", *w);
    }
    hit->snippet = g_string_free(line, FALSE);
    return hit;
}

/* What the viewer may not see is passed over, and does not count for the limit. */
static bool
search_words(
    Index *ix, Db *db, const NoteQuery *q, const char *words, GPtrArray *hits, GError **error)
{
    sqlite3_stmt *st = NULL;
    int rc = SQLITE_DONE;

    if (!prepare(ix,
                 "SELECT r.key, r.version, snippet(note, 1, '', '', '…', 16) FROM note "
                 "JOIN note_row r ON r.id = note.rowid WHERE note MATCH ? "
                 "ORDER BY " RANK ", r.key LIMIT ?",
                 &st, error))
        return false;
    sqlite3_bind_text(st, 1, words, -1, SQLITE_STATIC);
    sqlite3_bind_int64(st, 2, q->viewer->operator? (int64_t)q->limit : - 1);
    while (hits->len < q->limit && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        if (viewer_sees_note(db, q->viewer, (const char *)sqlite3_column_text(st, 0)))
            g_ptr_array_add(hits, read_hit(st));
    }
    bool ok = rc == SQLITE_DONE || rc == SQLITE_ROW || index_failed(ix, error, "searching");
    sqlite3_finalize(st);
    return ok;
}

bool
notes_index_search(Index *ix, Db *db, const NoteQuery *q, GPtrArray **ret, GError **error)
{
    g_autofree char *words = query_words(q->words);
    g_autoptr(GPtrArray) hits = g_ptr_array_new_with_free_func(free_hit);

    if (words && (!index_reopen(ix, error) || !search_words(ix, db, q, words, hits, error)))
        return false;
    *ret = g_steal_pointer(&hits);
    return true;
}
