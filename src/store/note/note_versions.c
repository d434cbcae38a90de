#include "store/note/note_versions.h"
#include "base/limits.h"
#include "store/rows.h"

/* --- keys --- */

/* Why the key can't be one; NULL: it is fine. */
static const char *
key_fault(const char *key)
{
    size_t len = strlen(key);

    if (len == 0)
        return "is empty";
    if (len > NOTE_KEY_MAX)
        return "is longer than 200 bytes";
    if (key[0] == '/' || key[len - 1] == '/' || strstr(key, "//"))
        return "has an empty part";
    if (key[0] == '.' || strstr(key, "/."))
        return "has a part that begins with a dot";
    if (strstr(key, ".md/"))
        return "has a folder that ends in .md, as the files of notes do";
    for (const char *p = key; *p; p++) {
        if (!g_ascii_isalnum(*p) && !strchr("._-/", *p))
            return "has characters other than A-Z a-z 0-9 . _ - /";
    }
    return NULL;
}

bool
note_key_valid(const char *key)
{
    return !key_fault(key);
}

bool
note_key_check(const char *key, GError **error)
{
    const char *fault = key_fault(key);

    if (!fault)
        return true;
    g_autofree char *shown = text_shorten(key, 80);
    g_autofree char *safe = text_vis(shown, false);
    return err_set(error, ERR_NEVER, "'%s' is no note key: it %s", safe, fault);
}

/* --- reading --- */

/* version 0: the newest. */
static bool
load_one(Db *db,
         const Viewer *viewer,
         const Shape *shape,
         const char *key,
         int64_t version,
         Note **ret,
         GError **error)
{
    *ret = NULL;
    return !viewer_sees_note(db, viewer, key) ||
           rows_first(db, shape,
                      "FROM note_version v WHERE v.key = ? AND (? = 0 OR v.version = ?) "
                      "ORDER BY v.version DESC LIMIT 1",
                      ret, error, "sii", key, version, version);
}

bool
note_look(
    Db *db, const Viewer *viewer, const char *key, int64_t version, Note **ret, GError **error)
{
    return load_one(db, viewer, &note_shape, key, version, ret, error);
}

bool
note_load(
    Db *db, const Viewer *viewer, const char *key, int64_t version, Note **ret, GError **error)
{
    if (!load_one(db, viewer, &note_whole, key, version, ret, error))
        return false;
    if (*ret && (*ret)->deleted)
        g_clear_pointer(ret, note_free);
    return true;
}

char *
note_text(const Note *note)
{
    return text_valid_bytes(note->body);
}

/* Removes the notes that the viewer may not see. */
static void
keep_visible(Db *db, const Viewer *viewer, Notes *notes)
{
    for (guint i = notes->len; i-- > 0;) {
        if (!viewer_sees_note(db, viewer, notes->pdata[i]->key))
            g_ptr_array_remove_index(LIST_ARRAY(notes), i);
    }
}

bool
notes_list(Db *db, const Viewer *viewer, const char *prefix, Notes **ret, GError **error)
{
    if (!rows_list(
            db, &note_shape,
            "FROM note n JOIN note_version v ON v.key = n.key AND v.version = n.version "
            "WHERE n.key >= ? AND substr(n.key, 1, ?) = ? AND NOT n.deleted ORDER BY n.key",
            ret, error, "sis", prefix, (int64_t)strlen(prefix), prefix))
        return false;
    keep_visible(db, viewer, *ret);
    return true;
}

bool
note_history(Db *db, const Viewer *viewer, const char *key, Notes **ret, GError **error)
{
    if (!rows_list(db, &note_shape,
                   "FROM note_version v WHERE v.key = ? ORDER BY v.version DESC", ret, error,
                   "s", key))
        return false;
    keep_visible(db, viewer, *ret);
    return true;
}

/* --- writing --- */

