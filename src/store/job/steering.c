#include "store/job/steering.h"
#include "mail/address.h"
#include "store/sql.h"

unsigned
rights_of(const Config *config, const char *spec, Trust trust)
{
    if (trust == TRUST_OPERATOR)
        return MAY_ASK | MAY_STEER | MAY_APPROVE;
    const ConfPerson *person = spec ? config_person_at(config, spec) : NULL;
    if (person)
        return person->may;
    if (trust == TRUST_PRINCIPAL)
        return MAY_ASK | MAY_STEER;
    return trust == TRUST_ROLE ? MAY_ASK : 0;
}

bool
mail_rights(Db *db, MsgId mail, unsigned *ret, GError **error)
{
    const Config *config = db_home(db)->config;
    SqlStmt *st =
        sql_get(db,
                "SELECT m.from_spec, m.trust, coalesce((SELECT o.may FROM outbox o WHERE "
                "o.msgid = m.msgid AND o.job <> 0 ORDER BY o.id LIMIT 1), 0) FROM message m "
                "WHERE m.id = ?",
                error);
    Trust trust;

    if (!st)
        return false;
    *ret = 0;
    sql_bind(st, "i", mail.v);
    int rc = sql_next(st, error);
    if (rc == 1 && config && trust_parse(sql_col_text(st, 1), &trust)) {
        *ret = rights_of(config, sql_col_text(st, 0), trust);
        if (trust == TRUST_ROLE)
            *ret |= (unsigned)(int)sql_col_int(st, 2);
    }
    sql_reset(st);
    return rc >= 0;
}

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
