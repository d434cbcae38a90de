#include "engine/in/orders.h"
#include "base/err.h"
#include "base/text.h"
#include "engine/face.h"
#include "engine/in/order_mail.h"
#include "engine/out/post.h"
#include "engine/out/role_mail.h"
#include "engine/people/hold.h"
#include "engine/people/tell.h"
#include "engine/run/fork.h"
#include "mail/quote.h"
#include "store/job/budget.h"
#include "store/job/command_orders.h"
#include "store/job/jobs.h"
#include "store/job/steering.h"
#include "store/out/effects.h"

#define MORE_STEPS_MAX 1000
#define MORE_MONEY_MAX INT64_C(1000000000) /* $1000, in millionths */

static const char *const order_words[] = {"stop",   "cancel",   "continue", "approve",
                                          "reject", "fork",     "status",   "why",
                                          "help",   "stop all", NULL};
static const OrderKind order_kinds[] = {
    ORDER_STOP, ORDER_CANCEL, ORDER_CONTINUE, ORDER_APPROVE, ORDER_REJECT,
    ORDER_FORK, ORDER_STATUS, ORDER_WHY,      ORDER_HELP,    ORDER_STOP_ALL};
_Static_assert(G_N_ELEMENTS(order_words) == G_N_ELEMENTS(order_kinds) + 1,
               "a kind for each word");

const char *
order_why(const Order *o)
{
    static const char *const whys[ORDER_N] = {
        [ORDER_STOP] = "the order STOP",         [ORDER_CANCEL] = "the order CANCEL",
        [ORDER_CONTINUE] = "the order CONTINUE", [ORDER_APPROVE] = "the order APPROVE",
        [ORDER_REJECT] = "the order REJECT",     [ORDER_FORK] = "the order FORK",
        [ORDER_STATUS] = "the order STATUS",     [ORDER_WHY] = "the order WHY",
        [ORDER_HELP] = "the order HELP",         [ORDER_STOP_ALL] = "the order STOP ALL",
        [ORDER_UNCLEAR] = "an unclear order",    [ORDER_FACE] = "an order",
    };

    return whys[o->kind] ? whys[o->kind] : "no order";
}

