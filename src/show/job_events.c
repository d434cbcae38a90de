#include "show/job_events.h"
#include "mail/address.h"
#include "store/job/command_orders.h"
#include "store/job/forks.h"
#include "store/job/questions.h"
#include "store/job/step_rows.h"
#include "store/mail/messages.h"
#include "store/out/outbox.h"

#define MAIL_MAX 10000

typedef struct Log {
    Db *db;
    const Job *job;
    Steps *steps;
    Events *events;
} Log;

/* At the same moment a mail comes before the step, and that before what it wrote. */
static int
rank(const Event *e)
{
    static const char *const kinds[] = {"began",  "mail in", "mail",       "woke",
                                        "order",  "step",    "mail out",   "question",
                                        "answer", "parked",  "checkpoint", NULL};
    int n = 0;
    while (kinds[n] && !g_str_equal(kinds[n], e->what))
        n++;
    return n;
}

static int
compare(gconstpointer a, gconstpointer b)
{
    const Event *x = *(const Event *const *)a, *y = *(const Event *const *)b;
    if (x->at_us != y->at_us)
        return x->at_us < y->at_us ? -1 : 1;
    return rank(x) - rank(y);
}

/* What was decided about a mail since it came; that it was shown and handled its state tells.
 */
static bool
add_trace(Log *log, const MsgRow *m, GError **error)
{
    static const char *const in_its_state[] = {"received", "shown", "handled", NULL};
    g_autoptr(TraceRows) rows = NULL;
    if (!messages_trace_list(log->db, m->id, &rows, error))
        return false;
    LIST_EACH(const TraceRow, t, rows) {
        if (!t->why || g_strv_contains(in_its_state, t->what))
            continue;
        if (g_str_equal(t->what, "woke"))
            events_say(log->events, t->at_us, "woke", "by mail: %s (<%s>)", t->why, m->msgid);
        else
            events_say(log->events, t->at_us, "mail", "%s: %s (<%s>)", t->what, t->why,
                       m->msgid);
    }
    return true;
}

