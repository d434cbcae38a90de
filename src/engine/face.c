#include "engine/face.h"
#include "base/err.h"
#include "engine/run/view_files.h"

bool
faces_open(Engine *engine, GError **error)
{
    for (const FaceOps *const *f = engine->faces; f && *f; f++) {
        if (((*f)->tables && !tables_open(engine->db, (*f)->name, (*f)->tables, error)) ||
            !watches_keep(engine->db, (*f)->name, (*f)->watches, error))
            return err_prefix(error, "opening '%s'", (*f)->name);
    }
    return true;
}

const char *
faces_claim(const Engine *engine, const MsgNew *in)
{
    for (const FaceOps *const *f = engine->faces; f && *f; f++) {
        if ((*f)->claims && (*f)->claims(engine, in, in->mail))
            return (*f)->name;
    }
    return "";
}

bool
faces_stored(Engine *engine, Txn *txn, MsgId id, const MsgNew *in, JobId job, GError **error)
{
    for (const FaceOps *const *f = engine->faces; f && *f; f++) {
        if ((*f)->stored && !(*f)->stored(engine, txn, id, in, in->mail, job, error))
            return false;
    }
    return true;
}

bool
faces_order(
    Engine *engine, const Judgement *j, const Message *m, JobId job, Order *ret, GError **error)
{
    *ret = (Order){.kind = ORDER_NONE};
    for (const FaceOps *const *f = engine->faces; f && *f; f++) {
        if (ret->kind == ORDER_NONE && (*f)->order &&
            !(*f)->order(engine, j, m, job, ret, error))
            return false;
    }
    return true;
}

bool
faces_ordered(Engine *engine, Txn *txn, JobId id, OrderKind kind, GError **error)
{
    g_autoptr(Job) job = NULL;
    if (!job_load(engine->db, &VIEWER_OPERATOR, id, &job, error))
        return false;
    const FaceOps *face = job ? engine_face(engine, job->face) : NULL;
    return !face || !face->ordered || face->ordered(engine, txn, job, kind, error);
}

bool
faces_settled(Engine *engine, Txn *txn, const Effect *e, const char *why, GError **error)
{
    for (const FaceOps *const *f = engine->faces; f && *f; f++) {
        if ((*f)->settled && !(*f)->settled(engine, txn, e, why, error))
            return false;
    }
    return true;
}

bool
faces_look(Engine *engine, unsigned *ret_n, GError **error)
{
    *ret_n = 0;
    for (const FaceOps *const *f = engine->faces; f && *f; f++) {
        if ((*f)->look && !(*f)->look(engine, ret_n, error))
            return err_prefix(error, "looking at files of '%s'", (*f)->name);
    }
    if (*ret_n > 0)
        (void)settle_views(engine, NULL); /* what can't be written now a sweep writes */
    return true;
}

void
faces_check(Engine *engine, GPtrArray *findings)
{
    for (const FaceOps *const *f = engine->faces; f && *f; f++) {
        if ((*f)->check)
            (*f)->check(engine, findings);
    }
}

void
faces_show(Engine *engine, const Job *job, Sandbox *s)
{
    for (const FaceOps *const *f = engine->faces; f && *f; f++) {
        if ((*f)->shows)
            (*f)->shows(engine, job, s);
    }
}