void
order_clear(Order *o)
{
    g_clear_pointer(&o->instruction, g_free);
    g_clear_pointer(&o->said, g_free);
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

/* A question mark fits the orders that ask. */
static OrderKind
kind_of(char *word)
{
    size_t len = strlen(word);
    if (len && word[len - 1] == '?' &&
        (g_str_equal(word, "status?") || g_str_equal(word, "why?") ||
         g_str_equal(word, "help?")))
        word[len - 1] = '\0';
    for (size_t i = 0; order_words[i]; i++) {
        if (g_str_equal(word, order_words[i]))
            return order_kinds[i];
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
    static const char *const words[] = {"continue ", "fork "};
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        const char *arg = line + strlen(words[i]);
        if (g_str_has_prefix(line, words[i]) && !strchr(arg, ' ') &&
            strchr("+-$0123456789", *arg))
            return true;
    }
    return false;
}

/* A lone word that is one edit away from an order, "Stop?" too. A shorter word may well be a task:
 * "Form", "Top", "Who". */
static bool
is_misspelt(const char *line)
{
    enum { SHORTEST = 5 };

    if (strchr(line, ' ') || g_utf8_strlen(line, -1) < SHORTEST)
        return false;
    for (size_t i = 0; order_words[i]; i++) {
        if (text_distance(line, order_words[i], 1) <= 1)
            return true;
    }
    return false;
}

static void
parse_subject(const Message *m, Order *ret)
{
    g_autofree char *line = squeeze(m->subject);
    if (g_str_equal(line, "stop all"))
        ret->kind = ORDER_STOP_ALL;
    else if (g_str_equal(line, "status"))
        ret->kind = ORDER_STATUS;
    else if (g_str_equal(line, "help"))
        ret->kind = ORDER_HELP;
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
    return (may & MAY_STEER) || o->kind == ORDER_APPROVE || o->kind == ORDER_REJECT;
}

/* --- what is answered --- */

static const char help_text[] =
    "Reply to a mail of a job with one of these words alone on the first line:\n\n"
    "  STOP          stop now; nothing more of this job leaves\n"
    "  CONTINUE      go on after a stop or a failure (CONTINUE 8: with 8 more steps, at\n"
    "                most 1000; CONTINUE $1: it may cost $1 more, at most $1000)\n"
    "  CANCEL        end the job for good\n"
    "  FORK          a second job that begins where this one is (FORK 3: behind step 3)\n"
    "  APPROVE       as a reply to the mail that asks: let the held mail leave\n"
    "  REJECT: why   likewise: it never leaves, and the agent goes on with the reason\n"
    "  STATUS        what it does now\n"
    "  WHY           what it did so far, and why\n"
    "  HELP          this text\n\n"
    "Lines below the word are kept as an instruction. Anything else is read as mail to the "
    "agent. STOP ALL stops every job of the owner's home. A new mail with the subject STATUS, "
    "HELP or STOP ALL works too.\n";

static char *
stop_one(Engine *engine, Txn *txn, JobId job, bool cancel, GArray *poke, GError **error)
{
    const char *who = cancel ? "cancelled by a reply" : "stopped by a reply";
    bool changed;
    if (!(cancel ? job_cancel(txn, job, who, &changed, error)
                 : job_stop(txn, job, who, &changed, error)))
        return NULL;
    if (changed && !faces_ordered(engine, txn, job, cancel ? ORDER_CANCEL : ORDER_STOP, error))
        return NULL;
    if (changed)
        g_array_append_val(poke, job);
    const char *state = cancel ? "cancelled" : "stopped";
    if (!changed)
        return g_strdup_printf("Job %" G_GINT64_FORMAT
                               " was not running; there is nothing to %s.",
                               job.v, cancel ? "cancel" : "stop");
    return g_strdup_printf("Job %" G_GINT64_FORMAT " is %s. Nothing more of it leaves%s", job.v,
                           state,
                           cancel ? ". A new mail on this thread begins anew."
                                  : ".\nReply CONTINUE to go on, or CANCEL to end it.");
}

/* The budget of the day guards the owner's money against everybody: who may not approve adds to
 * the round alone. */
static bool
add_money(
    Engine *engine, Txn *txn, JobId job, int64_t money, const MsgRow *mail, GError **error)
{
    unsigned may = rights_of(engine->home->config, mail->from, mail->trust);
    return may & MAY_APPROVE ? budget_raise(txn, job, money, error)
                             : job_more_money(txn, job, money, error);
}

static char *
go_on(Engine *engine, Txn *txn, JobId job, const Order *o, const MsgRow *mail, GError **error)
{
    bool changed;
    if (o->money && !add_money(engine, txn, job, o->money, mail, error))
        return NULL;
    if (!job_continue(txn, job, o->steps, o->instruction, &changed, error) ||
        (changed && !faces_ordered(engine, txn, job, ORDER_CONTINUE, error)))
        return NULL;
    g_autoptr(Job) row = NULL;
    if (!job_load(engine->db, &VIEWER_OPERATOR, job, &row, error))
        return NULL;
    if (changed && row->state == JOB_DONE)
        return g_strdup_printf("Job %" G_GINT64_FORMAT " is done. What STOP had taken back of "
                               "its mail leaves now, and its questions count again.",
                               job.v);
    return changed ? g_strdup_printf("Job %" G_GINT64_FORMAT " goes on.", job.v)
                   : g_strdup_printf("Job %" G_GINT64_FORMAT " does not wait for anything; "
                                     "there is nothing to continue.",
                                     job.v);
}

static char *
stop_all(Engine *engine, Txn *txn, const char *from, GArray *poke, GError **error)
{
    g_autoptr(Jobs) jobs = NULL;
    JobQuery q = {.live_only = true, .limit = 100000};
    if (!address_equal(from, engine->home->config->owner))
        return g_strdup(
            "Only the owner may stop all jobs. Reply STOP to a mail of your own job.");
    if (!jobs_list(engine->db, &VIEWER_OPERATOR, &q, &jobs, error))
        return NULL;
    unsigned n = 0;
    LIST_EACH(const Job, job, jobs) {
        bool changed;
        if (!job_stop(txn, job->id, "STOP ALL", &changed, error))
            return NULL;
        if (!changed)
            continue;
        g_autofree char *text = g_strdup_printf("the order STOP ALL from %s", from);
        if (!faces_ordered(engine, txn, job->id, ORDER_STOP, error) ||
            !command_order_add(txn, job->id, text, error) ||
            !order_mail_file(engine, txn, "STOP", from, job->id, NULL, NULL, error))
            return NULL;
        g_array_append_val(poke, job->id);
        n++;
    }
    return g_strdup_printf(
        "%u job%s stopped. Reply CONTINUE to a mail of each to go on with it.", n,
        n == 1 ? " is" : "s are");
}

/* What can't be forked is an answer, not a failure of intake. */
static char *
fork_one(Engine *engine, Txn *txn, JobId job, const Order *o, GError **error)
{
    g_autoptr(GError) failed = NULL;
    JobId made;
    if (fork_job(engine, txn, job, o->fork_step, o->instruction, &made, &failed))
        return g_strdup_printf("Job %" G_GINT64_FORMAT " begins where job %" G_GINT64_FORMAT
                               " was; job %" G_GINT64_FORMAT
                               " is as it was. A mail of its own says how to reach it.",
                               made.v, job.v, job.v);
    if (err_is(failed, ERR_NEVER))
        return g_strdup_printf("That can't be done: %s. Nothing changed.", failed->message);
    g_propagate_error(error, g_steal_pointer(&failed));
    return NULL;
}

static char *
answer_question(Engine *engine,
                Txn *txn,
                const Order *o,
                JobId *job,
                const MsgRow *mail,
                const Message *m,
                GError **error)
{
    char *text = NULL;
    return hold_answer(engine, txn, o->kind == ORDER_APPROVE, o->instruction, mail, m, job,
                       &text, error)
               ? text
               : NULL;
}

/* People steer their own threads, the owner all of them. */
static bool
may_steer_job(
    Engine *engine, const Order *o, JobId job, const MsgRow *mail, bool *ret, GError **error)
{
    bool steers = o->kind == ORDER_STOP || o->kind == ORDER_CANCEL ||
                  o->kind == ORDER_CONTINUE || o->kind == ORDER_FORK ||
                  o->kind == ORDER_STATUS || o->kind == ORDER_WHY;
    *ret = !steers || job.v == 0 || mail->trust == TRUST_OPERATOR ||
           address_equal(mail->from, engine->home->config->owner);
    return *ret || job_steered_by(engine->db, job, mail->from, ret, error);
}

/* *of: the job that the mail belongs to; may become another, or none. */
static char *
carry_out(Engine *engine,
          Txn *txn,
          const Order *o,
          JobId *of,
          const MsgRow *mail,
          const Message *m,
          GArray *poke,
          GError **error)
{
    JobId job = *of;
    bool may;
    if (!may_steer_job(engine, o, job, mail, &may, error))
        return NULL;
    if (!may) {
        of->v = 0; /* nor do they take part from now on */
        return g_strdup(
            "That job is none of yours, so nothing was done. Whoever takes part in a "
            "conversation can steer it, and the owner.");
    }
    switch (o->kind) {
    case ORDER_STOP:
        return stop_one(engine, txn, job, false, poke, error);
    case ORDER_CANCEL:
        return stop_one(engine, txn, job, true, poke, error);
    case ORDER_CONTINUE:
        return go_on(engine, txn, job, o, mail, error);
    case ORDER_APPROVE:
    case ORDER_REJECT:
        return answer_question(engine, txn, o, of, mail, m, error);
    case ORDER_FORK:
        return fork_one(engine, txn, job, o, error);
    case ORDER_STATUS:
        return job.v ? tell_job(engine->db, job, error)
                     : tell_role(engine->db, mail->role, error);
    case ORDER_WHY:
        return tell_why(engine->db, job, error);
    case ORDER_STOP_ALL:
        return stop_all(engine, txn, mail->from, poke, error);
    case ORDER_UNCLEAR:
        return g_strdup_printf("\"%s\" looks like an order, but %s. Nothing was done.\n\n%s",
                               o->said, job.v ? "is none" : "this mail answers no job of mine",
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

/* What was dealt with leaves the watched folder, before anything that follows from it leaves: so a home
 * that takes the mailbox over, or an old store, finds only orders there that nobody has carried out. */
static bool
file_away(Txn *txn, JobId job, const MsgRow *mail, GError **error)
{
    g_autofree char *subject = g_strdup_printf("%s/%s", mail->role, mail->file);
    Effect e = {.kind = EFFECT_MAIL_MOVE,
                .job = job,
                .message = mail->id,
                .account = "",
                .subject = subject,
                .args = "Done+S"};
    EffectId effect;
    return effect_put(txn, &e, &effect, error);
}

bool
order_apply(Engine *engine,
            Txn *txn,
            const Order *o,
            JobId job,
            const MsgRow *mail,
            const Message *m,
            GArray *poke,
            GError **error)
{
    guint poked = poke->len;
    g_autofree char *text = carry_out(engine, txn, o, &job, mail, m, poke, error);
    if (!text || !file_away(txn, job, mail, error))
        return false;

    g_autoptr(Job) row = NULL;
    if (job.v && (!job_load(engine->db, &VIEWER_OPERATOR, job, &row, error) ||
                  !messages_set_job(txn, mail->id, job, row->round, error)))
        return false;
    const ConfRole *role = config_role_get(engine->home->config, mail->role, error);
    RoleMailParent parent = {.msgid = m->id,
                             .subject = m->subject,
                             .in_reply_to = m->in_reply_to,
                             .references = m->references};
    g_autoptr(Compose) c =
        role ? role_mail_notice(engine, role, row, mail->from, NULL, text, &parent, error)
             : NULL;
    /* Not tied to the job: STOP takes back the job's own mail, but not the word that it
     * stopped. */
    Post post = {.thread = mail->thread, .level = TRUST_ROLE, .mailbox = mail->role};
    const char *word = poke->len == poked || !row ? NULL
                       : o->kind == ORDER_STOP    ? "STOP"
                       : o->kind == ORDER_CANCEL  ? "CANCEL"
                                                  : NULL;
    return c && (!word || order_mail_mark(engine->home, c, word, row, NULL, error)) &&
           post_compose(engine, txn, word ? MAIL_ORDER : MAIL_NOTICE, c, &post, NULL, NULL,
                        error);
}
