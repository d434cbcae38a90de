#include "notes/mirror.h"
#include "base/cleanup.h"
#include "base/file.h"
#include <fcntl.h>

void
mirror_clear(Mirror *m)
{
    g_clear_pointer(&m->tree, note_files_free);
    g_clear_pointer(&m->rows, g_hash_table_unref);
}

static void
free_row(gpointer row)
{
    note_mirror_free(row);
}

static void
add_row(Mirror *m, NoteMirror *row) /* takes it; NULL: none */
{
    if (row)
        g_hash_table_replace(m->rows, row->key, row);
}

static bool
load_all(Mirror *m, GError **error)
{
    g_autoptr(NoteMirrors) all = NULL;

    if (!note_mirrors(m->db, &all, error))
        return false;
    g_ptr_array_set_free_func(LIST_ARRAY(all), NULL);
    for (guint i = 0; i < all->len; i++)
        add_row(m, g_ptr_array_index(all, i));
    return true;
}

static bool
load_named(Mirror *m, GError **error)
{
    for (const char *const *key = m->keys; *key; key++) {
        NoteMirror *row = NULL;

        if (!note_mirror_load(m->db, *key, &row, error))
            return false;
        add_row(m, row);
    }
    return true;
}

bool
mirror_load(Mirror *m, GError **error)
{
    g_clear_pointer(&m->tree, note_files_free);
    bool ok = m->keys ? note_files_look(m->fd, m->keys, &m->tree, error)
                      : note_files_scan(m->fd, &m->tree, error);
    if (!ok)
        return false;
    g_clear_pointer(&m->rows, g_hash_table_unref);
    m->rows = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, free_row);
    return m->keys ? load_named(m, error) : load_all(m, error);
}

NoteMirror *
mirror_row(const Mirror *m, const char *key)
{
    return g_hash_table_lookup(m->rows, key);
}

bool
mirror_same_file(const NoteMirror *row, const NoteFile *file)
{
    return row && row->has_file && row->ino != 0 && row->ino == file->ino &&
           row->size == file->size && row->mtime_ns == file->mtime_ns && !file->linked;
}

bool
mirror_file_there(const Mirror *m, const char *key)
{
    g_autofree char *path = note_path(key);
    auto_fd fd = file_open_beneath(m->fd, path, O_PATH, 0, NULL);

    return fd >= 0;
}

static bool
row_is_clean(const Mirror *m, const NoteMirror *row)
{
    const NoteFile *file = g_hash_table_lookup(m->tree->files, row->key);

    return row->version == row->mirrored && (file != NULL) == row->has_file &&
           (!file || mirror_same_file(row, file));
}

bool
mirror_is_clean(const Mirror *m)
{
    GHashTableIter iter;
    gpointer key, value;

    if (!m->tree->marker || m->tree->displaced->len > 0 || m->tree->leftovers->len > 0)
        return false;
    g_hash_table_iter_init(&iter, m->rows);
    while (g_hash_table_iter_next(&iter, &key, &value))
        if (!row_is_clean(m, value))
            return false;
    g_hash_table_iter_init(&iter, m->tree->files);
    while (g_hash_table_iter_next(&iter, &key, &value))
        if (!mirror_row(m, key))
            return false;
    return true;
}

void
mirror_find(Mirror *m, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    g_ptr_array_add(m->report->findings, g_strdup_vprintf(fmt, args));
    va_end(args);
}

void
mirror_conflict(Mirror *m, const char *key, int64_t theirs, int64_t ours)
{
    NoteConflict *c = g_new0(NoteConflict, 1);

    *c = (NoteConflict){g_strdup(key), theirs, ours};
    g_ptr_array_add(m->report->conflicts, c);
}