static bool
add_mail_in(Log *log, GError **error)
{
    g_autoptr(MsgRows) rows = NULL;
    MsgQuery q = {.job = log->job->id, .oldest_first = true, .limit = MAIL_MAX};
    if (!messages_list(log->db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    LIST_EACH(const MsgRow, m, rows) {
        const char *why = m->state == MSG_HANDLED ? NULL : m->why;
        g_autofree char *by = m->step ? g_strdup_printf(" by step %d", m->step) : NULL;
        if (m->class == MSG_CHECKPOINT)
            events_say(log->events, m->received_us, "checkpoint",
                       "its checkpoint mail is in the mailbox%s%s", why ? ": " : "",
                       why ? why : "");
        else if (m->class == MSG_ORDER)
            events_say(log->events, m->received_us, "order", "%s from %s: %s",
                       m->why ? m->why : "an order", m->from, m->subject);
        else
            events_say(log->events, m->received_us, "mail in", "from %s, %s%s: %s (<%s>)",
                       m->from, msg_state_name(m->state), by ? by : "", m->subject, m->msgid);
        if (m->class != MSG_CHECKPOINT && m->class != MSG_ORDER && !add_trace(log, m, error))
            return false;
    }
    return true;
}

/* What a step wrote stands behind it: both are of one commit, a few microseconds apart. */
static int64_t
behind_step(const Log *log, const OutRow *o)
{
    int64_t at_us = o->created_us;
    LIST_EACH(const Step, s, log->steps)
        if (s->n == o->step)
            at_us = MAX(at_us, s->at_us);
    return at_us;
}

static bool
add_mail_out(Log *log, GError **error)
{
    g_autoptr(OutRows) rows = NULL;
    OutQuery q = {.job = log->job->id, .all = true, .limit = MAIL_MAX};
    if (!outbox_list(log->db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    for (guint i = rows->len; i-- > 0;) { /* the oldest first */
        const OutRow *o = g_ptr_array_index(rows, i);
        if (address_equal(o->from, o->address))
            events_say(log->events, behind_step(log, o), "parked",
                       "left itself a checkpoint mail, %s", out_state_name(o->state))
                ->step = o->step;
        else
            events_say(log->events, behind_step(log, o), "mail out", "to %s, %s%s%s: %s (<%s>)",
                       o->address, out_state_name(o->state), o->why ? ", " : "",
                       o->why ? o->why : "", o->subject, o->msgid)
                ->step = o->step;
    }
    return true;
}

static void
add_steps(Log *log)
{
    LIST_EACH(const Step, s, log->steps) {
        g_autofree char *took = clock_format_span(s->took_us);
        g_autofree char *cost = text_money(s->cost_micro);
        events_say(log->events, s->at_us, "step", "%d (%s, %s): %s%s%s", s->n, took, cost,
                   s->did, s->because ? ", because " : "", s->because ? s->because : "")
            ->step = s->n;
    }
}

static bool
add_forks(Log *log, GError **error)
{
    g_autoptr(Forks) forks = NULL;
    if (!forks_list(log->db, log->job->id, &forks, error))
        return false;
    LIST_EACH(const Fork, f, forks)
        events_say(log->events, f->created_us, "fork",
                   "job %" PRId64 " was forked from it at step %d", f->job.v, f->step);
    return true;
}

/* Orders that came by no mail of its own. */
static bool
add_given(Log *log, GError **error)
{
    g_autoptr(CommandOrders) rows = NULL;
    if (!command_orders_list(log->db, log->job->id, &rows, error))
        return false;
    LIST_EACH(const CommandOrder, g, rows)
        events_say(log->events, g->at_us, "order", "%s", g->text);
    return true;
}

/* About held mail is asked in the commit of the step that wrote it: behind it, as that mail. */
static bool
asked_at(const Log *log, const Question *q, int64_t *ret_us, GError **error)
{
    g_autoptr(QuestionMails) mails = NULL;
    g_autoptr(OutRows) rows = NULL;
    *ret_us = q->asked_us;
    if (!question_mails(log->db, q->id, &mails, error))
        return false;
    if (q->about.v || mails->len == 0)
        return true;
    OutQuery first = {.id = mails->pdata[0]->id, .all = true};
    if (!outbox_list(log->db, &VIEWER_OPERATOR, &first, &rows, error))
        return false;
    if (rows->len > 0)
        *ret_us = MAX(q->asked_us, behind_step(log, rows->pdata[0]));
    return true;
}

static bool
add_questions(Log *log, GError **error)
{
    g_autoptr(Questions) rows = NULL;
    if (!questions_list(log->db, log->job->id, &rows, error))
        return false;
    LIST_EACH(const Question, q, rows) {
        int64_t asked_us;
        if (!asked_at(log, q, &asked_us, error))
            return false;
        events_say(log->events, asked_us, "question", "%s (<%s>)", q->asks, q->msgid);
        if (q->state != QUESTION_OPEN)
            events_say(log->events, q->decided_us ? q->decided_us : q->asked_us, "answer",
                       "%s%s%s%s%s", question_state_name(q->state), q->who ? " by " : "",
                       q->who ? q->who : "", q->why ? ": " : "", q->why ? q->why : "");
    }
    return true;
}

/* How it is now: stops and wakes that no mail told of are seen here. */
static void
add_state(Log *log)
{
    const Job *job = log->job;
    const Events *all = log->events;
    const Event *last = all->len > 0 ? all->pdata[all->len - 1] : NULL;
    int64_t at_us = MAX(job->updated_us, last ? last->at_us : job->created_us);
    g_autofree char *due = NULL;
    if (job->state == JOB_PARKED && job->resume.us != USEC_NEVER)
        due = job->resume.us > home_now(db_home(log->db)) ? clock_format_iso(job->resume.us)
                                                          : g_strdup("the next pass");
    if (due && job->waiting_for && strstr(job->waiting_for, due))
        g_clear_pointer(&due, g_free); /* it says so itself */
    events_say(log->events, at_us, "now", "%s%s%s%s%s%s%s", job_state_words(job->state),
               job->waiting_for ? ", for " : "", job->waiting_for ? job->waiting_for : "",
               due ? ", until " : "", due ? due : "", job->why ? ": " : "",
               job->why ? job->why : "");
}

/* How it is now is always last. */
static bool
collect(Log *log, GError **error)
{
    const Job *job = log->job;
    ForkPoint from;
    if (!fork_of(log->db, job->id, &from, error) ||
        !steps_list(log->db, &VIEWER_OPERATOR, job->id, 0, &log->steps, error))
        return false;
    if (from.job.v)
        events_say(log->events, job->created_us, "began",
                   "as a fork of job %" PRId64 " at step %d: %s", from.job.v, from.step,
                   job->subject);
    if (!add_mail_in(log, error))
        return false;
    add_steps(log);
    if (!add_mail_out(log, error) || !add_forks(log, error) || !add_given(log, error) ||
        !add_questions(log, error))
        return false;
    g_ptr_array_sort(LIST_ARRAY(log->events), compare);
    add_state(log);
    LIST_EACH(Event, e, log->events)
        e->job = job->id;
    return true;
}

bool
job_events(Db *db, const Job *job, Events **ret, GError **error)
{
    g_autoptr(Events) events = events_new();
    Log log = {.db = db, .job = job, .events = events};
    bool ok = collect(&log, error);
    steps_free(log.steps);
    if (ok)
        *ret = g_steal_pointer(&events);
    return ok;
}
