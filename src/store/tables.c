#include "store/tables.h"
#include "store/sql.h"

static bool
version_of(Db *db, const char *face, int64_t *ret, GError **error)
{
    return sql_int(db, "SELECT version FROM part WHERE face = ?", ret, error, "s", face);
}

bool
tables_open(Db *db, const char *face, const SqlPart *part, GError **error)
{
    int64_t version;
    g_auto(Txn) txn = {.db = db, .flush = TXN_DURABLE};

    if (!version_of(db, face, &version, error))
        return false;
    if (version > part->newest)
        return err_set(error, ERR_NEVER,
                       "made by a newer postrider (tables %" PRId64 ", this one knows %d)",
                       version, part->newest);
    if (version == part->newest)
        return true;
    while (txn_again(&txn, error)) {
        if (!version_of(db, face, &version,
                        error)) /* somebody else may have done it meanwhile */
            return false;
        for (; version < part->newest; version++) {
            if (!sql_exec(sql_handle(db), part->sql[version], error, "making tables"))
                return false;
        }
        txn.ok = sql_run(&txn,
                         "INSERT INTO part (face, version) VALUES (?, ?) "
                         "ON CONFLICT (face) DO UPDATE SET version = excluded.version",
                         error, "si", face, version);
    }
    return txn.done;
}

/* --- folders --- */

static bool
list(Db *db, const char *face, GPtrArray **ret, GError **error)
{
    return sql_strings(
        db, "SELECT path FROM watch WHERE ?1 IS NULL OR face = ?1 ORDER BY face, path", ret,
        error, "s", face);
}

bool
watches_list(Db *db, GPtrArray **ret, GError **error)
{
    return list(db, NULL, ret, error);
}

static bool
is_kept(const GPtrArray *kept, const char *const *paths)
{
    guint n = 0;

    for (; paths && paths[n]; n++) {
        if (!g_ptr_array_find_with_equal_func((GPtrArray *)kept, paths[n], g_str_equal, NULL))
            return false;
    }
    return n == kept->len;
}

bool
watches_keep(Db *db, const char *face, const char *const *paths, GError **error)
{
    g_autoptr(GPtrArray) kept = NULL;
    g_auto(Txn) txn = {.db = db, .flush = TXN_LAZY};

    if (!list(db, face, &kept, error))
        return false;
    if (is_kept(kept, paths))
        return true;
    while (txn_again(&txn, error)) {
        txn.ok = sql_run(&txn, "DELETE FROM watch WHERE face = ?", error, "s", face);
        for (guint i = 0; txn.ok && paths && paths[i]; i++)
            txn.ok = sql_run(&txn, "INSERT INTO watch (face, path) VALUES (?, ?)", error, "ss",
                             face, paths[i]);
    }
    return txn.done;
}
