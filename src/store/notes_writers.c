#include "base/banned.h"
#include "store/notes.h"
#include "store/sql.h"

bool
note_writers(Db *db, const char *key, GArray **ret, GError **error)
{
    g_autoptr(GArray) jobs = g_array_new(FALSE, FALSE, sizeof(JobId));
    sqlite3_stmt *st =
        sql_get(db,
                "WITH RECURSIVE name (key) AS (SELECT ?1 UNION SELECT v.from_key FROM "
                "note_version v JOIN name n ON v.key = n.key WHERE v.from_key IS NOT NULL) "
                "SELECT DISTINCT v.job FROM note_version v JOIN name n ON v.key = n.key "
                "WHERE v.body IS NOT NULL AND v.from_key IS NULL ORDER BY v.job",
                error);
    int rc;

    if (!st)
        return false;
    sql_bind(st, "s", key);
    while ((rc = sql_next(db, st, error)) == 1) {
        JobId job = {sqlite3_column_int64(st, 0)};
        g_array_append_val(jobs, job);
    }
    if (rc < 0)
        return false;
    *ret = g_steal_pointer(&jobs);
    return true;
}
