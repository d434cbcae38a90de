#include "store/job/artifact_money.h"
#include "store/rows.h"

static const Field fields[] = {
    {NULL, "a.id", FIELD_INT, offsetof(ArtifactMoney, id)},
    {NULL, "a.name", FIELD_TEXT, offsetof(ArtifactMoney, name)},
    {NULL, "a.kind", FIELD_TEXT, offsetof(ArtifactMoney, kind)},
    {NULL, "m.before_micro", FIELD_MONEY, offsetof(ArtifactMoney, before_micro)},
    {NULL, "m.limit_micro", FIELD_MONEY, offsetof(ArtifactMoney, limit_micro)},
    {NULL, "m.report", FIELD_TEXT, offsetof(ArtifactMoney, report)},
    {NULL, "m.since_us", FIELD_TIME, offsetof(ArtifactMoney, since_us)},
};
const Shape artifact_money_shape = {SHAPE(NULL, ArtifactMoney, artifact_moneys, fields)};

#define FROM_BOTH "FROM artifact a LEFT JOIN artifact_money m ON m.artifact = a.id "
/* Jobs that were ever about the artifact of this name. */
#define ITS_JOBS                                                                               \
    "(SELECT m.job FROM artifact a JOIN event e ON e.artifact = a.id "                         \
    "JOIN message m ON m.msgid = e.msgid WHERE a.name = ?1 UNION "                             \
    "SELECT o.job FROM artifact a JOIN event e ON e.artifact = a.id "                          \
    "JOIN outbox o ON o.msgid = e.msgid WHERE a.name = ?1 UNION "                              \
    "SELECT p.job FROM panel p WHERE p.artifact = ?1 UNION "                                   \
    "SELECT b.job FROM ballot b JOIN panel p ON p.id = b.panel WHERE p.artifact = ?1) "

/* --- what it has cost --- */

static bool
find_spent(Db *db, const char *name, int64_t *ret, GError **error)
{
    return sql_int(
        db,
        "SELECT coalesce(sum(s.cost), 0) FROM (SELECT job, cost_micro AS cost, at_us "
        "FROM step WHERE job IN " ITS_JOBS "UNION ALL SELECT job, micro, at_us "
        "FROM unbooked WHERE job IN " ITS_JOBS ") s WHERE " ARTIFACT_OF_STEP " = ?1",
        ret, error, "s", name);
}

bool
artifact_money_aside(Db *db, const ArtifactMoney *m, int64_t *ret, GError **error)
{
    return sql_int(db,
                   "SELECT coalesce(sum(s.micro), 0) FROM (SELECT job, micro, " SQL_NEVER
                   " AS at_us FROM asking) s WHERE " ARTIFACT_OF_STEP " = ?",
                   ret, error, "s", m->name);
}

/* Adds what the settings and the steps say; NULL where it may cost any sum. */
static bool
complete(Db *db, ArtifactMoney **io, GError **error)
{
    ArtifactMoney *m = *io;
    const ConfArtifact *kind = m ? config_artifact(db_home(db)->config, m->kind) : NULL;

    if (!kind || kind->max_cost_micro == 0) {
        g_clear_pointer(io, artifact_money_free);
        return true;
    }
    m->limit_micro = MAX(m->limit_micro, kind->max_cost_micro);
    if (!find_spent(db, m->name, &m->spent_micro, error))
        return false;
    m->spent_micro += m->before_micro;
    return true;
}

bool
artifact_money_limits(const Config *config)
{
    bool any = false;

    for (unsigned i = 0; config && i < config->n_artifacts; i++)
        any |= config->artifacts[i].max_cost_micro > 0;
    return any;
}

/* Most homes have no such limit, and ask the store nothing. */
static bool
any_limit(Db *db)
{
    return artifact_money_limits(db_home(db)->config);
}

bool
artifact_money_of_job(Db *db, JobId job, ArtifactMoney **ret, GError **error)
{
    g_autoptr(ArtifactMoney) m = NULL;
    g_autoptr(Artifact) a = NULL;
    bool known = false;

    *ret = NULL;
    if (!any_limit(db))
        return true;
    if (!workflow_known(db, &known, error) || (known && !artifact_of_job(db, job, &a, error)))
        return false;
    if (!a)
        return true;
    if (!rows_first(db, &artifact_money_shape, FROM_BOTH "WHERE a.id = ?", &m, error, "i",
                    a->id.v) ||
        !complete(db, &m, error))
        return false;
    *ret = g_steal_pointer(&m);
    return true;
}

bool
artifact_money_told_by(Db *db, const char *msgid, ArtifactMoney **ret, GError **error)
{
    g_autoptr(ArtifactMoney) m = NULL;

    *ret = NULL;
    if (any_limit(db) && (!rows_first(db, &artifact_money_shape, FROM_BOTH "WHERE m.report = ?",
                                      &m, error, "s", msgid) ||
                          !complete(db, &m, error)))
        return false;
    *ret = g_steal_pointer(&m);
    return true;
}

bool
artifact_moneys_paused(Db *db, ArtifactMoneys **ret, GError **error)
{
    bool known = false;

    *ret = NULL;
    if (any_limit(db) && !workflow_known(db, &known, error))
        return false;
    return !known ||
           rows_list(db, &artifact_money_shape,
                     FROM_BOTH "WHERE m.report <> '' ORDER BY a.name", ret, error, "");
}

/* --- the pause --- */

bool
artifact_money_spent(const ArtifactMoney *m)
{
    return m && m->spent_micro >= m->limit_micro;
}

char *
artifact_money_why(const ArtifactMoney *m)
{
    return g_strdup_printf("%s pauses: the work on it has cost what it may", m->name);
}

bool
artifact_money_tell(Txn *txn, ArtifactId id, const char *report, GError **error)
{
    return sql_run(
        txn,
        "INSERT INTO artifact_money (artifact, before_micro, limit_micro, report, since_us) "
        "VALUES (?, 0, 0, ?, ?) ON CONFLICT (artifact) DO UPDATE SET "
        "report = excluded.report, since_us = excluded.since_us",
        error, "isi", id.v, report, txn_now(txn));
}

bool
artifact_money_add(Txn *txn, const ArtifactMoney *m, int64_t more_micro, GError **error)
{
    g_autofree char *why = artifact_money_why(m);

    return sql_run(txn,
                   "INSERT INTO artifact_money (artifact, before_micro, limit_micro, report, "
                   "since_us) "
                   "VALUES (?, 0, ?, '', 0) ON CONFLICT (artifact) DO UPDATE SET "
                   "limit_micro = excluded.limit_micro, report = ''",
                   error, "ii", m->id.v, MAX(m->limit_micro, m->spent_micro) + more_micro) &&
           sql_run(txn,
                   "UPDATE job SET ready_us = steady(?) WHERE state = 'queued' AND why = ?",
                   error, "is", txn_now(txn), why);
}

bool
artifact_money_recall(Txn *txn, const Artifact *a, int64_t spent_micro, GError **error)
{
    int64_t known;

    return find_spent(txn->db, a->name, &known, error) &&
           (spent_micro <= known ||
            sql_run(txn,
                    "INSERT INTO artifact_money (artifact, before_micro, limit_micro, report, "
                    "since_us) "
                    "VALUES (?, ?, 0, '', 0) ON CONFLICT (artifact) DO UPDATE SET "
                    "before_micro = excluded.before_micro "
                    "WHERE artifact_money.before_micro < excluded.before_micro",
                    error, "ii", a->id.v, spent_micro - known));
}
