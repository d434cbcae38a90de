#include "engine/in/orders.h"
#include "engine/face.h"
#include "engine/in/order_mail.h"
#include "engine/out/post.h"
#include "engine/out/role_mail.h"
#include "engine/people/hold.h"
#include "engine/people/tell.h"
#include "engine/people/words.h"
#include "engine/run/fork.h"
#include "mail/quote.h"
#include "store/job/budget.h"
#include "store/job/command_orders.h"
#include "store/job/jobs.h"
#include "store/job/steering.h"
#include "store/out/effects.h"

#define MORE_STEPS_MAX 1000
#define TIMES_MAX 1000
#define MORE_MONEY_MAX INT64_C(1000000000) /* $1000, in millionths */

static const struct {
    const char *word, *why;
    OrderKind kind;
    bool asks;    /* a question mark fits it */
    bool steers;  /* is for whoever takes part in the job, and the owner */
    bool subject; /* of a new mail is the order too */
} orders[] = {
    {"stop", "the order STOP", ORDER_STOP, .steers = true},
    {"cancel", "the order CANCEL", ORDER_CANCEL, .steers = true},
    {"continue", "the order CONTINUE", ORDER_CONTINUE, .steers = true},
    {"approve", "the order APPROVE", ORDER_APPROVE},
    {"reject", "the order REJECT", ORDER_REJECT},
    {"fork", "the order FORK", ORDER_FORK, .steers = true},
    {"status", "the order STATUS", ORDER_STATUS, .asks = true, .steers = true, .subject = true},
    {"why", "the order WHY", ORDER_WHY, .asks = true, .steers = true},
    {"help", "the order HELP", ORDER_HELP, .asks = true, .subject = true},
    {"stop all", "the order STOP ALL", ORDER_STOP_ALL, .subject = true},
};

const char *
order_why(const Order *o)
{
    for (size_t i = 0; i < G_N_ELEMENTS(orders); i++) {
        if (orders[i].kind == o->kind)
            return orders[i].why;
    }
    return o->kind == ORDER_FACE     ? "an order"
           : o->kind == ORDER_ANSWER ? "an answer to a question"
                                     : "an unclear order";
}

void
order_clear(Order *o)
{
    g_clear_pointer(&o->instruction, g_free);
    g_clear_pointer(&o->said, g_free);
    g_clear_pointer(&o->until, g_free);
}

/* Lower case, one blank between words, no end punctuation. */
static char *
squeeze(const char *line)
{
    g_autofree char *lower = g_utf8_strdown(line, -1);
    g_auto(GStrv) words = text_words(lower, " \t\r\n");
    char *out = g_strjoinv(" ", words);
    for (size_t len = strlen(out); len > 0 && strchr(".!,;:", out[len - 1]); len--)
        out[len - 1] = '\0';
    return out;
}

static OrderKind
kind_of(const char *line)
{
    for (size_t i = 0; i < G_N_ELEMENTS(orders); i++) {
        size_t len = strlen(orders[i].word);
        if (g_str_has_prefix(line, orders[i].word) &&
            (!line[len] || (orders[i].asks && g_str_equal(line + len, "?"))))
            return orders[i].kind;
    }
    return ORDER_NONE;
}

/* "reject: too long". *ret is the reason as it was written; caller frees. */
static bool
reject_with_why(const char *first, char **ret)
{
    static const char word[] = "reject";
    const char *p = first + strlen(word);
    if (g_ascii_strncasecmp(first, word, strlen(word)) != 0)
        return false;
    while (g_ascii_isspace(*p))
        p++;
    if (*p != ':')
        return false;
    *ret = g_strstrip(g_strdup(p + 1));
    return true;
}

/* "approve always", "approve 10", "approve until fri" */
static bool
approve_for_longer(const char *line, Order *ret)
{
    int64_t n;
    if (!g_str_has_prefix(line, "approve "))
        return false;
    const char *more = line + strlen("approve ");
    if (text_parse_int(more, 1, TIMES_MAX, &n)) {
        ret->times = n > 1 ? n : 0;
        return true;
    }
    if (g_str_has_prefix(more, "until ") && !strchr(more + strlen("until "), ' '))
        ret->until = g_strdup(more + strlen("until "));
    ret->always = g_str_equal(more, "always");
    return ret->always || ret->until;
}

