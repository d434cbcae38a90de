#include "notes/mirror.h"
#include "base/file.h"
#include <fcntl.h>

static void
unload(Mirror *m)
{
    g_clear_pointer(&m->tree, note_files_free);
    g_clear_pointer(&m->by_key, g_hash_table_unref);
    g_clear_pointer(&m->rows, note_mirror_rows_free);
}

void
mirror_clear(Mirror *m)
{
    unload(m);
    cleanup_fd(&m->fd);
    g_clear_pointer(&m->report, notes_report_free);
}

/* A key may be named twice. */
static bool
load_named(Mirror *m, GError **error)
{
    m->rows = note_mirror_rows_new();
    for (const char *const *key = m->keys; *key; key++) {
        NoteMirror *row = NULL;

        if (!mirror_row(m, *key) && !note_mirror_load(m->db, *key, &row, error))
            return false;
        if (row) {
            note_mirror_rows_add(m->rows, row);
            g_hash_table_insert(m->by_key, row->key, row);
        }
    }
    return true;
}

static bool
load_all(Mirror *m, GError **error)
{
    if (!note_mirrors(m->db, &m->rows, error))
        return false;
    LIST_EACH(NoteMirror, row, m->rows)
        g_hash_table_insert(m->by_key, row->key, row);
    return true;
}

bool
mirror_load(Mirror *m, GError **error)
{
    unload(m);
    m->by_key = g_hash_table_new(g_str_hash, g_str_equal);
    return m->keys ? note_files_look(m->fd, m->keys, &m->tree, error) && load_named(m, error)
                   : note_files_scan(m->fd, &m->tree, error) && load_all(m, error);
}

NoteMirror *
mirror_row(const Mirror *m, const char *key)
{
    return g_hash_table_lookup(m->by_key, key);
}

NoteMirror *
mirror_file(const Mirror *m, const char *key)
{
    return g_hash_table_lookup(m->tree->by_key, key);
}

bool
mirror_same_file(const NoteMirror *row, const NoteMirror *file)
{
    return row && row->has_file && row->ino != 0 && row->ino == file->ino &&
           row->size == file->size && row->mtime_ns == file->mtime_ns;
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
    const NoteMirror *file = mirror_file(m, row->key);

    return row->version == row->mirrored && (file != NULL) == row->has_file &&
           (!file || mirror_same_file(row, file));
}

bool
mirror_is_clean(const Mirror *m)
{
    if (!m->tree->marker || m->tree->displaced->len > 0 || m->tree->leftovers->len > 0)
        return false;
    LIST_EACH(const NoteMirror, row, m->rows)
        if (!row_is_clean(m, row))
            return false;
    LIST_EACH(const NoteMirror, file, m->tree->files)
        if (!mirror_row(m, file->key))
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
