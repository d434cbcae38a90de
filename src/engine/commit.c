/*
 * From a proposal to the store: one transaction, and everything that the decision creates is in
 * it.
 *
 *   before   read what the mails answer, compose them         no transaction, may fail
 * harmlessly T        claim still ours? step, messages, mails, moves, the job's next state;
 * COMMIT, flushed after    step_settle(): moves of mail files, release of mail that waited, a
 * hint
 *
 * A crash before T's commit leaves nothing; after it, the sweep finds what is owed.
 */
#include "engine/commit.h"
#include "base/banned.h"
#include "base/crash.h"
#include "base/err.h"
#include "engine/follow.h"
#include "engine/letter.h"
#include "engine/post.h"
#include "engine/settle.h"
#include "store/effects.h"
#include "store/steps.h"
#include "store/timers.h"

/* The mail that an answer hangs below, with its References from the file. */
typedef struct Parent {
    MsgRow *row;
    Message *headers;
    LetterParent letter;
} Parent;

static void
parent_clear(Parent *p)
{
    msg_row_free(p->row);
    message_free(p->headers);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Parent, parent_clear)

static bool
parent_load(Engine *engine,
            const Job *job,
            const StepInput *in,
            const char *msgid,
            Parent *ret,
            GError **error)
{
    if (!msgid && in->shown->len > 0)
        msgid = ((const MsgRow *)g_ptr_array_index(in->shown, in->shown->len - 1))->msgid;
    if (!msgid)
        msgid = job->original_msgid;
    const Viewer viewer = {.role = job->role};
    if (!messages_find(engine->db, &viewer, msgid, &ret->row, error))
        return false;
    if (!ret->row) {
        ret->letter = (LetterParent){.msgid = msgid, .subject = job->subject};
        return true;
    }
    g_autoptr(GBytes) bytes = NULL;
    g_autoptr(GError) gone = NULL;
    if (follow_read(engine->home, ret->row, &bytes, &gone) && bytes) {
        gsize len;
        const void *data = g_bytes_get_data(bytes, &len);
        ret->headers = message_parse(data, len, MESSAGE_HEADERS, NULL);
    }
    ret->letter = (LetterParent){
        .msgid = ret->row->msgid,
        .subject = ret->row->subject,
        .in_reply_to = ret->row->in_reply_to,
        .references = ret->headers ? ret->headers->references : NULL,
    };
    return true;
}

/* Everybody whose mail is being answered, newest first, each once; else whoever began the
 * round. */
static GPtrArray *
askers(const Job *job, const StepInput *in)
{
    GPtrArray *to = g_ptr_array_new();
    for (guint i = in->shown->len; i-- > 0;) {
        MsgRow *row = g_ptr_array_index(in->shown, i);
        bool known = false;
        for (guint k = 0; k < to->len && !known; k++)
            known = address_equal(g_ptr_array_index(to, k), row->from);
        if (!known && *row->from)
            g_ptr_array_add(to, row->from);
    }
    if (to->len == 0)
        g_ptr_array_add(to, job->asker);
    return to;
}

static Compose *
compose_mail(Engine *engine,
             const ConfRole *role,
             const Job *job,
             const StepInput *in,
             const ProposedMail *mail,
             GError **error)
{
    g_auto(Parent) parent = {0};
    bool answers = mail->to->len == 0 || mail->in_reply_to;
    if (answers && !parent_load(engine, job, in, mail->in_reply_to, &parent, error))
        return NULL;
    g_autoptr(GPtrArray) asked = mail->to->len == 0 ? askers(job, in) : NULL;
    return letter_answer(engine->home, role, job, mail, asked ? asked : mail->to,
                         answers ? &parent.letter : NULL, error);
}

static GPtrArray *
compose_all(Engine *engine,
            const ConfRole *role,
            const Job *job,
            const StepInput *in,
            const Proposal *p,
            const GArray *verdicts,
            GError **error)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func((GDestroyNotify)compose_free);
    for (guint i = 0; i < p->mails->len; i++) {
        Compose *c = NULL;
        if (g_array_index(verdicts, Verdict, i).kind != VERDICT_REFUSED) {
            c = compose_mail(engine, role, job, in, g_ptr_array_index(p->mails, i), error);
            if (!c)
                return NULL;
        }
        g_ptr_array_add(all, c);
    }
    return g_steal_pointer(&all);
}

static bool
put_mails(Engine *engine,
          Txn *txn,
          const Job *job,
          int step,
          const GPtrArray *composed,
          const GArray *verdicts,
          GPtrArray *msgids,
          GError **error)
{
    for (guint i = 0; i < composed->len; i++) {
        Compose *c = g_ptr_array_index(composed, i);
        if (!c) {
            g_ptr_array_add(msgids, NULL);
            continue;
        }
        const Verdict *v = &g_array_index(verdicts, Verdict, i);
        Post post = {.job = job->id,
                     .round = job->round,
                     .step = step,
                     .thread = job->thread,
                     .held = v->kind == VERDICT_HELD ? v->why : NULL,
                     .level = TRUST_ROLE,
                     .mailbox = job->role};
        char *msgid;
        if (!post_compose(engine, txn, c, &post, NULL, &msgid, error))
            return false;
        g_ptr_array_add(msgids, msgid);
    }
    return true;
}

static bool
owe_move(Txn *txn, const Job *job, const MsgRow *row, const char *folder, GError **error)
{
    if (g_str_equal(row->folder, folder))
        return true;
    g_autofree char *subject = g_strdup_printf("%s/%s", row->role, row->file);
    Effect e = {.kind = EFFECT_MAIL_MOVE,
                .job = job->id,
                .message = row->id,
                .account = "",
                .subject = subject,
                .args = folder};
    EffectId id;
    return effect_put(txn, &e, &id, error);
}