/* "fork 3" */
static bool
fork_at_step(const char *line, Order *ret)
{
    int64_t n;
    if (!g_str_has_prefix(line, "fork ") ||
        !text_parse_int(line + strlen("fork "), 1, INT_MAX, &n))
        return false;
    ret->fork_step = (int)n;
    return true;
}

/* "continue 8", "continue $1" */
static bool
continue_with_more(const char *line, Order *ret)
{
    int64_t n;
    if (!g_str_has_prefix(line, "continue "))
        return false;
    const char *more = line + strlen("continue ");
    if (*more == '$' && text_parse_money(more + 1, &n) && n > 0 && n <= MORE_MONEY_MAX) {
        ret->money = n;
        return true;
    }
    if (!text_parse_int(more, 1, MORE_STEPS_MAX, &n))
        return false;
    ret->steps = (int)n;
    return true;
}

/* "continue 0", "continue $-1", "fork 0": meant as an order, and none that can be carried out.
 */
static bool
has_wrong_number(const char *line)
{
    static const char *const words[] = {"continue ", "fork ", "approve "};
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        const char *arg = line + strlen(words[i]);
        if (g_str_has_prefix(line, words[i]) && !strchr(arg, ' ') &&
            strchr("+-$0123456789", *arg))
            return true;
    }
    return false;
}

/* A lone word that is one edit away from an order, "Stop?" too. A shorter word may well be a
 * task: "Form", "Top", "Who". */
static bool
is_misspelt(const char *line)
{
    enum { SHORTEST = 5 };

    if (strchr(line, ' ') || g_utf8_strlen(line, -1) < SHORTEST)
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS(orders); i++) {
        if (text_distance(line, orders[i].word, 1) <= 1)
            return true;
    }
    return false;
}

static void
parse_subject(const Message *m, Order *ret)
{
    g_autofree char *line = squeeze(m->subject);
    for (size_t i = 0; i < G_N_ELEMENTS(orders); i++) {
        if (orders[i].subject && g_str_equal(line, orders[i].word))
            ret->kind = orders[i].kind;
    }
}

void
order_parse(const Message *m, bool in_thread, Order *ret)
{
    *ret = (Order){.kind = ORDER_NONE};
    if (!in_thread)
        parse_subject(m, ret);
    if (ret->kind != ORDER_NONE)
        return;

    g_autofree char *first = quote_first_line(m->text);
    if (!first)
        return;
    g_autofree char *line = squeeze(first);
    g_autofree char *why = NULL;
    OrderKind kind = kind_of(line);
    if (kind == ORDER_NONE && continue_with_more(line, ret))
        kind = ORDER_CONTINUE;
    else if (kind == ORDER_NONE && fork_at_step(line, ret))
        kind = ORDER_FORK;
    else if (kind == ORDER_NONE && approve_for_longer(line, ret))
        kind = ORDER_APPROVE;
    else if (kind == ORDER_NONE && reject_with_why(first, &why))
        kind = ORDER_REJECT;

    g_autofree char *rest = quote_after_first_line(m->text);
    bool alone = !*rest;
    bool nearly = has_wrong_number(line) || (alone && is_misspelt(line));
    if (kind != ORDER_NONE && in_thread) {
        ret->kind = kind;
        if (why && *why)
            ret->instruction = *rest ? g_strjoin("\n", why, rest, NULL) : g_steal_pointer(&why);
        else if (*rest)
            ret->instruction = g_steal_pointer(&rest);
    } else if ((kind != ORDER_NONE && (kind == ORDER_HELP || alone)) || (in_thread && nearly)) {
        ret->kind = kind == ORDER_HELP ? ORDER_HELP : ORDER_UNCLEAR;
        ret->said = g_steal_pointer(&first);
    }
}

bool
order_permitted(const Order *o, unsigned may)
{
    return (may & MAY_STEER) || o->kind == ORDER_APPROVE || o->kind == ORDER_REJECT ||
           o->kind == ORDER_ANSWER;
}

