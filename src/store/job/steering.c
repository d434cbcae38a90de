#include "store/job/steering.h"
#include "mail/address.h"
#include "store/mail/messages.h"
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
    g_autoptr(MsgRow) row = NULL;
    unsigned handed_on = 0;

    if (!messages_load(db, &VIEWER_OPERATOR, mail, &row, error) ||
        (row && row->trust == TRUST_ROLE &&
         !sql_count(db,
                    "SELECT may FROM outbox WHERE msgid = ? AND job <> 0 ORDER BY id LIMIT 1",
                    &handed_on, error, "s", row->msgid)))
        return false;
    *ret = row && config ? rights_of(config, row->from, row->trust) | handed_on : 0;
    return true;
}

bool
job_steered_by(Db *db, JobId job, const char *spec, bool *ret, GError **error)
{
    g_autofree char *normal = address_normalise(spec);

    *ret = false;
    return !normal ||
           sql_bool(db,
                    "SELECT EXISTS (SELECT 1 FROM job WHERE id = ?1 AND asker = ?2) OR "
                    "coalesce((SELECT from_spec FROM message WHERE job = ?1 AND job <> 0 "
                    "ORDER BY id LIMIT 1) = ?2, 0) OR "
                    "EXISTS (SELECT 1 FROM message WHERE job = ?1 AND job <> 0 AND "
                    "from_spec <> ?2 AND " MESSAGE_IS_TO ") OR "
                    "EXISTS (SELECT 1 FROM outbox o JOIN delivery d ON d.outbox = o.id "
                    "WHERE o.job = ?1 AND o.job <> 0 AND d.address = ?2 AND "
                    "d.state NOT IN ('held', 'failed') AND o.created_us < coalesce("
                    "(SELECT min(received_us) FROM message WHERE job = ?1 AND job <> 0 AND "
                    "from_spec = ?2), " SQL_NEVER "))",
                    ret, error, "is", job.v, normal);
}
