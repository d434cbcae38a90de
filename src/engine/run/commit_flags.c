/*
 * Whoever reads the same mailbox sees what became of a mail that was work: S, \Seen, when it is
 * handled; R, \Answered, when a mail that leaves answers it. One that is held answers nothing
 * yet: its yes does (store/mail/mail_flags.h). The flag also tells a store that has lost
 * everything else that there was an answer to be sent (engine/checkpoint/history.h).
 */
#include "engine/run/commit_internal.h"
#include "store/mail/mail_flags.h"

/* Did a mail of this step that leaves answer it? */
static bool
is_answered(const Commit *c, MsgId id)
{
    for (guint i = 0; i < c->answered->len; i++)
        if (g_array_index(c->answered, int64_t, i) == id.v)
            return true;
    for (guint i = 0; i < c->p->mails->len; i++) {
        const CommitParent *parent = g_ptr_array_index(c->parents, i);
        const Verdict *v = &g_array_index(c->verdicts, Verdict, i);
        if (parent && parent->row && parent->row->id.v == id.v &&
            g_ptr_array_index(c->msgids, i) && v->kind != VERDICT_HELD)
            return true;
    }
    return false;
}

bool
commit_may_mark(const Commit *c, const MsgRow *row)
{
    return row && row->job.v == c->job->id.v;
}

static bool
mark(Commit *c, Txn *txn, const MsgRow *row, const char *letters, GError **error)
{
    return !commit_may_mark(c, row) || mail_flags_mark(txn, row, letters, error);
}

bool
commit_flags(Commit *c, Txn *txn, GError **error)
{
    g_autoptr(GHashTable) done = g_hash_table_new(g_int64_hash, g_int64_equal);
    LIST_EACH(const MsgRow, row, c->in->shown) {
        bool answered = is_answered(c, row->id);
        g_hash_table_add(done, (gpointer)&row->id.v);
        if ((answered || commit_settles(c, row)) &&
            !mark(c, txn, row, answered ? "RS" : "S", error))
            return false;
    }
    LIST_EACH(const CommitParent, parent, c->parents) {
        const MsgRow *row = parent ? parent->row : NULL;
        if (row && is_answered(c, row->id) && g_hash_table_add(done, (gpointer)&row->id.v) &&
            !mark(c, txn, row, "RS", error))
            return false;
    }
    return true;
}