/* --- what is answered --- */

static const char help_text[] = WORDS_ORDER_HELP_TEXT;

static char *
stop_one(OrderCase *c, bool cancel, GError **error)
{
    bool changed;
    if (!(cancel ? job_cancel(c->txn, c->job, "cancelled by a reply", &changed, error)
                 : job_stop(c->txn, c->job, "stopped by a reply", &changed, error)))
        return NULL;
    if (!changed)
        return g_strdup_printf(WORDS_ORDER_NOT_RUNNING, c->job.v, cancel ? "cancel" : "stop");
    if (!faces_ordered(c->engine, c->txn, c->job, c->order->kind, error))
        return NULL;
    g_array_append_val(c->poke, c->job);
    c->word = cancel ? "CANCEL" : "STOP";
    return g_strdup_printf(WORDS_ORDER_STOPPED, c->job.v, cancel ? "cancelled" : "stopped",
                           cancel ? WORDS_ORDER_CANCELLED_NEXT : WORDS_ORDER_STOPPED_NEXT);
}

/* The budget of the day guards the owner's money against everybody: who may not approve adds to
 * the round alone. */
static bool
add_money(const OrderCase *c, GError **error)
{
    const MsgRow *mail = c->mail;
    unsigned may = rights_of(c->engine->home->config, mail->from, mail->trust);
    return may & MAY_APPROVE ? budget_raise(c->txn, c->job, c->order->money, error)
                             : job_more_money(c->txn, c->job, c->order->money, error);
}

static char *
go_on(const OrderCase *c, GError **error)
{
    const Order *o = c->order;
    g_autoptr(Job) row = NULL;
    bool changed;
    if (!job_continue(c->txn, c->job, o->steps, o->instruction, &changed, error) ||
        (o->money && !add_money(c, error)) ||
        (changed && !faces_ordered(c->engine, c->txn, c->job, ORDER_CONTINUE, error)) ||
        !job_load(c->engine->db, &VIEWER_OPERATOR, c->job, &row, error))
        return NULL;
    if (changed && row->state == JOB_DONE)
        return g_strdup_printf(WORDS_ORDER_DONE, c->job.v);
    return changed ? g_strdup_printf(WORDS_ORDER_GOES_ON, c->job.v)
                   : g_strdup_printf(WORDS_ORDER_NOT_WAITING, c->job.v);
}

static char *
stop_all(const OrderCase *c, GError **error)
{
    const char *from = c->mail->from;
    g_autofree char *text = g_strdup_printf("the order STOP ALL from %s", from);
    g_autoptr(Jobs) jobs = NULL;
    JobQuery q = {.live_only = true, .limit = 100000};
    if (!address_equal(from, c->engine->home->config->owner))
        return g_strdup(WORDS_ORDER_ALL_NOT_YOURS);
    if (!jobs_list(c->engine->db, &VIEWER_OPERATOR, &q, &jobs, error))
        return NULL;
    unsigned n = 0;
    LIST_EACH(const Job, job, jobs) {
        bool changed;
        if (!job_stop(c->txn, job->id, "STOP ALL", &changed, error))
            return NULL;
        if (!changed)
            continue;
        if (!faces_ordered(c->engine, c->txn, job->id, ORDER_STOP, error) ||
            !command_order_add(c->txn, job->id, text, error) ||
            !order_mail_file(c->engine, c->txn, "STOP", from, job->id, NULL, NULL, error))
            return NULL;
        g_array_append_val(c->poke, job->id);
        n++;
    }
    return g_strdup_printf(WORDS_ORDER_ALL_STOPPED, n, n == 1 ? " is" : "s are");
}

/* Carries out FORK. A step that can't be forked is told in the answer; it is no failure of
 * intake. */
static char *
fork_one(const OrderCase *c, GError **error)
{
    const Order *o = c->order;
    g_autoptr(GError) failed = NULL;
    JobId made;
    if (fork_job(c->engine, c->txn, c->job, o->fork_step, o->instruction, &made, &failed))
        return g_strdup_printf(WORDS_ORDER_FORKED, made.v, c->job.v, c->job.v);
    if (err_is(failed, ERR_NEVER))
        return g_strdup_printf(WORDS_ORDER_NO_FORK, failed->message);
    g_propagate_error(error, g_steal_pointer(&failed));
    return NULL;
}

