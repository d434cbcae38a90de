#include "store/index/note_index.h"
#include "store/index/index_internal.h"
#include "store/mail/query.h"
#include "store/spaces.h"

/* A word in the key tells more than one in the text. */
#define RANK "bm25(note, 4.0, 1.0, 0.0)"

/* The folder that the key is in as one word, of a space its own; "" where it is in none. Caller
 * frees. */
static char *
place_of(const char *key)
{
    bool space = g_str_has_prefix(key, NOTE_SPACES);
    const char *slash = strchr(space ? key + strlen(NOTE_SPACES) : key, '/');
    g_autofree char *folder = slash ? g_strndup(key, (gsize)(slash - key)) : NULL;

    return folder ? index_role_word(folder) : g_strdup("");
}

/* The newest version in the place of the one before; nothing when it is deleted. */
static bool
feed_key(Index *ix, Db *db, const char *key, GError **error)
{
    g_autoptr(Note) note = NULL;

    if (!note_load(db, &VIEWER_OPERATOR, key, 0, &note, error))
        return false;
    bool ok = sql_conn_run(
        &ix->conn, "DELETE FROM note WHERE rowid = (SELECT id FROM note_row WHERE key = ?)",
        NULL, "s", key);
    if (ok && note) {
        g_autofree char *text = note_text(note), *place = place_of(key);

        ok = sql_conn_run(&ix->conn,
                          "INSERT INTO note_row (key, version) VALUES (?, ?) "
                          "ON CONFLICT (key) DO UPDATE SET version = excluded.version",
                          NULL, "si", key, note->version) &&
             sql_conn_run(&ix->conn,
                          "INSERT INTO note (rowid, key, body, place) "
                          "SELECT id, key, ?, ? FROM note_row WHERE key = ?",
                          NULL, "sss", text, place, key);
    }
    return ok || index_failed(ix, error, "writing the search index");
}

#define NOTES_MARK "SELECT notes FROM mark"

/* Between index_begin() and index_commit(): another process may have been faster. */
static bool
feed_changed(Index *ix, Db *db, int64_t newest, GError **error)
{
    g_autoptr(GPtrArray) keys = NULL;
    int64_t mark;

    if (!index_number(ix, NOTES_MARK, &mark, error) ||
        !sql_strings(db, "SELECT DISTINCT key FROM note_version WHERE id > ? AND id <= ?",
                     &keys, error, "ii", mark, newest))
        return false;
    for (guint i = 0; i < keys->len; i++)
        if (!feed_key(ix, db, g_ptr_array_index(keys, i), error))
            return false;
    return sql_conn_run(&ix->conn, "UPDATE mark SET notes = ?", NULL, "i", MAX(mark, newest)) ||
           index_failed(ix, error, "writing the search index");
}

bool
notes_index_follow(Index *ix, Db *db, GError **error)
{
    int64_t newest, mark;

    if (!index_reopen(ix, error) || !index_number(ix, NOTES_MARK, &mark, error) ||
        !sql_int(db, "SELECT max(id) FROM note_version", &newest, error, ""))
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
read_hit(SqlStmt *st)
{
    NoteHit *hit = g_new0(NoteHit, 1);
    g_autofree char *snippet = sql_text(st, 2);
    g_auto(GStrv) words = text_words(snippet, " \t\r\n\v\f");

    hit->key = sql_text(st, 0);
    hit->version = sql_col_int(st, 1);
    hit->snippet = g_strjoinv(" ", words);
    return hit;
}

static void
add_place(GString *places, const char *folder)
{
    g_autofree char *word = index_role_word(folder);

    g_string_append_printf(places, "%s\"%s\"", places->len ? " OR " : "", word);
}

static bool
shares_some(const Config *config, const char *role)
{
    for (const char *const *shared = config->notes_shared; *shared; shared++) {
        if (note_is_beneath(*shared, role))
            return true;
    }
    return false;
}

/* The words, without the folders of others as a whole: what lies there costs a role's search
 * next to nothing. *ret NULL: no words. */
static bool
match_text(Db *db, const Viewer *viewer, const char *words, char **ret, GError **error)
{
    const Config *config = db_home(db)->config;
    g_autoptr(GString) places = g_string_new(NULL);
    g_autoptr(Spaces) spaces = NULL;

    for (unsigned i = 0; !viewer->operator && config && i < config->n_roles; i++) {
        const ConfRole *role = &config->roles[i];
        if (!role->person && g_strcmp0(role->name, viewer->role) != 0 &&
            !shares_some(config, role->name))
            add_place(places, role->name);
    }
    if (!viewer->operator && !spaces_list(db, NULL, &spaces, error))
        return false;
    for (guint i = 0; spaces && i < spaces->len; i++) {
        const Space *space = spaces->pdata[i];
        g_autofree char *folder = g_strconcat(NOTE_SPACES, space->name, NULL);
        bool member = false;
        if (viewer->role && !space_has(db, space->name, viewer->role, &member, error))
            return false;
        if (!member)
            add_place(places, folder);
    }
    *ret = places->len ? g_strdup_printf("(%s) NOT place : (%s)", words, places->str)
                       : g_strdup(words);
    return true;
}

/* Searches notes. A note that the viewer may not see is passed over, and does not count for the
 * limit. */
static bool
search_words(
    Index *ix, Db *db, const NoteQuery *q, const char *words, NoteHits *hits, GError **error)
{
    SqlStmt *st =
        sql_conn_get(&ix->conn,
                     "SELECT r.key, r.version, snippet(note, 1, '', '', '…', 16) FROM note "
                     "JOIN note_row r ON r.id = note.rowid WHERE note MATCH ? "
                     "ORDER BY " RANK ", r.key LIMIT ?",
                     NULL);
    int rc = 0;

    if (!st)
        return index_failed(ix, error, "opening the search index");
    sql_bind(st, "si", words, q->viewer->operator? (int64_t)q->limit : (int64_t)-1);
    while (hits->len < q->limit && (rc = sql_next(st, NULL)) == 1) {
        if (viewer_sees_note(db, q->viewer, sql_col_text(st, 0)))
            note_hits_add(hits, read_hit(st));
    }
    if (rc < 0)
        return index_failed(ix, error, "searching");
    sql_reset(st);
    return true;
}

bool
notes_index_search(Index *ix, Db *db, const NoteQuery *q, NoteHits **ret, GError **error)
{
    g_autofree char *words = query_words(q->words);
    g_autoptr(NoteHits) hits = note_hits_new();
    g_autofree char *match = NULL;

    if (words && (!match_text(db, q->viewer, words, &match, error) || !index_reopen(ix, error) ||
                  !search_words(ix, db, q, match, hits, error)))
        return false;
    *ret = g_steal_pointer(&hits);
    return true;
}
