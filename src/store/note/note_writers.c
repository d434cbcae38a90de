#include "base/banned.h"
#include "store/note/note_versions.h"
#include "store/sql.h"

/* All names that a note had, the present one first. */
#define NAMES                                                                                  \
    "WITH RECURSIVE name (key) AS (SELECT ?1 UNION SELECT v.from_key FROM "                    \
    "note_version v JOIN name n ON v.key = n.key WHERE v.from_key IS NOT NULL) "
#define WRITTEN "v.body IS NOT NULL AND v.from_key IS NULL "

bool
note_writers(Db *db, const char *key, GArray **ret, GError **error)
{
    g_autoptr(GArray) jobs = g_array_new(FALSE, FALSE, sizeof(JobId));
    SqlStmt *st =
        sql_get(db,
                NAMES "SELECT DISTINCT v.job FROM note_version v JOIN name n ON v.key = n.key "
                      "WHERE " WRITTEN "ORDER BY v.job",
                error);
    int rc;

    if (!st)
        return false;
    sql_bind(st, "s", key);
    while ((rc = sql_next(st, error)) == 1) {
        JobId job = {sql_col_int(st, 0)};
        g_array_append_val(jobs, job);
    }
    if (rc < 0)
        return false;
    *ret = g_steal_pointer(&jobs);
    return true;
}

bool
note_steered(Db *db, const char *key, JobId own, int round, bool *ret, GError **error)
{
    int64_t found;

    if (!sql_int(db,
                 NAMES "SELECT EXISTS (SELECT 1 FROM note_version v JOIN name n ON "
                       "v.key = n.key WHERE " WRITTEN "AND NOT v.below AND NOT (v.job = ?2 AND "
                       "?2 <> 0 AND (?3 = 0 OR coalesce((SELECT s.round = ?3 FROM step s WHERE "
                       "s.job = ?2 AND s.n = v.step), 0))))",
                 0, &found, error, "sii", key, own.v, (int64_t)round))
        return false;
    *ret = found != 0;
    return true;
}