static bool
settles(const Proposal *p, const MsgRow *row)
{
    if (p->settles->len == 0)
        return p->status == PROPOSE_COMPLETE;
    for (guint i = 0; i < p->settles->len; i++) {
        if (g_array_index(p->settles, MsgId, i).v == row->id.v)
            return true;
    }
    return false;
}

/* Each mail that was shown: settled and filed in Done, dead with a job that failed, or in hand.
 */
static bool
put_messages(
    Txn *txn, const Job *job, int step, const StepInput *in, const Proposal *p, GError **error)
{
    for (guint i = 0; i < in->shown->len; i++) {
        const MsgRow *row = g_ptr_array_index(in->shown, i);
        if (settles(p, row)) {
            if (!messages_settle(txn, job->id, step, &row->id, 1, error) ||
                !owe_move(txn, job, row, "Done", error))
                return false;
        } else if (p->status == PROPOSE_FAIL) {
            if (!messages_set_state(txn, row->id, MSG_DEAD, p->why, error))
                return false;
        } else if (!*row->folder && !owe_move(txn, job, row, "Active", error)) {
            return false;
        }
    }
    return true;
}

static char *
describe(const Proposal *p, const GArray *verdicts, const GPtrArray *msgids)
{
    g_autoptr(GString) did = g_string_new(NULL);
    for (guint i = 0; i < p->mails->len; i++) {
        const ProposedMail *m = g_ptr_array_index(p->mails, i);
        const Verdict *v = &g_array_index(verdicts, Verdict, i);
        const char *id = g_ptr_array_index(msgids, i);
        if (did->len)
            g_string_append(did, "; ");
        if (v->kind == VERDICT_REFUSED)
            g_string_append_printf(did, "refused a mail (%s)", v->why);
        else
            g_string_append_printf(did, "%s %s<%s>", m->to->len ? "wrote" : "answered",
                                   v->kind == VERDICT_HELD ? "(held) " : "", id);
    }
    if (p->status == PROPOSE_FAIL)
        g_string_append_printf(did, "%sgave up: %s", did->len ? "; " : "", p->why);
    if (!did->len)
        g_string_append(did, "worked");
    return g_string_free(g_steal_pointer(&did), FALSE);
}

static bool
put_step(Engine *engine,
         Txn *txn,
         const Job *job,
         int step,
         const StepInput *in,
         const Proposal *p,
         char *did,
         GError **error)
{
    Step s = {.job = job->id,
              .n = step,
              .round = job->round,
              .at_us = home_now(engine->home),
              .took_us = in->took_us,
              .cost_micro = in->cost_micro,
              .phase = p->phase ? p->phase : job->phase,
              .did = did,
              .because = p->because,
              .answer = in->answer,
              .manifest = in->manifest,
              .context = in->context};
    return step_put(txn, &s, error);
}

static bool
end_job(Txn *txn, const JobClaim *claim, const Proposal *p, bool *ret_ended, GError **error)
{
    *ret_ended = p->status != PROPOSE_CONTINUE;
    if (p->status == PROPOSE_COMPLETE)
        return job_end(txn, claim, JOB_DONE, NULL, error);
    if (p->status == PROPOSE_FAIL)
        return job_end(txn, claim, JOB_FAILED, p->why, error);
    return true;
}

bool
step_commit(Engine *engine,
            const JobClaim *claim,
            const StepInput *in,
            const Proposal *p,
            const GArray *verdicts,
            StepResult *ret,
            GError **error)
{
    const Viewer viewer = VIEWER_OPERATOR;
    g_autoptr(Job) job = NULL;
    if (!job_load(engine->db, &viewer, claim->job, &job, error))
        return false;
    if (!job)
        return err_set(error, ERR_NEVER, "job %" G_GINT64_FORMAT " is gone", claim->job.v);
    const ConfRole *role = config_role_get(engine->home->config, job->role, error);
    if (!role)
        return false;
    g_autoptr(GPtrArray) composed = compose_all(engine, role, job, in, p, verdicts, error);
    if (!composed)
        return false;

    CRASH_POINT("step-composed");
    StepResult result = {.msgids = g_ptr_array_new_with_free_func(g_free)};
    g_autoptr(GPtrArray) msgids = result.msgids;
    g_auto(Txn) txn = {0};
    if (!txn_begin(engine->db, TXN_DURABLE, DB_WAIT_MS, &txn, error) ||
        !job_check(&txn, claim, in->deadline_us, error) ||
        !job_count_step(&txn, claim, p->phase, in->cost_micro, &result.step, error) ||
        !put_messages(&txn, job, result.step, in, p, error) ||
        !put_mails(engine, &txn, job, result.step, composed, verdicts, msgids, error))
        return false;
    g_autofree char *did = describe(p, verdicts, msgids);
    if (!put_step(engine, &txn, job, result.step, in, p, did, error) ||
        (msgids->len > 0 && !timer_drop(&txn, job->id, "ack", error)) ||
        !end_job(&txn, claim, p, &result.ended, error) || !txn_commit(&txn, error))
        return false;
    CRASH_POINT("step-committed");
    g_steal_pointer(&msgids);
    *ret = result;
    return true;
}

bool
step_settle(Engine *engine, GError **error)
{
    db_hint(engine->db);
    bool ok = settle_local(engine, NULL, error);
    CRASH_POINT("step-settled");
    db_hint(engine->db);
    return ok;
}
