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
    return sql_ints(db,
                    NAMES
                    "SELECT DISTINCT v.job FROM note_version v JOIN name n ON v.key = n.key "
                    "WHERE " WRITTEN "ORDER BY v.job",
                    ret, error, "s", key);
}

bool
note_steered(Db *db, const char *key, JobId own, int round, bool *ret, GError **error)
{
    return sql_bool(db,
                    NAMES
                    "SELECT EXISTS (SELECT 1 FROM note_version v JOIN name n ON "
                    "v.key = n.key WHERE " WRITTEN "AND NOT v.below AND NOT (v.job = ?2 AND "
                    "?2 <> 0 AND (?3 = 0 OR coalesce((SELECT s.round = ?3 FROM step s WHERE "
                    "s.job = ?2 AND s.n = v.step), 0))))",
                    ret, error, "sin", key, own.v, round);
}
