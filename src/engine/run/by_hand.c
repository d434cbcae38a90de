#include "engine/run/by_hand.h"
#include "engine/checkpoint/proof.h"
#include "engine/out/post.h"
#include "engine/role.h"
#include "engine/run/commit_internal.h"
#include "engine/run/settle.h"
#include "store/mail/mail_flags.h"

struct ByHand {
    Engine *engine;
    const Job *job;
    const MsgRows *settles;
    const ProposedMail *mail;
    const ConfRole *role;
    CommitParent *parent;
    GPtrArray *to; /* char *, borrowed */
};

void
by_hand_free(ByHand *h)
{
    if (!h)
        return;
    commit_parent_free(h->parent);
    g_clear_pointer(&h->to, g_ptr_array_unref);
    g_free(h);
}

/* Finds the recipients: the To of the mail, else the writers of the mails that it answers,
 * newest first. */
static void
find_recipients(ByHand *h)
{
    const StepInput in = {.shown = (MsgRows *)h->settles};
    h->to = h->mail->to->len ? g_ptr_array_ref(h->mail->to) : step_askers(h->job, &in);
}

bool
by_hand_begin(Engine *engine,
              const Job *job,
              const MsgRows *settles,
              const ProposedMail *mail,
              ByHand **ret,
              GError **error)
{
    g_autoptr(ByHand) h = g_new0(ByHand, 1);
    const StepInput in = {.shown = (MsgRows *)settles};
    *h = (ByHand){.engine = engine, .job = job, .settles = settles, .mail = mail};
    h->role = role_get(engine, job->role, error);
    h->parent =
        h->role ? commit_parent_load(engine, job, step_parent_id(job, &in, mail), error) : NULL;
    if (!h->parent)
        return false;
    find_recipients(h);
    *ret = g_steal_pointer(&h);
    return true;
}

static bool
name_settled(const ByHand *h, Compose *made, GError **error)
{
    g_autoptr(GPtrArray) ids = g_ptr_array_new();
    LIST_EACH(const MsgRow, row, h->settles)
        g_ptr_array_add(ids, row->msgid);
    return proof_name(h->engine->home, made, h->job, true, h->parent->letter.msgid, ids, error);
}

static bool
settle_mail(const ByHand *h, Txn *txn, GError **error)
{
    LIST_EACH(const MsgRow, row, h->settles)
        if (!messages_settle(txn, h->job->id, h->job->steps, &row->id, 1, error) ||
            !mail_flags_mark(txn, row, "RS", error) ||
            !settle_owe_move(txn, h->job->id, row, "Done", error))
            return false;
    return true;
}

bool
by_hand_commit(ByHand *h, Txn *txn, char **ret_msgid, GError **error)
{
    g_autoptr(Compose) made = role_mail_answer(h->engine, h->role, NULL, h->mail, h->to,
                                               &h->parent->letter, error);
    Post post = post_of_job(h->job);
    if (h->parent->row && h->parent->row->job.v == h->job->id.v)
        post.answers = h->parent->row->id;
    return made && name_settled(h, made, error) && settle_mail(h, txn, error) &&
           post_compose(h->engine, txn, h->settles->len ? MAIL_ANSWER : MAIL_INTERIM, made,
                        &post, NULL, ret_msgid, error);
}
