#include "store/note/note_versions.h"
#include "store/rows.h"

static const Field mirror_fields[] = {
    {NULL, "key", FIELD_TEXT, offsetof(NoteMirror, key)},
    {NULL, "version", FIELD_INT, offsetof(NoteMirror, version)},
    {NULL, "deleted", FIELD_BOOL, offsetof(NoteMirror, deleted)},
    {NULL, "mirrored", FIELD_INT, offsetof(NoteMirror, mirrored)},
    {NULL, "has_file", FIELD_BOOL, offsetof(NoteMirror, has_file)},
    {NULL, "digest", FIELD_DIGEST, offsetof(NoteMirror, digest)},
    {NULL, "mtime_ns", FIELD_INT, offsetof(NoteMirror, mtime_ns)},
    {NULL, "size", FIELD_INT, offsetof(NoteMirror, size)},
    {NULL, "ino", FIELD_INT, offsetof(NoteMirror, ino)},
};
const Shape note_mirror_shape = {SHAPE("note", NoteMirror, note_mirror_rows, mirror_fields)};

bool
note_mirrors(Db *db, NoteMirrors **ret, GError **error)
{
    return rows_list(db, &note_mirror_shape, "FROM note ORDER BY key", ret, error, "");
}

bool
note_mirrors_behind(Db *db, NoteMirrors **ret, GError **error)
{
    return rows_list(db, &note_mirror_shape, "FROM note WHERE version > mirrored ORDER BY key",
                     ret, error, "");
}

bool
note_mirror_load(Db *db, const char *key, NoteMirror **ret, GError **error)
{
    return rows_first(db, &note_mirror_shape, "FROM note WHERE key = ?", ret, error, "s", key);
}

bool
note_mirrors_owed(Db *db, bool *ret, GError **error)
{
    return sql_bool(db, "SELECT EXISTS (SELECT 1 FROM note WHERE version > mirrored)", ret,
                    error, "");
}

bool
note_mirror_set(Txn *txn, const NoteMirror *m, GError **error)
{
    return sql_run(txn,
                   "UPDATE note SET mirrored = ?, digest = ?, mtime_ns = ?, size = ?, ino = ? "
                   "WHERE key = ?",
                   error, "idiiis", m->mirrored, m->has_file ? &m->digest : NULL, m->mtime_ns,
                   m->size, m->ino, m->key);
}

bool
note_version_of(Db *db, const char *key, GBytes *body, int64_t *ret_version, GError **error)
{
    return sql_int(db, "SELECT max(version) FROM note_version WHERE key = ? AND body = ?",
                   ret_version, error, "sb", key, body);
}
