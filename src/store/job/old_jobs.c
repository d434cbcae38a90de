#include "store/job/old_jobs.h"
#include "store/sql.h"

#define ENDED "j.updated_us < ? AND j.state IN ('done', 'failed', 'cancelled')"
#define OLD_STEPS "FROM job j JOIN step s ON s.job = j.id WHERE " ENDED " AND "
#define HAS_CONTEXT "(s.manifest IS NOT NULL OR (s.state IS NOT NULL AND s.n < j.steps))"
#define HAS_ANSWER "(s.answer IS NOT NULL OR s.results IS NOT NULL) AND s.n < j.steps"

static const struct {
    const char *count, *forget;
} parts[] = {
    [OLD_CONTEXT] = {"SELECT count(*) " OLD_STEPS HAS_CONTEXT,
                     "UPDATE step SET manifest = NULL, state = CASE WHEN n = "
                     "(SELECT steps FROM job WHERE id = step.job) THEN state END WHERE id IN "
                     "(SELECT s.id " OLD_STEPS HAS_CONTEXT " LIMIT ?)"},
    [OLD_ANSWER] = {"SELECT count(*) " OLD_STEPS HAS_ANSWER,
                    "UPDATE step SET answer = NULL, results = NULL WHERE id IN "
                    "(SELECT s.id " OLD_STEPS HAS_ANSWER " LIMIT ?)"},
};

bool
old_steps_count(Db *db, OldPart part, int64_t before_us, unsigned *ret, GError **error)
{
    return sql_count(db, parts[part].count, ret, error, "i", before_us);
}

bool
old_steps_forget(
    Txn *txn, OldPart part, int64_t before_us, unsigned max, unsigned *ret, GError **error)
{
    return sql_changes(txn, parts[part].forget, ret, error, "iu", before_us, max);
}

bool
old_job(Db *db, JobId job, const char *role, int64_t before_us, bool *ret, GError **error)
{
    return sql_bool(db, "SELECT 1 FROM job j WHERE " ENDED " AND j.id = ? AND j.role = ?", ret,
                    error, "iis", before_us, job.v, role);
}