/* A write of one key, and the versions of it that are there. */
typedef struct Write {
    Txn *txn;
    const char *key;
    NoteBy by;
    int64_t newest; /* version; 0: there never was one */
    bool live;      /* and not deleted */
} Write;

Viewer
note_writer(const NoteBy *by)
{
    return by->job.v ? (Viewer){.role = by->author} : VIEWER_OPERATOR;
}

/* May it be a key, may this writer write it, and what is there? */
static bool
begin_write(Txn *txn, const char *key, const NoteBy *by, Write *ret, GError **error)
{
    const Viewer writer = note_writer(by);

    *ret = (Write){.txn = txn, .key = key, .by = *by};
    return note_key_check(key, error) && viewer_check_note(txn->db, &writer, key, error) &&
           sql_int(txn->db, "SELECT version FROM note WHERE key = ?", &ret->newest, error, "s",
                   key) &&
           sql_bool(txn->db, "SELECT 1 FROM note WHERE key = ? AND NOT deleted", &ret->live,
                    error, "s", key);
}

static bool
set_conflict(const Write *w, int64_t known, GError **error)
{
    const Viewer viewer = VIEWER_OPERATOR; /* begin_write() has asked */
    g_autoptr(Note) note = NULL;

    if (!note_look(w->txn->db, &viewer, w->key, w->newest, &note, error))
        return false;
    const char *what = !note ? "does not exist" : w->live ? "is at" : "was deleted in";
    g_autofree char *is =
        note ? g_strdup_printf("%s version %" PRId64 ", by %s", what, w->newest, note->author)
             : g_strdup(what);

    if (known == 0)
        return err_set(error, ERR_NEVER, "conflict: note '%s' %s; this write took it for new",
                       w->key, is);
    return err_set(error, ERR_NEVER, "conflict: note '%s' %s; this write knew version %" PRId64,
                   w->key, is, known);
}

/* The version that the job of this write knows: the newest, if it wrote all of it, else the one
 * that it was shown last. */
static bool
known_version(const Write *w, int64_t *ret_known, GError **error)
{
    int64_t own = 0;

    if (w->by.job.v != 0 && w->newest > 0 &&
        !sql_int(w->txn->db,
                 "SELECT version FROM note_version "
                 "WHERE key = ? AND version = ? AND job = ? AND whole",
                 &own, error, "sii", w->key, w->newest, w->by.job.v))
        return false;
    if (own > 0) {
        *ret_known = own;
        return true;
    }
    return note_shown_version(w->txn->db, w->by.job, w->key, ret_known, error);
}

static bool
check_condition(const Write *w, int64_t if_version, GError **error)
{
    int64_t known = if_version;

    if (if_version == NOTE_ANY)
        return true;
    if (if_version == NOTE_SHOWN && !known_version(w, &known, error))
        return false;
    if (known == 0 ? !w->live : known == w->newest)
        return true;
    return set_conflict(w, known, error);
}

/* body NULL: deleted. whole: its writer knows every word of it. ret_version: NULL if nobody
 * asks. */
static bool
add_version(const Write *w, GBytes *body, bool whole, int64_t *ret_version, GError **error)
{
    int64_t now = txn_now(w->txn), version = w->newest + 1;

    if (body && g_bytes_get_size(body) > LIMIT_NOTE_BYTES)
        return err_set(error, ERR_LIMIT, "note '%s' is larger than the limit of %u bytes",
                       w->key, LIMIT_NOTE_BYTES);
    bool ok =
        sql_run(w->txn,
                "INSERT INTO note_version (key, version, body, author, label, job, step, "
                "whole, at_us, below) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                error, "sibssinnin", w->key, version, body, w->by.author,
                trust_name(w->by.label), w->by.job.v, w->by.step, whole, now, w->by.below) &&
        sql_run(w->txn,
                "INSERT INTO note (key, version, deleted, updated_us) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (key) DO UPDATE SET version = excluded.version, "
                "deleted = excluded.deleted, updated_us = excluded.updated_us",
                error, "sini", w->key, version, !body, now);
    if (ok && ret_version)
        *ret_version = version;
    return ok;
}

