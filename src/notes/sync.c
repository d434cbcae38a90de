#include "base/file.h"
#include "base/lock.h"
#include "notes/mirror.h"
#include <fcntl.h>
#include <sys/stat.h>

#define FOLDER "notes"
#define LOCK "notes.lock"
#define MARKER_MAX 4096

/* --- reports --- */

static void
conflict_free(gpointer data)
{
    NoteConflict *c = data;

    free_all(c->key, c);
}

void
notes_report_free(NotesReport *report)
{
    if (!report)
        return;
    g_ptr_array_unref(report->conflicts);
    g_ptr_array_unref(report->findings);
    g_free(report);
}

static void
hand_out(Mirror *m, NotesReport **ret)
{
    if (ret)
        *ret = g_steal_pointer(&m->report);
}

/* --- opening --- */

static bool
any_has_file(const NoteMirrors *rows)
{
    LIST_EACH(const NoteMirror, row, rows)
        if (row->has_file)
            return true;
    return false;
}

static void
init(Mirror *m, const Home *home, Db *db)
{
    NotesReport *report = g_new0(NotesReport, 1);

    report->conflicts = g_ptr_array_new_with_free_func(conflict_free);
    report->findings = g_ptr_array_new_with_free_func(g_free);
    *m = (Mirror){.home = home, .db = db, .fd = -1, .report = report};
}

static bool
enter_folder(Mirror *m, bool make, GError **error)
{
    if (make && !dir_make(m->home->fd, FOLDER, 0700, error))
        return false;
    m->fd = dir_open_beneath(m->home->fd, FOLDER, error);
    return m->fd >= 0;
}

static bool
open_folder(Mirror *m, GError **error)
{
    g_autoptr(NoteMirrors) rows = NULL;

    m->fd = dir_open_at(m->home->fd, FOLDER);
    if (m->fd >= 0)
        return true;
    bool missing = errno == ENOENT;
    if (missing && !note_mirrors(m->db, &rows, error))
        return false;
    return (missing && any_has_file(rows)) || enter_folder(m, missing, error);
}

static bool
take_lock(const Home *home, int *ret_fd, GError **error)
{
    return lock_take(home->state_fd, LOCK, DB_WAIT_MS, ret_fd, error) ||
           err_prefix(error, "notes");
}

/* --- the whole --- */

static void
say_not_mounted(Mirror *m)
{
    mirror_find(m,
                "the folder 'notes' is not the one that was there (it has no '%s'): is a disk "
                "not mounted? Nothing was read or deleted. To write all notes there again: "
                "postrider note check --restore",
                NOTES_MARKER);
}

/* The marker names the store that wrote it: beside another one, the files are all that is left
 * of it. */
static bool
make_marker(Mirror *m, const char *store, GError **error)
{
    g_autofree char *text = g_strdup_printf("This folder holds the notes of a postrider home. "
                                            "While this file is here, a note whose\n"
                                            "file you delete is deleted.\n"
                                            "store: %s\n",
                                            store);

    return file_replace(m->fd, NOTES_MARKER, text, strlen(text), 0600, error);
}

/* Of a marker that is there. */
static bool
read_marker(Mirror *m, const char *store, bool *ret_ours, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;
    gsize len = 0;

    if (!file_read(m->fd, NOTES_MARKER, MARKER_MAX, &bytes, error))
        return false;
    const char *data = bytes ? g_bytes_get_data(bytes, &len) : NULL;
    *ret_ours = data && g_strstr_len(data, (gssize)len, store);
    return true;
}

/* Nobody but us writes there under the lock, so what is unfinished stays so. */
static bool
remove_leftovers(Mirror *m, const NoteFiles *tree, GError **error)
{
    LIST_EACH(const char, path, tree->leftovers)
        if (unlinkat(m->fd, path, 0) < 0 && errno != ENOENT)
            return err_set_errno(error, errno, "removing 'notes/%s'", path);
    return true;
}

static bool
look_at_displaced(Mirror *m, const NoteFiles *tree, GError **error)
{
    bool taken = false;

    LIST_EACH(const NoteDisplaced, d, tree->displaced)
        if (!mirror_take_displaced(m, d->path, d->key, &taken, error))
            return false;
    return !taken || mirror_load(m, error);
}

static bool
sync_both(Mirror *m, const NoteFiles *beside, GError **error)
{
    return remove_leftovers(m, beside, error) && look_at_displaced(m, beside, error) &&
           mirror_take_edits(m, error) && mirror_write_owed(m, error);
}

static bool
is_settled(const Mirror *m)
{
    return mirror_is_clean(m) && m->tree->findings->len == 0;
}

static bool
sync_locked(Mirror *m, GError **error)
{
    g_autofree char *store = NULL;
    bool ours = true;

    if (!mirror_load(m, error))
        return false;
    if (is_settled(m))
        return true;
    if (!meta_get(m->db, "home-id", &store, error))
        return false;
    if (!m->tree->marker && any_has_file(m->rows)) {
        say_not_mounted(m);
        return true;
    }
    LIST_EACH(const char, finding, m->tree->findings)
        mirror_find(m, "%s", finding);
    if (m->tree->marker ? !read_marker(m, store, &ours, error) : !make_marker(m, store, error))
        return false;
    m->recovering = !ours;
    return sync_both(m, m->tree, error) && (ours || make_marker(m, store, error));
}

/* Who gets the lock at once reads both sides once; who does not first looks whether there is
 * anything to wait for. */
static bool
sync_all(Mirror *m, GError **error)
{
    auto_fd lock = -1;

    if (!lock_take(m->home->state_fd, LOCK, 0, &lock, NULL)) {
        if (!mirror_load(m, error))
            return false;
        if (is_settled(m))
            return true;
        if (!take_lock(m->home, &lock, error))
            return false;
    }
    return sync_locked(m, error);
}

