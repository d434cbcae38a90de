#include "engine/face.h"
#include "base/list.h"
#include "engine/run/view_files.h"
#include "store/job/budget.h"

/* Calls this member of every face that has it, and returns: false once a call has failed. */
#define ALL_FACES(member, ...)                                                                 \
    for (const FaceOps *const *f = engine->faces; f && *f; f++)                                \
        if ((*f)->member && !(*f)->member(__VA_ARGS__))                                        \
            return false;                                                                      \
    return true

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
        if ((*f)->claims && (*f)->claims(engine, in))
            return (*f)->name;
    }
    return "";
}

bool
faces_stored(Engine *engine, Txn *txn, MsgId id, const MsgNew *in, JobId job, GError **error)
{
    ALL_FACES(stored, engine, txn, id, in, job, error);
}

bool
faces_posted(Engine *engine, Txn *txn, MailKind kind, GBytes *bytes, GError **error)
{
    ALL_FACES(posted, engine, txn, kind, bytes, error);
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

/* A look at files for a mail that is taken in. */
typedef struct Sight {
    const FaceOps *face;
    char *subject;
    void *seen; /* NULL: to be looked at */
} Sight;

static void
sight_free(gpointer p)
{
    Sight *s = p;
    if (s->seen)
        s->face->forget(s->seen);
    free_all(s->subject, s);
}

const void *
faces_sight(Engine *engine, const FaceOps *face, const char *subject, GError **error)
{
    if (!engine->sights)
        engine->sights = g_ptr_array_new_with_free_func(sight_free);
    LIST_EACH(const Sight, s, engine->sights) {
        if (s->face == face && g_str_equal(s->subject, subject) && s->seen)
            return s->seen;
    }
    Sight *s = g_new0(Sight, 1);
    s->face = face;
    s->subject = g_strdup(subject);
    g_ptr_array_add(engine->sights, s);
    err_set(error, ERR_AGAIN, "'%s' is to be looked at first", subject);
    return NULL;
}

bool
faces_see(Engine *engine)
{
    bool any = false;

    for (guint i = 0; engine->sights && i < engine->sights->len; i++) {
        Sight *s = engine->sights->pdata[i];
        if (!s->seen) {
            s->seen = s->face->see(engine, s->subject);
            any = true;
        }
    }
    return any;
}

void
faces_forget(Engine *engine)
{
    g_clear_pointer(&engine->sights, g_ptr_array_unref);
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
faces_pay(Engine *engine, Txn *txn, const Job *job, int64_t micro, GError **error)
{
    return budget_pay(txn, job->id, micro, error) && faces_paid(engine, txn, job, error);
}

bool
faces_paid(Engine *engine, Txn *txn, const Job *job, GError **error)
{
    ALL_FACES(paid, engine, txn, job, error);
}

bool
faces_failed(Engine *engine, Txn *txn, const Job *job, const char *why, GError **error)
{
    ALL_FACES(failed, engine, txn, job, why, error);
}

bool
faces_handled(Engine *engine, Txn *txn, const Job *job, const MsgRow *row, GError **error)
{
    ALL_FACES(handled, engine, txn, job, row, error);
}

bool
faces_worked(Engine *engine,
             const Job *job,
             const StepInput *in,
             Proposal *p,
             GPtrArray *ret_refused,
             GError **error)
{
    ALL_FACES(worked, engine, job, in, p, ret_refused, error);
}

bool
faces_wait(Engine *engine, const MsgNew *in, bool *ret, GError **error)
{
    *ret = false;
    for (const FaceOps *const *f = engine->faces; f && *f && !*ret; f++) {
        if ((*f)->waits && !(*f)->waits(engine, in, ret, error))
            return false;
    }
    return true;
}

bool
faces_tell(Engine *engine, const MsgRow *row, bool *ret, GError **error)
{
    *ret = false;
    for (const FaceOps *const *f = engine->faces; f && *f && !*ret; f++) {
        if ((*f)->tells && !(*f)->tells(engine, row, ret, error))
            return false;
    }
    return true;
}

bool
faces_page(Engine *engine, const Job *job, const StepInput *in, Context *c, GError **error)
{
    ALL_FACES(page, engine, job, in, c, error);
}

bool
faces_settled(Engine *engine, Txn *txn, const Effect *e, const char *why, GError **error)
{
    ALL_FACES(settled, engine, txn, e, why, error);
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