bool
note_put(Txn *txn,
         const char *key,
         GBytes *body,
         int64_t if_version,
         const NoteBy *by,
         int64_t *ret_version,
         GError **error)
{
    Write w;

    return begin_write(txn, key, by, &w, error) && check_condition(&w, if_version, error) &&
           add_version(&w, body, true, ret_version, error);
}

static GBytes *
join_bodies(GBytes *old, GBytes *more)
{
    gsize len = 0, more_len = 0;
    const uint8_t *data = g_bytes_get_data(old, &len);
    const uint8_t *more_data = g_bytes_get_data(more, &more_len);
    GByteArray *both = g_byte_array_new();

    if (len > 0)
        g_byte_array_append(both, data, (guint)len);
    if (len > 0 && data[len - 1] != '\n')
        g_byte_array_append(both, (const uint8_t *)"\n", 1);
    if (more_len > 0)
        g_byte_array_append(both, more_data, (guint)more_len);
    return g_byte_array_free_to_bytes(both);
}

/* Who appends has not read what is there, unless it was shown it. */
static bool
append_to(Write *w, const Note *old, GBytes *body, int64_t *ret_version, GError **error)
{
    g_autoptr(GBytes) joined = join_bodies(old->body, body);
    int64_t known;

    w->by.label = MIN(w->by.label, old->label);
    return known_version(w, &known, error) &&
           add_version(w, joined, known == old->version, ret_version, error);
}

bool
note_append(Txn *txn,
            const char *key,
            GBytes *body,
            const NoteBy *by,
            int64_t *ret_version,
            GError **error)
{
    const Viewer writer = note_writer(by);
    g_autoptr(Note) old = NULL;
    Write w;

    if (!begin_write(txn, key, by, &w, error) ||
        !note_load(txn->db, &writer, key, 0, &old, error))
        return false;
    return old ? append_to(&w, old, body, ret_version, error)
               : add_version(&w, body, true, ret_version, error);
}

bool
note_delete(Txn *txn, const char *key, int64_t if_version, const NoteBy *by, GError **error)
{
    Write w;

    if (!begin_write(txn, key, by, &w, error))
        return false;
    if (!w.live)
        return err_set(error, ERR_NEVER, "there is no note '%s'", key);
    return check_condition(&w, if_version, error) && add_version(&w, NULL, true, NULL, error);
}

bool
note_rename(Txn *txn, const char *from, const char *to, const NoteBy *by, GError **error)
{
    const Viewer writer = note_writer(by);
    g_autoptr(Note) note = NULL;
    Write old, w;
    int64_t version;

    if (!begin_write(txn, from, by, &old, error) || !begin_write(txn, to, by, &w, error) ||
        !note_load(txn->db, &writer, from, 0, &note, error))
        return false;
    if (!note)
        return err_set(error, ERR_NEVER, "there is no note '%s'", from);
    if (w.live)
        return err_set(error, ERR_NEVER, "there is a note '%s' already", to);
    w.by.label = note->label;
    return add_version(&w, note->body, false, &version, error) &&
           sql_run(txn, "UPDATE note_version SET from_key = ? WHERE key = ? AND version = ?",
                   error, "ssi", from, to, version) &&
           note_delete(txn, from, NOTE_ANY, by, error);
}

/* --- what a job was shown --- */

bool
note_mark_shown(Txn *txn, JobId job, const char *key, int64_t version, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO note_shown (job, key, version) VALUES (?, ?, ?) "
                   "ON CONFLICT (job, key) DO UPDATE SET version = excluded.version",
                   error, "isi", job.v, key, version);
}

bool
note_shown_version(Db *db, JobId job, const char *key, int64_t *ret_version, GError **error)
{
    return sql_int(db, "SELECT version FROM note_shown WHERE job = ? AND key = ?", ret_version,
                   error, "is", job.v, key);
}
