/*
 * From files to the store. A file that is not the one we saw last is read, and its bytes are
 * one of these:
 *
 *   what we last put or saw there        only its times changed
 *   a version that was never marked      we wrote it and died before the mark: ours
 *   an older version, no newer in time   a power loss undid our rename: write again
 *   anything else                        somebody's edit: the next version
 *
 * What is open for writing is left for the next time, since half of it may be missing.
 */
#include "base/crash.h"
#include "base/digest.h"
#include "base/exchange.h"
#include "base/file.h"
#include "base/limits.h"
#include "notes/first_notes.h"
#include "notes/mirror.h"
#include <fcntl.h>
#include <sys/stat.h>

/* Times of files are only as fine as the kernel's tick: a file that changed this short a time
 * ago may change again without showing it, so its bytes are looked at once more. */
#define RACY_NS INT64_C(100000000)
/* Editors that move the old file away before they write the new one. */
#define GRACE_NS 20000000

#define PERSON "person"

typedef struct Edit {
    NoteMirror now; /* the row as it will be; version is not used */
    GBytes *bytes;  /* a new version; NULL: only marks change */
    char *from;     /* the note was renamed from this one; NULL */
} Edit;

static void
edit_free(gpointer data)
{
    Edit *e = data;

    if (!e)
        return;
    free_all(e->now.key, e->from);
    g_clear_pointer(&e->bytes, g_bytes_unref);
    g_free(e);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Edit, edit_free)

/* --- reading a file --- */

/* The file's bytes and marks, when they are fit to be read: else NULL with true, after a
 * finding or a count. */
