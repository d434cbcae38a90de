#include "store/workflow_past.h"
#include "store/rows.h"

#define KNOWN "workflow-past" /* in meta: the generation whose events were read */

/* Caller frees. */
static char *
generation(Db *db)
{
    return g_strdup_printf("%" G_GUINT64_FORMAT, db_generation(db));
}

bool
flow_past_known(Db *db, bool *ret, GError **error)
{
    g_autofree char *now = generation(db), *then = NULL;

    if (!meta_get(db, KNOWN, &then, error))
        return false;
    *ret = g_strcmp0(now, then) == 0;
    return true;
}

bool
flow_past_set_known(Txn *txn, GError **error)
{
    g_autofree char *now = generation(txn->db);
    return meta_set(txn, KNOWN, now, error);
}

bool
artifact_restore(Txn *txn, const Artifact *a, ArtifactId *ret, GError **error)
{
    g_autoptr(Artifact) there = NULL;

    if (!artifact_find(txn->db, a->name, &there, error))
        return false;
    *ret = there ? there->id : (ArtifactId){0};
    if (there)
        return *there->to ||
               sql_run(txn,
                       "UPDATE artifact SET state = ?, path = ?, holder = ?, since_us = ? "
                       "WHERE id = ?",
                       error, "sssii", a->state, a->path, a->holder, a->since_us, there->id.v);
    return sql_insert(txn,
                      "INSERT INTO artifact (name, kind, state, path, author, holder, since_us, "
                      "to_state, to_path, mover, cycle, host) "
                      "VALUES (?, ?, ?, ?, ?, ?, ?, '', '', '', 0, '')",
                      &ret->v, error, "ssssssi", a->name, a->kind, a->state, a->path, a->author,
                      a->holder, a->since_us);
}

/* The number that it had, if it is free. */
static bool
put_cycle(Txn *txn, const Cycle *c, CycleId *ret, GError **error)
{
    bool taken;

    if (!sql_bool(txn->db, "SELECT 1 FROM cycle WHERE id = ?", &taken, error, "i", c->id.v))
        return false;
    if (taken || !c->id.v)
        return sql_insert(txn,
                          "INSERT INTO cycle (artifact, n, msgid, author, reviewers, digest, "
                          "opened_us, closed_us, outcome, decided_by, resolved_by) "
                          "VALUES (?, ?, ?, ?, ?, ?, ?, 0, '', '', '')",
                          &ret->v, error, "iissssi", c->artifact.v, (int64_t)c->n, c->msgid,
                          c->author, c->reviewers, c->digest, c->opened_us);
    *ret = c->id;
    return sql_run(txn,
                   "INSERT INTO cycle (id, artifact, n, msgid, author, reviewers, digest, "
                   "opened_us, closed_us, outcome, decided_by, resolved_by) "
                   "VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, '', '', '')",
                   error, "iiissssi", c->id.v, c->artifact.v, (int64_t)c->n, c->msgid, c->author,
                   c->reviewers, c->digest, c->opened_us);
}

bool
cycle_restore(Txn *txn, const Cycle *c, CycleId *ret, GError **error)
{
    int64_t there, newest;

    if (!sql_int(txn->db, "SELECT id FROM cycle WHERE artifact = ? AND n = ?", &there, error, "ii",
                 c->artifact.v, (int64_t)c->n) ||
        !sql_int(txn->db, "SELECT max(n) FROM cycle WHERE artifact = ?", &newest, error, "i",
                 c->artifact.v))
        return false;
    CycleId id = {there};
    if (!there && (!put_cycle(txn, c, &id, error) ||
                   (newest < c->n && !sql_run(txn, "UPDATE artifact SET cycle = ? WHERE id = ?",
                                              error, "ii", id.v, c->artifact.v))))
        return false;
    *ret = id;
    return true;
}

bool
cycle_restore_end(Txn *txn, CycleId id, const Cycle *c, bool *ret_was_open, GError **error)
{
    g_autoptr(Cycle) now = NULL;

    if (!cycle_load(txn->db, id, &now, error))
        return false;
    *ret_was_open = now && !*now->outcome;
    if (!*ret_was_open)
        return true;
    return cycle_renew(txn, id, c->digest, error) &&
           (!*c->outcome ||
            (cycle_close(txn, id, c->outcome, c->by, c->resolved_by, error) &&
             sql_run(txn, "UPDATE cycle SET closed_us = ? WHERE id = ?", error, "ii",
                     c->closed_us, id.v)));
}

bool
flow_event_restore(Txn *txn, const FlowEvent *e, bool *ret_new, GError **error)
{
    g_autoptr(FlowEvent) there = NULL;
    EventId id;

    if (!flow_event_find(txn->db, e->msgid, &there, error))
        return false;
    *ret_new = !there;
    return there || flow_event_put(txn, e, &id, error);
}
