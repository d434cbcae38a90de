#include "base/banned.h"
#include "store/note/note_versions.h"
#include "store/sql.h"

#define MIRROR_COLUMNS "key, version, deleted, mirrored, digest, mtime_ns, size, ino"

void
note_mirror_free(NoteMirror *m)
{
    if (!m)
        return;
    g_free(m->key);
    g_free(m);
}

static void
free_mirror(gpointer m)
{
    note_mirror_free(m);
}

static NoteMirror *
read_mirror(SqlStmt *st)
{
    NoteMirror *m = g_new0(NoteMirror, 1);

    m->key = sql_text(st, 0);
    m->version = sql_col_int(st, 1);
    m->deleted = sql_col_int(st, 2) != 0;
    m->mirrored = sql_col_int(st, 3);
    m->has_file = !sql_col_null(st, 4);
    sql_digest(st, 4, &m->digest);
    m->mtime_ns = sql_col_int(st, 5);
    m->size = sql_col_int(st, 6);
    m->ino = sql_col_int(st, 7);
    return m;
}

static bool
read_mirrors(Db *db, const char *sql, GPtrArray **ret, GError **error)
{
    SqlStmt *st = sql_get(db, sql, error);
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(free_mirror);
    int rc = 0;

    while (st && (rc = sql_next(st, error)) == 1)
        g_ptr_array_add(all, read_mirror(st));
    if (!st || rc < 0)
        return false;
    *ret = g_steal_pointer(&all);
    return true;
}

bool
note_mirrors(Db *db, GPtrArray **ret, GError **error)
{
    return read_mirrors(db, "SELECT " MIRROR_COLUMNS " FROM note ORDER BY key", ret, error);
}

bool
note_mirrors_behind(Db *db, GPtrArray **ret, GError **error)
{
    return read_mirrors(
        db, "SELECT " MIRROR_COLUMNS " FROM note WHERE version > mirrored ORDER BY key", ret,
        error);
}

bool
note_mirror_load(Db *db, const char *key, NoteMirror **ret, GError **error)
{
    SqlStmt *st = sql_get(db, "SELECT " MIRROR_COLUMNS " FROM note WHERE key = ?", error);

    if (!st)
        return false;
    sql_bind(st, "s", key);
    int rc = sql_next(st, error);
    if (rc < 0)
        return false;
    *ret = rc == 1 ? read_mirror(st) : NULL;
    if (rc == 1)
        sql_reset(st);
    return true;
}

bool
note_mirrors_owed(Db *db, bool *ret, GError **error)
{
    int64_t owed;

    if (!sql_int(db, "SELECT EXISTS (SELECT 1 FROM note WHERE version > mirrored)", 0, &owed,
                 error, ""))
        return false;
    *ret = owed != 0;
    return true;
}

bool
note_mirror_set(Txn *txn, const NoteMirror *m, GError **error)
{
    return sql_run(txn,
                   "UPDATE note SET mirrored = ?, digest = ?, mtime_ns = ?, size = ?, ino = ? "
                   "WHERE key = ?",
                   NULL, error, "idiiis", m->mirrored, m->has_file ? &m->digest : NULL,
                   m->mtime_ns, m->size, m->ino, m->key);
}

bool
note_version_of(Db *db, const char *key, GBytes *body, int64_t *ret_version, GError **error)
{
    return sql_int(db, "SELECT max(version) FROM note_version WHERE key = ? AND body = ?", 0,
                   ret_version, error, "sb", key, body);
}
