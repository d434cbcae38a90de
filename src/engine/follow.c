#include "engine/follow.h"
#include "engine/mail_load.h"

#define FOLLOW_BATCH 2000

typedef struct Follow {
    Engine *engine;
    Index *ix;
    unsigned max, n;
} Follow;

/* A mail that can't be read any more is still found by its header fields. */
static bool
add_in(Follow *f, const MsgRow *row, int64_t *last, GError **error)
{
    g_autoptr(Message) m = NULL;
    if (row->class != MSG_UNREADABLE)
        (void)mail_load(f->engine, row, MESSAGE_TEXT, &m, NULL);
    *last = row->id.v;
    const IndexText mail = {row->from, row->to, row->subject, m ? m->text : NULL, row->role};
    return index_add(f->ix, INDEX_IN, *last, &mail, error);
}

static bool
add_out(Follow *f, const OutRow *row, int64_t *last, GError **error)
{
    g_autoptr(Message) m = NULL;
    (void)mail_load_out(f->engine, row, NULL, MESSAGE_TEXT, &m, NULL);
    *last = row->id.v;
    const IndexText mail = {row->from, row->address, row->subject, m ? m->text : NULL, row->role};
    return index_add(f->ix, INDEX_OUT, *last, &mail, error);
}

/* Adds a batch of mail that came (in) or of mail that we wrote (out); the other one is NULL. */
static bool
add_batch(Follow *f, const MsgRows *in, const OutRows *out, int64_t *last, GError **error)
{
    if (!index_begin(f->ix, error))
        return false;
    for (guint i = 0; in && i < in->len; i++)
        if (!add_in(f, in->pdata[i], last, error))
            return false;
    for (guint i = 0; out && i < out->len; i++)
        if (!add_out(f, out->pdata[i], last, error))
            return false;
    return index_commit(f->ix, in ? INDEX_IN : INDEX_OUT, *last, error);
}

static bool
follow_kind(Follow *f, IndexOf of, int64_t last, GError **error)
{
    while (f->max == 0 || f->n < f->max) {
        Db *db = f->engine->db;
        g_autoptr(MsgRows) in = NULL;
        g_autoptr(OutRows) out = NULL;
        if (of == INDEX_IN ? !index_behind(db, last, FOLLOW_BATCH, &in, error)
                           : !index_behind_out(db, last, FOLLOW_BATCH, &out, error))
            return false;
        guint n = in ? in->len : out->len;
        if (n == 0)
            break;
        if (!add_batch(f, in, out, &last, error))
            return false;
        f->n += n;
    }
    return true;
}

bool
follow_index(Engine *engine, Index *ix, unsigned max, unsigned *ret_n, GError **error)
{
    Follow f = {.engine = engine, .ix = ix, .max = max};
    int64_t in, out;
    if (!index_mark(ix, INDEX_IN, &in, error) || !index_mark(ix, INDEX_OUT, &out, error) ||
        !follow_kind(&f, INDEX_IN, in, error) || !follow_kind(&f, INDEX_OUT, out, error))
        return false;
    if (ret_n)
        *ret_n = f.n;
    return true;
}