bool
notes_sync(const Home *home, Db *db, NotesReport **ret_report, GError **error)
{
    g_auto(Mirror) m;

    init(&m, home, db);
    if (!open_folder(&m, error))
        return false;
    if (m.fd < 0)
        say_not_mounted(&m);
    else if (!sync_all(&m, error))
        return false;
    hand_out(&m, ret_report);
    return true;
}

/* --- some only --- */

/* A file that is gone or new: only a look at the whole tells what that means. */
static bool
any_gone_or_new(const Mirror *m)
{
    LIST_EACH(const NoteMirror, row, m->rows)
        if (!row->deleted && row->has_file && !mirror_file(m, row->key))
            return true;
    LIST_EACH(const NoteMirror, file, m->tree->files)
        if (!mirror_row(m, file->key))
            return true;
    return false;
}

static bool
any_changed(const Mirror *m)
{
    LIST_EACH(const NoteMirror, file, m->tree->files)
        if (!mirror_same_file(mirror_row(m, file->key), file))
            return true;
    return false;
}

bool
notes_import(const Home *home, Db *db, const char *const *keys, GError **error)
{
    g_auto(Mirror) m;
    auto_fd lock = -1;

    init(&m, home, db);
    m.keys = keys;
    if (!open_folder(&m, error) || (m.fd >= 0 && !mirror_load(&m, error)))
        return false;
    if (m.fd < 0 || !m.tree->marker)
        return true; /* notes_sync() says what that means */
    if (any_gone_or_new(&m))
        return notes_sync(home, db, NULL, error);
    return !any_changed(&m) || (take_lock(home, &lock, error) && mirror_load(&m, error) &&
                                mirror_take_edits(&m, error));
}

/* --- both ways, some only --- */

/* And the notes whose displaced files lie beside theirs: who passes by looks at these too. */
static GPtrArray *
with_displaced(const char *const *keys, const NoteFiles *beside)
{
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    GPtrArray *all = g_ptr_array_new();

    for (; *keys; keys++) {
        if (g_hash_table_add(known, (gpointer)*keys))
            g_ptr_array_add(all, (gpointer)*keys);
    }
    LIST_EACH(const NoteDisplaced, d, beside->displaced)
        if (g_hash_table_add(known, d->key))
            g_ptr_array_add(all, d->key);
    g_ptr_array_add(all, NULL);
    return all;
}

/* *ret_whole: only notes_sync() can tell what is the matter. */
static bool
sync_loaded(Mirror *m, const NoteFiles *beside, bool *ret_whole, GError **error)
{
    g_autofree char *store = NULL;
    bool ours = false;

    if (!meta_get(m->db, "home-id", &store, error) ||
        (m->tree->marker && !read_marker(m, store, &ours, error)))
        return false;
    *ret_whole = !ours || any_gone_or_new(m);
    return *ret_whole || sync_both(m, beside, error);
}

static bool
sync_named(Mirror *m, const char *const *keys, bool *ret_whole, GError **error)
{
    g_autoptr(NoteFiles) beside = NULL;
    auto_fd lock = -1;

    if (!take_lock(m->home, &lock, error) ||
        !note_files_look_beside(m->fd, keys, &beside, error))
        return false;
    g_autoptr(GPtrArray) all = with_displaced(keys, beside);
    m->keys = (const char *const *)all->pdata;
    return mirror_load(m, error) && sync_loaded(m, beside, ret_whole, error);
}

static bool
sync_some(Mirror *m, const char *const *keys, NotesReport **ret, GError **error)
{
    bool whole = true;

    if (!open_folder(m, error) || (m->fd >= 0 && !sync_named(m, keys, &whole, error)))
        return false;
    if (whole)
        return notes_sync(m->home, m->db, ret, error);
    hand_out(m, ret);
    return true;
}

bool
notes_sync_some(
    const Home *home, Db *db, const char *const *keys, NotesReport **ret_report, GError **error)
{
    g_autoptr(NoteMirrors) behind = NULL;
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    g_auto(Mirror) m;

    init(&m, home, db);
    if (!keys && !note_mirrors_behind(db, &behind, error))
        return false;
    for (guint i = 0; behind && i < behind->len; i++)
        g_ptr_array_add(names, behind->pdata[i]->key);
    g_ptr_array_add(names, NULL);
    if (!keys)
        keys = (const char *const *)names->pdata;
    if (*keys)
        return sync_some(&m, keys, ret_report, error);
    hand_out(&m, ret_report);
    return true;
}

/* --- files that are lost --- */

static bool
forget_missing(Mirror *m, GError **error)
{
    g_auto(Txn) txn = {.db = m->db, .flush = TXN_DURABLE};

    while (txn_again(&txn, error)) {
        txn.ok = true;
        LIST_EACH(const NoteMirror, row, m->rows)
            if (txn.ok && !row->deleted && !mirror_file(m, row->key))
                txn.ok = note_mirror_set(&txn, &(NoteMirror){.key = row->key}, error);
    }
    return txn.done;
}

/* The lock is free again behind it. */
static bool
restore(Mirror *m, GError **error)
{
    g_autofree char *store = NULL;
    auto_fd lock = -1;

    return enter_folder(m, true, error) && take_lock(m->home, &lock, error) &&
           mirror_load(m, error) && meta_get(m->db, "home-id", &store, error) &&
           make_marker(m, store, error) && forget_missing(m, error);
}

bool
notes_restore(const Home *home, Db *db, NotesReport **ret_report, GError **error)
{
    g_auto(Mirror) m;

    init(&m, home, db);
    return restore(&m, error) && notes_sync(home, db, ret_report, error);
}
