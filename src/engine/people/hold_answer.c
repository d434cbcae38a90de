#include "base/limits.h"
#include "engine/in/order_mail.h"
#include "engine/in/orders.h"
#include "engine/people/question_kind.h"
#include "engine/people/words.h"
#include "mail/msgid.h"
#include "store/job/steering.h"
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

/* The question that this mail answers, asked by the role that got the answer; NULL: none. One
 * without a job was asked by whoever speaks for the home. */
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
    *ret = job || (q && q->job.v == 0) ? g_steal_pointer(&q) : NULL;
    return true;
}

/* A mail that answers several at once says yes to none of them: each id in In-Reply-To must
 * lead to this question. */
static bool
answers_it_alone(Db *db, const Message *m, const Question *q, bool *ret, GError **error)
{
    const char *header = message_header(m, "In-Reply-To");
    g_autoptr(GPtrArray) ids = msgid_parse_list(header ? header : "", LIMIT_REFERENCES);
    *ret = true;
    for (guint i = 0; i < ids->len && *ret; i++) {
        g_autoptr(Question) other = NULL;
        if (!question_find(db, g_ptr_array_index(ids, i), &other, error))
            return false;
        *ret = other && other->id.v == q->id.v;
    }
    return true;
}

bool
hold_is_asked(Db *db, const Message *m, bool *ret, GError **error)
{
    const char *id = answered_id(m);
    g_autoptr(Question) q = NULL;
    if (id && !question_find(db, id, &q, error))
        return false;
    *ret = q != NULL;
    return true;
}

/* may: MAY_…, all of them. */
static bool
may_answer(const Engine *engine, const MsgRow *mail, const Message *m, unsigned may)
{
    return mail->trust >= TRUST_PRINCIPAL && !(m->flags & (MSG_TWO_FROM | MSG_AMBIGUOUS)) &&
           (rights_of(engine->home->config, mail->from, mail->trust) & may) == may;
}

static char *
say_no_question(Db *db, JobId job, GError **error)
{
    g_autoptr(Questions) open = NULL;
    if (!questions_open(db, job, &open, error))
        return NULL;
    g_autofree char *more = job.v && open->len
                                ? g_strdup_printf(WORDS_ANSWER_OPEN, job.v, open->len)
                                : g_strdup("");
    return g_strdup_printf(WORDS_ANSWER_TO_NONE, more);
}

static const char *
trace_of(HoldEnd end, bool approve, const Question *q)
{
    static const char *const traces[] = {
        [HOLD_LATE] = "does not count: the question was decided before",
        [HOLD_STOPPED] = "does not count: the job is stopped",
        [HOLD_ENDED] = "does not count: the job was cancelled",
        [HOLD_CHANGED] = "does not count: what is held is not what was shown",
        [HOLD_NO_WAY] = "does not count yet: the mail has no way to leave",
    };
    return end == HOLD_DONE ? question_kind(q->kind)->traces[approve] : traces[end];
}

bool
hold_answer(OrderCase *c, char **ret_text, GError **error)
{
    Engine *engine = c->engine;
    const MsgRow *mail = c->mail;
    const Message *m = c->m;
    bool approve = c->order->kind == ORDER_APPROVE;
    const ConfRole *role = config_role_get(engine->home->config, mail->role, error);
    g_autoptr(Question) q = NULL;
    const char *trace;
    bool alone = true;
    if (!role)
        return false;
    if (!find_question(engine, mail->role, m, &q, error) ||
        (q && !answers_it_alone(engine->db, m, q, &alone, error)))
        return false;
    if (!may_answer(engine, mail, m, q ? q->may : MAY_APPROVE)) {
        trace = "does not count: the sender may not approve";
        *ret_text = g_strdup_printf(WORDS_ANSWER_NOT_YOURS, engine->home->config->owner);
    } else if (!alone) {
        trace = "does not count: it answers more than one mail";
        *ret_text = g_strdup(WORDS_ANSWER_TO_SEVERAL);
    } else if (!q) {
        trace = "does not count: it answers no question";
        *ret_text = say_no_question(engine->db, c->job, error);
    } else {
        g_autoptr(GPtrArray) decided = g_ptr_array_new_with_free_func(g_free);
        HoldAnswer answer = {.approve = approve,
                             .who = mail->from,
                             .why = c->order->instruction,
                             .decided = decided};
        HoldEnd end;
        if (!hold_decide(c->txn, q, &answer, &end, ret_text, error) ||
            (end == HOLD_DONE &&
             !order_mail_file(engine, c->txn, approve ? "APPROVE" : "REJECT", mail->from,
                              q->job, role->address, decided, error)))
            return false;
        trace = trace_of(end, approve, q);
        c->job = q->job;
    }
    return *ret_text &&
           messages_trace(c->txn, mail->id, approve ? "APPROVE" : "REJECT", trace, error);
}