static bool
read_file(Mirror *m, const char *path, struct stat *ret_st, GBytes **ret, GError **error)
{
    g_autoptr(GError) why = NULL;
    auto_fd fd = file_open_beneath(m->fd, path, O_RDONLY, 0, &why);

    *ret = NULL;
    if (fd < 0 && faccessat(m->fd, path, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
        return true; /* gone meanwhile */
    if (fd < 0) {
        mirror_find(m, "notes: %s", why->message);
        return true;
    }
    if (file_has_writer(fd)) {
        m->report->busy++;
        return true;
    }
    if (fstat(fd, ret_st) < 0)
        return err_set_errno(error, errno, "looking at 'notes/%s'", path);
    if (ret_st->st_nlink > 1) {
        mirror_find(m, "'notes/%s' has a second name (a hard link) and is not read", path);
        return true;
    }
    if (!file_read_fd(fd, LIMIT_NOTE_BYTES, ret, &why))
        mirror_find(m, "'notes/%s': %s", path, why->message);
    return true;
}

/* A time in the future says nothing either. */
static bool
is_racy(int64_t mtime_ns)
{
    return clock_wall_us(&(Clock){0}) * 1000 - mtime_ns < RACY_NS;
}

static Edit *
edit_new(const char *key, const struct stat *st, GBytes *bytes)
{
    Edit *e = g_new0(Edit, 1);

    e->now.key = g_strdup(key);
    e->now.has_file = true;
    digest_of_bytes(bytes, &e->now.digest);
    e->now.mtime_ns = note_mtime_ns(st);
    e->now.size = st->st_size;
    e->now.ino = is_racy(e->now.mtime_ns) ? 0 : (int64_t)st->st_ino;
    e->bytes = g_bytes_ref(bytes);
    return e;
}

/* See the table above. Leaves e->bytes where they are a version to be. */
static bool
judge(Mirror *m, const NoteMirror *row, Edit *e, GError **error)
{
    int64_t version = 0;

    if (!row)
        return true;
    e->now.mirrored = row->mirrored;
    bool same = row->has_file && digest_equal(&row->digest, &e->now.digest);
    if (!same && !note_version_of(m->db, row->key, e->bytes, &version, error))
        return false;
    bool undone = version > 0 && row->has_file && e->now.mtime_ns <= row->mtime_ns;
    if (version > row->mirrored || undone)
        e->now.mirrored = version;
    if (same || version > row->mirrored || undone)
        g_clear_pointer(&e->bytes, g_bytes_unref);
    return true;
}

static bool
marks_change(const NoteMirror *row, const Edit *e)
{
    return !row || row->mirrored != e->now.mirrored || row->ino != e->now.ino ||
           row->mtime_ns != e->now.mtime_ns || row->size != e->now.size || !row->has_file ||
           !digest_equal(&row->digest, &e->now.digest);
}

static bool
look_at_file(Mirror *m, const NoteMirror *file, GPtrArray *edits, GError **error)
{
    const NoteMirror *row = mirror_row(m, file->key);
    g_autofree char *path = note_path(file->key);
    g_autoptr(GBytes) bytes = NULL;
    struct stat st = {0};

    if (mirror_same_file(row, file))
        return true;
    if (!read_file(m, path, &st, &bytes, error))
        return false;
    if (!bytes)
        return true;
    g_autoptr(Edit) e = edit_new(file->key, &st, bytes);
    if (!judge(m, row, e, error))
        return false;
    if (e->bytes || marks_change(row, e))
        g_ptr_array_add(edits, g_steal_pointer(&e));
    return true;
}

/* --- files that are gone --- */

/* Live notes whose file is missing, also after a moment. *ret_all: how many have files. */
static GPtrArray *
missing_rows(const Mirror *m, unsigned *ret_all)
{
    GPtrArray *missing = g_ptr_array_new();

    *ret_all = 0;
    LIST_EACH(NoteMirror, row, m->rows) {
        bool had_file = !row->deleted && row->has_file;
        *ret_all += had_file;
        if (had_file && !mirror_file(m, row->key))
            g_ptr_array_add(missing, row);
    }
    if (missing->len > 0)
        (void)nanosleep(&(struct timespec){.tv_nsec = GRACE_NS}, NULL);
    for (guint i = missing->len; i-- > 0;)
        if (mirror_file_there(m, ((NoteMirror *)g_ptr_array_index(missing, i))->key))
            g_ptr_array_remove_index_fast(missing, i);
    return missing;
}

/* A note that appears with the bytes of one that is gone was renamed. */
static bool
pair_renamed(const Mirror *m, const NoteMirror *gone, GPtrArray *edits)
{
    LIST_EACH(Edit, e, edits) {
        const NoteMirror *row = mirror_row(m, e->now.key);

        if (!e->bytes || e->from || (row && !row->deleted) || gone->version != gone->mirrored ||
            !digest_equal(&gone->digest, &e->now.digest))
            continue;
        e->from = g_strdup(gone->key);
        return true;
    }
    return false;
}

static void
add_gone(Mirror *m, GPtrArray *edits, GPtrArray *gone)
{
    unsigned all;
    g_autoptr(GPtrArray) missing = missing_rows(m, &all);
    unsigned n = 0;

    LIST_EACH(NoteMirror, row, missing) {
        if (pair_renamed(m, row, edits))
            continue;
        n++;
        g_ptr_array_add(gone, row);
    }
    if (n < 2 || n * 2 <= all)
        return;
    g_ptr_array_set_size(gone, 0);
    mirror_find(m,
                "%u of %u note files are missing; no note was deleted. Bring them back, or let "
                "them be written again: postrider note check --restore",
                n, all);
}

/* --- into the store --- */

/* A person's edit is mostly the text that was there, so it keeps that text's label. Of files
 * that a lost store leaves behind nobody knows who wrote them. */
static Trust
label_of(const Mirror *m, const char *key, GBytes *bytes, const Note *before)
{
    if (before && !before->deleted)
        return before->label;
    if (m->recovering && !note_is_first(key, bytes))
        return TRUST_KNOWN;
    return TRUST_OPERATOR;
}

/* *ret_version: the new one. */
static bool
put_edit(Mirror *m,
         Txn *txn,
         const char *key,
         GBytes *bytes,
         int64_t seen,
         int64_t *ret_version,
         GError **error)
{
    g_autoptr(Note) before = NULL;

    if (!note_look(m->db, &VIEWER_OPERATOR, key, 0, &before, error))
        return false;
    const NoteBy by = {.author = PERSON, .label = label_of(m, key, bytes, before)};
    if (!note_put(txn, key, bytes, NOTE_ANY, &by, ret_version, error))
        return false;
    m->unknown += m->recovering && by.label == TRUST_KNOWN;
    if (before && before->version > seen)
        mirror_conflict(m, key, *ret_version, before->version);
    m->report->imported++;
    return true;
}

/* The row after a version was added: nothing is owed to the file. */
static bool
settle_row(Mirror *m, Txn *txn, NoteMirror *now, GError **error)
{
    g_autoptr(Note) newest = NULL;

    if (!note_look(m->db, &VIEWER_OPERATOR, now->key, 0, &newest, error))
        return false;
    now->mirrored = newest->version;
    return note_mirror_set(txn, now, error);
}

static bool
apply_edit(Mirror *m, Txn *txn, Edit *e, GError **error)
{
    const NoteBy by = {.author = PERSON, .label = TRUST_OPERATOR};
    const NoteMirror *row = mirror_row(m, e->now.key);

    if (e->from) {
        NoteMirror old = {.key = e->from};
        m->report->imported++;
        return notes_rename(txn, e->from, e->now.key, &by, error) &&
               settle_row(m, txn, &old, error) && settle_row(m, txn, &e->now, error);
    }
    if (e->bytes && !put_edit(m, txn, e->now.key, e->bytes, row ? row->mirrored : 0,
                              &e->now.mirrored, error))
        return false;
    return note_mirror_set(txn, &e->now, error);
}

static bool
apply_gone(Mirror *m, Txn *txn, const NoteMirror *row, GError **error)
{
    const NoteBy by = {.author = PERSON, .label = TRUST_OPERATOR};
    NoteMirror now = {.key = row->key};
    g_autoptr(Note) before = NULL;

    if (!note_look(m->db, &VIEWER_OPERATOR, row->key, 0, &before, error))
        return false;
    if (!before->deleted && !notes_delete(txn, row->key, NOTE_ANY, &by, error))
        return false;
    if (!settle_row(m, txn, &now, error))
        return false;
    if (before->version > row->mirrored)
        mirror_conflict(m, row->key, now.mirrored, before->version);
    m->report->deleted++;
    return true;
}

/* The report as it was before a transaction that may run twice. */
typedef struct Counted {
    NotesReport report;
    guint conflicts, unknown;
} Counted;

static Counted
count(const Mirror *m)
{
    return (Counted){*m->report, m->report->conflicts->len, m->unknown};
}

static void
count_back(Mirror *m, const Counted *before)
{
    *m->report = before->report;
    m->unknown = before->unknown;
    g_ptr_array_set_size(m->report->conflicts, (gint)before->conflicts);
}

/* Texts before deletions: these may change CONTENTS, and then the newest one. */
static bool
apply_all(Mirror *m, GPtrArray *edits, GPtrArray *gone, GError **error)
{
    bool decides = gone->len > 0;

    for (guint i = 0; i < edits->len; i++)
        decides = decides || ((Edit *)g_ptr_array_index(edits, i))->bytes;
    g_auto(Txn) txn = {.db = m->db, .flush = decides ? TXN_DURABLE : TXN_LAZY};
    const Counted before = count(m);
    while (txn_again(&txn, error)) {
        count_back(m, &before);
        for (int renames = 0; renames < 2; renames++) {
            LIST_EACH(Edit, e, edits)
                if ((e->from != NULL) == (renames == 1) && !apply_edit(m, &txn, e, error))
                    return false;
        }
        for (guint i = 0; i < gone->len; i++)
            if (!apply_gone(m, &txn, g_ptr_array_index(gone, i), error))
                return false;
        txn.ok = true;
    }
    if (!txn.done)
        return false;
    CRASH_POINT("notes-taken");
    return true;
}

bool
mirror_take_edits(Mirror *m, GError **error)
{
    g_autoptr(GPtrArray) edits = g_ptr_array_new_with_free_func(edit_free);
    g_autoptr(GPtrArray) gone = g_ptr_array_new();

    LIST_EACH(const NoteMirror, file, m->tree->files)
        if (!look_at_file(m, file, edits, error))
            return false;
    if (!m->keys)
        add_gone(m, edits, gone);
    if (edits->len + gone->len == 0)
        return true;
    if (!apply_all(m, edits, gone, error))
        return false;
    if (m->unknown > 0)
        mirror_find(
            m,
            "notes that came back from their files: %u. Who wrote them is not known any "
            "more, so they count as text from outside until they are saved again with: "
            "postrider note put",
            m->unknown);
    return true;
}

/* --- what an exchange displaced --- */

static bool
import_displaced(Mirror *m, const char *key, GBytes *bytes, GError **error)
{
    g_auto(Txn) txn = {.db = m->db, .flush = TXN_DURABLE};
    int64_t version;

    const Counted before = count(m);
    while (txn_again(&txn, error)) {
        count_back(m, &before);
        /* Whoever wrote this had not seen what we put in its place: 0 is older than that. */
        txn.ok = put_edit(m, &txn, key, bytes, 0, &version, error);
    }
    if (!txn.done)
        return false;
    CRASH_POINT("notes-displaced-taken");
    return true;
}

/* Bytes that we have, or none at all, need no second home. */
static bool
keep_unknown(Mirror *m, const char *key, GBytes *bytes, bool *taken, GError **error)
{
    int64_t version = 0;

    if (g_bytes_get_size(bytes) == 0)
        return true;
    if (!note_version_of(m->db, key, bytes, &version, error))
        return false;
    if (version > 0)
        return true;
    *taken = true;
    return import_displaced(m, key, bytes, error);
}

/* Folders that a deleted note leaves empty go with it. */
static void
remove_empty_folders(const Mirror *m, const char *path)
{
    g_autofree char *folder = g_path_get_dirname(path);

    while (!g_str_equal(folder, ".")) {
        g_autofree char *name = g_path_get_basename(folder);
        g_autofree char *above = g_path_get_dirname(folder);
        auto_fd fd = dir_open_beneath(m->fd, above, NULL);

        if (fd < 0 || unlinkat(fd, name, AT_REMOVEDIR) < 0)
            return;
        g_free(folder);
        folder = g_steal_pointer(&above);
    }
}

bool
mirror_take_displaced(
    Mirror *m, const char *path, const char *key, bool *ret_taken, GError **error)
{
    g_autoptr(GBytes) bytes = NULL, last = NULL;
    g_autoptr(GError) why = NULL;
    struct stat st;

    if (!read_file(m, path, &st, &bytes, error))
        return false;
    if (!bytes)
        return true;
    if (!keep_unknown(m, key, bytes, ret_taken, error))
        return false;
    if (!file_exchange_finish(m->fd, path, &last, &why)) {
        m->report->busy++;
        return true;
    }
    /* Only where the kernel could not tell us about writers. */
    if (last && !g_bytes_equal(bytes, last) && !keep_unknown(m, key, last, ret_taken, error))
        return false;
    remove_empty_folders(m, path);
    return true;
}
