/*
 * Whoever reads the same mailbox elsewhere sees what became of a mail that was work: \Seen when
 * it is handled, \Answered when a mail that leaves answers it.
 */
#include "base/banned.h"
#include "engine/commit_internal.h"
#include "store/effects.h"

/* Did a mail of this step that leaves answer it? */
static bool
is_answered(const Commit *c, MsgId id)
{
    for (guint i = 0; i < c->p->mails->len; i++) {
        const CommitParent *parent = g_ptr_array_index(c->parents, i);
        const Verdict *v = &g_array_index(c->verdicts, Verdict, i);
        if (parent && parent->row && parent->row->id.v == id.v &&
            g_ptr_array_index(c->msgids, i) && v->kind != VERDICT_HELD)
            return true;
    }
    return false;
}

/* Only on mail of this job, and only where there is a server: mail that lies here alone has our
 * folders for that. */
static bool
owe_flags(Commit *c, Txn *txn, const MsgRow *row, const char *flags, GError **error)
{
    const ConfAccount *account = config_account(c->engine->home->config, row->account);
    if (!account || !config_is_imap(account) || row->job.v != c->job->id.v)
        return true;
    g_autofree char *subject = g_strdup_printf("%s/%s", row->role, row->file);
    Effect e = {.kind = EFFECT_MAIL_FLAG,
                .job = c->job->id,
                .message = row->id,
                .account = "",
                .subject = subject,
                .args = flags};
    EffectId id;
    return effect_put(txn, &e, &id, error);
}

bool
commit_flags(Commit *c, Txn *txn, GError **error)
{
    g_autoptr(GHashTable) done = g_hash_table_new(g_int64_hash, g_int64_equal);
    for (guint i = 0; i < c->in->shown->len; i++) {
        const MsgRow *row = g_ptr_array_index(c->in->shown, i);
        bool answered = is_answered(c, row->id);
        g_hash_table_add(done, (gpointer)&row->id.v);
        if ((answered || commit_settles(c, row)) &&
            !owe_flags(c, txn, row, answered ? "+RS" : "+S", error))
            return false;
    }
    for (guint i = 0; i < c->parents->len; i++) {
        const CommitParent *parent = g_ptr_array_index(c->parents, i);
        const MsgRow *row = parent ? parent->row : NULL;
        if (row && is_answered(c, row->id) && g_hash_table_add(done, (gpointer)&row->id.v) &&
            !owe_flags(c, txn, row, "+RS", error))
            return false;
    }
    return true;
}
