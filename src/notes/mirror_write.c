/*
 * From the store to files. Writing is an exchange, deleting a displacement; both hand out what
 * was there. Was that what we expected, the displaced file stays until the next sync looks at
 * it once more: an editor that writes in place may still have it open. Was it not, somebody was
 * faster: their bytes become the newest version, and that is written in turn.
 */
#include "base/crash.h"
#include "base/digest.h"
#include "base/exchange.h"
#include "base/file.h"
#include "base/limits.h"
#include "notes/mirror.h"
#include <fcntl.h>
#include <sys/stat.h>

/* How often a file may be edited between our looking and our writing before it is left for the
 * next sync. */
#define ROUNDS 4

/* Was what we displaced known to us? */
static bool
is_expected(
    Mirror *m, const NoteMirror *row, GBytes *displaced, bool *ret_expected, GError **error)
{
    Digest digest;
    int64_t version = 0;

    *ret_expected = true;
    if (!displaced)
        return true;
    digest_of_bytes(displaced, &digest);
    if (row->has_file && digest_equal(&digest, &row->digest))
        return true;
    if (!note_version_of(m->db, row->key, displaced, &version, error))
        return false;
    *ret_expected = version > 0;
    return true;
}

static bool
make_folder(Mirror *m, const char *path, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(path);

    return g_str_equal(folder, ".") || dir_make(m->fd, folder, 0700, error);
}

/* What could not be taken as an edit is not displaced either: under another name its owner
 * would not find it again. */
static bool
may_displace(const Mirror *m, const char *path, GError **error)
{
    struct stat st;

    if (fstatat(m->fd, path, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
        return true; /* nothing to lose, or the exchange says so */
    if (st.st_size > (off_t)LIMIT_NOTE_BYTES)
        return err_set(error, ERR_NEVER, "somebody made it larger than a note may be");
    if (faccessat(m->fd, path, R_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW) < 0)
        return err_set(error, ERR_NEVER, "somebody made it unreadable");
    return true;
}

/* The row's marks become those of the note that the file holds now. The inode stays unknown:
 * the name may be somebody else's file already, so the next sync reads it once. */
static bool
put_file(Mirror *m,
         NoteMirror *row,
         const char *path,
         GBytes **ret_displaced,
         char **ret_tmp,
         GError **error)
{
    g_autoptr(Note) note = NULL;

    if (!note_load(m->db, &VIEWER_OPERATOR, row->key, 0, &note, error))
        return false;
    if (!note) /* deleted since the row was read */
        return file_displace(m->fd, path, ret_displaced, ret_tmp, error);
    gsize len = 0;
    const void *data = g_bytes_get_data(note->body, &len);
    if (!make_folder(m, path, error) ||
        !file_exchange(m->fd, path, data ? data : "", len, 0600, ret_displaced, ret_tmp, error))
        return false;
    CRASH_POINT("notes-written");
    row->mirrored = note->version;
    row->has_file = true;
    digest_of_bytes(note->body, &row->digest);
    row->mtime_ns = clock_wall_us(&(Clock){0}) * 1000;
    row->size = (int64_t)len;
    row->ino = 0;
    return true;
}

static bool
remove_file(Mirror *m,
            NoteMirror *row,
            const char *path,
            GBytes **ret_displaced,
            char **ret_tmp,
            GError **error)
{
    if (mirror_file_there(m, row->key) &&
        !file_displace(m->fd, path, ret_displaced, ret_tmp, error))
        return false;
    CRASH_POINT("notes-removed");
    *row = (NoteMirror){
        .key = row->key, .version = row->version, .deleted = true, .mirrored = row->version};
    return true;
}

/* What can't be written for good is a finding, and no reason to leave out the others. */
static bool
write_failed(Mirror *m, const NoteMirror *row, GError *why, GError **error)
{
    if (!err_is(why, ERR_NEVER)) {
        g_propagate_error(error, why);
        return err_prefix(error, "note '%s'", row->key);
    }
    mirror_find(m, "note '%s' can't be written to its file: %s", row->key, why->message);
    g_error_free(why);
    return true;
}

/* *ret_done: the row tells what the file holds now. *ret_again: an edit came in between. */
static bool
settle(Mirror *m, NoteMirror *row, bool *ret_done, bool *ret_again, GError **error)
{
    g_autofree char *path = note_path(row->key);
    g_autofree char *tmp = NULL;
    g_autoptr(GBytes) displaced = NULL;
    const NoteMirror before = *row;
    GError *why = NULL;
    bool expected = true;

    *ret_done = may_displace(m, path, &why) &&
                (row->deleted ? remove_file(m, row, path, &displaced, &tmp, &why)
                              : put_file(m, row, path, &displaced, &tmp, &why));
    if (!*ret_done)
        return write_failed(m, row, why, error);
    m->report->written++;
    if (!is_expected(m, &before, displaced, &expected, error))
        return false;
    return expected || mirror_take_displaced(m, tmp, row->key, ret_again, error);
}

/* Unflushed: what a lost mark forgets, the next look finds again. */
static bool
mark_all(Mirror *m, GPtrArray *done, GError **error)
{
    g_auto(Txn) txn = {.db = m->db, .flush = TXN_LAZY};

    if (done->len == 0)
        return true;
    while (txn_again(&txn, error)) {
        for (guint i = 0; i < done->len; i++)
            if (!note_mirror_set(&txn, g_ptr_array_index(done, i), error))
                return false;
        txn.ok = true;
    }
    if (!txn.done)
        return false;
    CRASH_POINT("notes-marked");
    return true;
}

static bool
load_owed(const Mirror *m, NoteMirrors **ret, GError **error)
{
    g_autoptr(NoteMirrors) owed = note_mirror_rows_new();

    if (!m->keys)
        return note_mirrors_behind(m->db, ret, error);
    for (const char *const *key = m->keys; *key; key++) {
        g_autoptr(NoteMirror) row = NULL;

        if (!note_mirror_load(m->db, *key, &row, error))
            return false;
        if (row && row->version > row->mirrored)
            note_mirror_rows_add(owed, g_steal_pointer(&row));
    }
    *ret = g_steal_pointer(&owed);
    return true;
}

static bool
write_round(Mirror *m, bool *ret_again, GError **error)
{
    g_autoptr(NoteMirrors) rows = NULL;
    g_autoptr(GPtrArray) done = g_ptr_array_new();
    bool ok = load_owed(m, &rows, error);

    *ret_again = false;
    for (guint i = 0; ok && i < rows->len; i++) {
        NoteMirror *row = g_ptr_array_index(rows, i);
        bool one = false;

        ok = settle(m, row, &one, ret_again, error);
        if (one)
            g_ptr_array_add(done, row);
    }
    /* What was written is marked even where something else failed. */
    return mark_all(m, done, ok ? error : NULL) && ok;
}

bool
mirror_write_owed(Mirror *m, GError **error)
{
    bool again = true;

    for (unsigned i = 0; again && i < ROUNDS; i++)
        if (!write_round(m, &again, error))
            return false;
    return true;
}
