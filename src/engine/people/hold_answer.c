#include "base/limits.h"
#include "engine/in/judge.h"
#include "engine/in/order_mail.h"
#include "engine/in/orders.h"
#include "engine/out/post.h"
#include "engine/people/question_kind.h"
#include "engine/people/words.h"
#include "engine/permit/permit_answer.h"
#include "mail/msgid.h"
#include "mail/quote.h"
#include "store/job/steering.h"

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

#define DOUBTFUL (MSG_TWO_FROM | MSG_AMBIGUOUS)

/* may: MAY_…, all of them. */
static bool
may_answer(const Engine *engine, const MsgRow *mail, const Message *m, unsigned may)
{
    return mail->trust >= TRUST_PRINCIPAL && !(m->flags & DOUBTFUL) &&
           (rights_of(engine->home->config, mail->from, mail->trust) & may) == may;
}

static bool
is_any_open(const Questions *shown)
{
    LIST_EACH(const Question, q, shown)
        if (q->state == QUESTION_OPEN)
            return true;
    return false;
}

bool
hold_takes_words(
    Engine *engine, const Judgement *j, const Message *m, char **ret_words, GError **error)
{
    const char *id = answered_id(m);
    g_autoptr(Questions) shown = NULL;
    if (!id || !m->text || j->trust < TRUST_PRINCIPAL || m->flags & DOUBTFUL)
        return true;
    if (!questions_shown(engine->db, id, &shown, error))
        return false;
    const Question *first = shown->len ? shown->pdata[0] : NULL;
    if (!first || !is_any_open(shown) || (j->may & first->may) != first->may)
        return true;
    g_autofree char *words = quote_own_text(m->text);
    if (*g_strstrip(words))
        *ret_words = g_steal_pointer(&words);
    return true;
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

/* --- questions about tool calls --- */

/* One of the decisions that the mail makes, and the question that it is about. */
typedef struct Choice {
    const Question *q;
    HoldAnswer answer;
} Choice;

static void
choose_all(GArray *choices, const Questions *shown, const HoldAnswer *answer)
{
    bool open = is_any_open(shown);
    LIST_EACH(const Question, q, shown) {
        const Choice one = {q, *answer};
        bool last = q == shown->pdata[shown->len - 1];
        if (open ? q->state == QUESTION_OPEN : last)
            g_array_append_val(choices, one);
    }
}

/* "1 yes, 2 no: why"; *ret_text: why that can't be done, and nothing is. */
static void
choose_by_number(GArray *choices,
                 const Questions *shown,
                 const PermitSaids *saids,
                 const HoldAnswer *like,
                 char **ret_text)
{
    LIST_EACH(const PermitSaid, said, saids) {
        HoldAnswer answer = *like;
        answer.approve = said->approve;
        answer.why = said->why;
        if (said->n == 0) {
            choose_all(choices, shown, &answer);
            continue;
        }
        if ((guint)said->n > shown->len) {
            *ret_text = g_strdup_printf(WORDS_ANSWER_NO_NUMBER, said->n);
            return;
        }
        const Choice one = {shown->pdata[said->n - 1], answer};
        g_array_append_val(choices, one);
    }
}

/* The decisions that the order makes, one for each question; *ret_text: why the order decides
 * nothing. */
static GArray *
read_choices(const OrderCase *c,
             const Questions *shown,
             PermitSaids **ret_saids, /* own the words */
             char **ret_text)
{
    GArray *choices = g_array_new(FALSE, FALSE, sizeof(Choice));
    const Order *o = c->order;
    const Question *first = shown->pdata[0];
    HoldAnswer answer = {.approve = o->kind == ORDER_APPROVE,
                         .who = c->mail->from,
                         .why = o->kind == ORDER_ANSWER ? o->said : o->instruction,
                         .always = o->always,
                         .times = o->times};
    if (o->until && !permit_until_parse(o->until, txn_now(c->txn), &answer.until_us)) {
        *ret_text = g_strdup_printf(WORDS_ANSWER_NO_TIME, o->until);
        return choices;
    }
    bool asks_words = g_str_equal(first->kind, question_agent.name);
    *ret_saids = o->kind == ORDER_ANSWER && !asks_words ? permit_said_parse(o->said) : NULL;
    if (asks_words && o->kind == ORDER_ANSWER)
        answer.approve = true;
    if (*ret_saids)
        choose_by_number(choices, shown, *ret_saids, &answer, ret_text);
    else
        choose_all(choices, shown, &answer);
    return choices;
}

static bool
carry_out(OrderCase *c, Choice *one, HoldEnd *ret_end, GString *text, GError **error)
{
    g_autoptr(GPtrArray) decided = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *said = NULL;
    const char *word = one->answer.approve ? "APPROVE" : "REJECT";
    one->answer.decided = decided;
    if (!hold_decide(c->txn, one->q, &one->answer, ret_end, &said, error) ||
        (*ret_end == HOLD_DONE && !order_mail_file(c->engine, c->txn, word, c->mail->from,
                                                   one->q->job, NULL, decided, error)))
        return false;
    g_string_append_printf(text, "%s%s", text->len ? "\n\n" : "", said);
    return true;
}

/* *ret_trace: static. */
static bool
answer_calls(
    OrderCase *c, const Question *q, char **ret_text, const char **ret_trace, GError **error)
{
    g_autoptr(Questions) shown = NULL;
    g_autoptr(PermitSaids) saids = NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    if (!questions_shown(c->engine->db, answered_id(c->m), &shown, error))
        return false;
    c->job = q->job;
    *ret_trace = "does not count: it says nothing that could be done";
    g_autoptr(GArray) choices = read_choices(c, shown, &saids, ret_text);
    if (*ret_text)
        return true;
    for (guint i = 0; i < choices->len; i++) {
        Choice *one = &g_array_index(choices, Choice, i);
        HoldEnd end;
        if (!carry_out(c, one, &end, text, error))
            return false;
        *ret_trace = trace_of(end, one->answer.approve, one->q);
    }
    *ret_text = g_string_free(g_steal_pointer(&text), FALSE);
    return true;
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
    } else if (q->later) {
        if (!answer_calls(c, q, ret_text, &trace, error))
            return false;
    } else if (c->order->always || c->order->times || c->order->until) {
        trace = "does not count: this can be approved once only";
        *ret_text = g_strdup(WORDS_ANSWER_NO_STANDING);
    } else {
        g_autoptr(GPtrArray) decided = g_ptr_array_new_with_free_func(g_free);
        HoldAnswer answer = {.approve = approve,
                             .who = mail->from,
                             .why = c->order->instruction,
                             .decided = decided};
        HoldEnd end;
        if (!hold_decide(c->txn, q, &answer, &end, ret_text, error) ||
            (end == HOLD_DONE &&
             (!order_mail_file(engine, c->txn, approve ? "APPROVE" : "REJECT", mail->from,
                               q->job, role->address, decided, error) ||
              (approve && !post_released(engine, c->txn, decided, error)))))
            return false;
        trace = trace_of(end, approve, q);
        c->job = q->job;
    }
    return *ret_text &&
           messages_trace(c->txn, mail->id, approve ? "APPROVE" : "REJECT", trace, error);
}
