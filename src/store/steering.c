#include "store/steering.h"
#include "base/banned.h"
#include "mail/address.h"
#include "store/sql.h"

bool
job_steered_by(Db *db, JobId job, const char *spec, bool *ret, GError **error)
{
    g_autofree char *normal = address_normalise(spec);
    int64_t found = 0;

    *ret = false;
    if (!normal)
        return true;
    if (!sql_int(db,
                 "SELECT EXISTS (SELECT 1 FROM job WHERE id = ?1 AND asker = ?2) OR "
                 "coalesce((SELECT from_spec FROM message WHERE job = ?1 AND job <> 0 "
                 "ORDER BY id LIMIT 1) = ?2, 0) OR "
                 "EXISTS (SELECT 1 FROM message WHERE job = ?1 AND job <> 0 AND "
                 "from_spec <> ?2 AND instr(' ' || to_specs || ' ', ' ' || ?2 || ' ') > 0) OR "
                 "EXISTS (SELECT 1 FROM outbox o JOIN delivery d ON d.outbox = o.id "
                 "WHERE o.job = ?1 AND o.job <> 0 AND d.address = ?2 AND "
                 "d.state NOT IN ('held', 'failed') AND "
                 "o.created_us < coalesce((SELECT min(received_us) FROM message WHERE "
                 "job = ?1 AND job <> 0 AND from_spec = ?2), 9223372036854775807))",
                 0, &found, error, "is", job.v, normal))
        return false;
    *ret = found != 0;
    return true;
}