/* People steer their own threads, the owner all of them. */
static bool
may_steer_job(const OrderCase *c, bool *ret, GError **error)
{
    const MsgRow *mail = c->mail;
    bool steers = false;
    for (size_t i = 0; i < G_N_ELEMENTS(orders); i++)
        steers |= orders[i].kind == c->order->kind && orders[i].steers;
    *ret = !steers || c->job.v == 0 || mail->trust == TRUST_OPERATOR ||
           address_equal(mail->from, c->engine->home->config->owner);
    return *ret || job_steered_by(c->engine->db, c->job, mail->from, ret, error);
}

/* Carries out the order, and gives the text of the answer. */
static char *
carry_out(OrderCase *c, GError **error)
{
    const Order *o = c->order;
    char *text = NULL;
    bool may;
    if (!may_steer_job(c, &may, error))
        return NULL;
    if (!may) {
        c->job.v = 0; /* nor do they take part from now on */
        return g_strdup(WORDS_ORDER_NOT_YOURS);
    }
    switch (o->kind) {
    case ORDER_STOP:
    case ORDER_CANCEL:
        return stop_one(c, o->kind == ORDER_CANCEL, error);
    case ORDER_CONTINUE:
        return go_on(c, error);
    case ORDER_APPROVE:
    case ORDER_REJECT:
    case ORDER_ANSWER:
        return hold_answer(c, &text, error) ? text : NULL;
    case ORDER_FORK:
        return fork_one(c, error);
    case ORDER_STATUS:
        return c->job.v ? tell_job(c->engine->db, c->job, error)
                        : tell_role(c->engine->db, c->mail->role, error);
    case ORDER_WHY:
        return tell_why(c->engine->db, c->job, error);
    case ORDER_STOP_ALL:
        return stop_all(c, error);
    case ORDER_UNCLEAR:
        return g_strdup_printf(WORDS_ORDER_UNCLEAR_TEXT, o->said,
                               c->job.v ? WORDS_ORDER_UNCLEAR_NONE : WORDS_ORDER_UNCLEAR_JOB,
                               help_text);
    case ORDER_FACE:
        return g_strdup(o->said);
    case ORDER_HELP:
    case ORDER_NONE:
    case ORDER_N:
        break;
    }
    return g_strdup(help_text);
}

bool
order_apply(OrderCase *c, GError **error)
{
    Engine *engine = c->engine;
    const MsgRow *mail = c->mail;
    g_autofree char *text = carry_out(c, error);
    g_autoptr(Job) row = NULL;
    /* An order that was dealt with leaves the watched folder before the mail that follows from
     * it leaves. So a home that takes the mailbox over, or an old store, finds only orders
     * there that nobody has carried out. */
    if (!text ||
        !effect_put_move(c->txn, c->job, mail->id, mail->role, mail->file, "Done+S", error))
        return false;
    if (c->job.v && (!job_load(engine->db, &VIEWER_OPERATOR, c->job, &row, error) ||
                     !messages_set_job(c->txn, mail->id, c->job, row->round, error)))
        return false;
    const ConfRole *role = config_role_get(engine->home->config, mail->role, error);
    const RoleMailParent parent = role_mail_parent(c->m);
    const Notice notice = {
        .role = role, .job = row, .to = mail->from, .text = text, .parent = &parent};
    g_autoptr(Compose) answer = role ? role_mail_notice(engine, &notice, error) : NULL;
    /* Not tied to the job: STOP takes back the job's own mail, but not the word that it
     * stopped. */
    Post post = {.thread = mail->thread, .level = TRUST_ROLE, .mailbox = mail->role};
    return answer &&
           (!c->word || order_mail_mark(engine->home, answer, c->word, row, NULL, error)) &&
           post_compose(engine, c->txn, c->word ? MAIL_ORDER : MAIL_NOTICE, answer, &post, NULL,
                        NULL, error);
}
