#include "base/banned.h"
#include "base/err.h"
#include "engine/hold.h"
#include "engine/judge.h"
#include <inttypes.h>

/*
 * APPROVE and REJECT by mail. What the mail answers is In-Reply-To alone, else the last of
 * References: never its subject, its thread or what it quotes.
 */
static const char *
answered_id(const Message *m)
{
    if (m->in_reply_to)
        return m->in_reply_to;
    return m->references && m->references->len
               ? g_ptr_array_index(m->references, m->references->len - 1)
               : NULL;
}

/* The question that this mail answers, asked by the role that got the answer; NULL: none. */
static bool
find_question(
    Engine *engine, const char *role, const Message *m, Question **ret, GError **error)
{
    const Viewer viewer = {.role = role};
    const char *id = answered_id(m);
    g_autoptr(Question) q = NULL;
    g_autoptr(Job) job = NULL;
    *ret = NULL;
    if (!id)
        return true;
    if (!question_find(engine->db, id, &q, error) ||
        (q && !job_load(engine->db, &viewer, q->job, &job, error)))
        return false;
    *ret = job ? g_steal_pointer(&q) : NULL;
    return true;
}

static bool
may_approve(const Engine *engine, const MsgRow *mail, const Message *m)
{
    return mail->trust >= TRUST_PRINCIPAL && !(m->flags & (MSG_TWO_FROM | MSG_AMBIGUOUS)) &&
           (judge_rights(engine->home->config, mail->from, mail->trust) & MAY_APPROVE);
}

static char *
say_no_question(Db *db, JobId job, GError **error)
{
    g_autoptr(GPtrArray) open = NULL;
    if (!questions_open(db, job, &open, error))
        return NULL;
    g_autofree char *more =
        job.v && open->len
            ? g_strdup_printf(" Job %" PRId64 " has %u open: reply to the mail that begins "
                              "\"May this mail leave?\" or look at 'postrider outbox list'.",
                              job.v, open->len)
            : g_strdup("");
    return g_strdup_printf("Your mail answers no question of mine, so nothing changed. APPROVE "
                           "and REJECT count only as a reply to the very mail that asks.%s",
                           more);
}

static const char *
trace_of(HoldEnd end, bool approve)
{
    switch (end) {
    case HOLD_DONE:
        return approve ? "held mail was approved" : "held mail was rejected";
    case HOLD_LATE:
        return "does not count: the question was decided before";
    case HOLD_STOPPED:
        return "does not count: the job is stopped";
    case HOLD_ENDED:
        return "does not count: the job was cancelled";
    case HOLD_CHANGED:
        return "does not count: what is held is not what was shown";
    case HOLD_NO_WAY:
        return "does not count yet: the mail has no way to leave";
    }
    return "";
}

bool
hold_answer(Engine *engine,
            Txn *txn,
            bool approve,
            const char *why,
            const MsgRow *mail,
            const Message *m,
            JobId *job,
            char **ret_text,
            GError **error)
{
    g_autoptr(Question) q = NULL;
    const char *trace;
    if (!may_approve(engine, mail, m)) {
        trace = "does not count: the sender may not approve";
        *ret_text = g_strdup_printf("You may not approve or reject mail of this agent; the "
                                    "owner, %s, may. Nothing changed.",
                                    engine->home->config->owner);
    } else if (!find_question(engine, mail->role, m, &q, error)) {
        return false;
    } else if (!q) {
        trace = "does not count: it answers no question";
        *ret_text = say_no_question(engine->db, *job, error);
    } else {
        HoldAnswer answer = {.approve = approve, .who = mail->from, .why = why};
        HoldEnd end;
        if (!hold_decide(txn, q, &answer, &end, ret_text, error))
            return false;
        trace = trace_of(end, approve);
        *job = q->job;
    }
    return *ret_text &&
           messages_trace(txn, mail->id, approve ? "APPROVE" : "REJECT", trace, error);
}
