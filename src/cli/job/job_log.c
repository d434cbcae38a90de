/* `job log`: all that was decided about a job, in the order of time. */
#include "base/json.h"
#include "base/text.h"
#include "cli/cmds.h"
#include "cli/home/tail.h"
#include "cli/job/step_view.h"
#include "mail/address.h"
#include "store/job/command_orders.h"
#include "store/job/forks.h"
#include "store/job/questions.h"
#include "store/mail/messages.h"
#include "store/out/outbox.h"
#include <inttypes.h>

#define MAIL_MAX 10000

/* One decision. */
typedef struct Event {
    int64_t at_us;
    unsigned order; /* of those at the same moment */
    const char *what;
    int step; /* 0: of none */
    char *text;
} Event;

typedef struct Log {
    Cli *cli;
    Job *job;
    Steps *steps;
    GPtrArray *events;   /* of Event */
    GHashTable *printed; /* lines that were told already */
} Log;

static void
event_free(gpointer data)
{
    Event *e = data;
    g_free(e->text);
    g_free(e);
}

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
    if (rank(x) != rank(y))
        return rank(x) - rank(y);
    return (x->order > y->order) - (x->order < y->order);
}

static void add(Log *log, int64_t at_us, const char *what, int step, const char *fmt, ...)
    G_GNUC_PRINTF(5, 6);
static void
add(Log *log, int64_t at_us, const char *what, int step, const char *fmt, ...)
{
    Event *e = g_new0(Event, 1);
    va_list args;
    va_start(args, fmt);
    e->text = g_strdup_vprintf(fmt, args);
    va_end(args);
    e->at_us = at_us;
    e->order = log->events->len;
    e->what = what;
    e->step = step;
    g_ptr_array_add(log->events, e);
}

/* --- what there is --- */

/* What was decided about a mail since it came; that it was shown and handled its state tells.
 */
static bool
add_trace(Log *log, const MsgRow *m, GError **error)
{
    static const char *const in_its_state[] = {"received", "shown", "handled", NULL};
    g_autoptr(TraceRows) rows = NULL;
    if (!messages_trace_list(log->cli->db, m->id, &rows, error))
        return false;
    LIST_EACH(const TraceRow, t, rows) {
        if (!t->why || g_strv_contains(in_its_state, t->what))
            continue;
        if (g_str_equal(t->what, "woke"))
            add(log, t->at_us, "woke", 0, "by mail: %s (<%s>)", t->why, m->msgid);
        else
            add(log, t->at_us, "mail", 0, "%s: %s (<%s>)", t->what, t->why, m->msgid);
    }
    return true;
}

static bool
add_mail_in(Log *log, GError **error)
{
    g_autoptr(MsgRows) rows = NULL;
    MsgQuery q = {.job = log->job->id, .oldest_first = true, .limit = MAIL_MAX};
    if (!messages_list(log->cli->db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    LIST_EACH(const MsgRow, m, rows) {
        const char *why = m->state == MSG_HANDLED ? NULL : m->why;
        g_autofree char *by = m->step ? g_strdup_printf(" by step %d", m->step) : NULL;
        if (m->class == MSG_CHECKPOINT)
            add(log, m->received_us, "checkpoint", 0,
                "its checkpoint mail is in the mailbox%s%s", why ? ": " : "", why ? why : "");
        else if (m->class == MSG_ORDER)
            add(log, m->received_us, "order", 0, "%s from %s: %s", m->why ? m->why : "an order",
                m->from, m->subject);
        else
            add(log, m->received_us, "mail in", 0, "from %s, %s%s: %s (<%s>)", m->from,
                msg_state_name(m->state), by ? by : "", m->subject, m->msgid);
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
    if (!outbox_list(log->cli->db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    for (guint i = rows->len; i-- > 0;) { /* the oldest first */
        const OutRow *o = g_ptr_array_index(rows, i);
        if (address_equal(o->from, o->address))
            add(log, behind_step(log, o), "parked", o->step,
                "left itself a checkpoint mail, %s", out_state_name(o->state));
        else
            add(log, behind_step(log, o), "mail out", o->step, "to %s, %s%s%s: %s (<%s>)",
                o->address, out_state_name(o->state), o->why ? ", " : "", o->why ? o->why : "",
                o->subject, o->msgid);
    }
    return true;
}

static void
add_steps(Log *log)
{
    LIST_EACH(const Step, s, log->steps) {
        g_autofree char *took = clock_format_span(s->took_us);
        g_autofree char *cost = text_money(s->cost_micro);
        add(log, s->at_us, "step", s->n, "%d (%s, %s): %s%s%s", s->n, took, cost, s->did,
            s->because ? ", because " : "", s->because ? s->because : "");
    }
}

static bool
add_forks(Log *log, GError **error)
{
    g_autoptr(Forks) forks = NULL;
    if (!forks_list(log->cli->db, log->job->id, &forks, error))
        return false;
    LIST_EACH(const Fork, f, forks)
        add(log, f->created_us, "fork", 0, "job %" PRId64 " was forked from it at step %d",
            f->job.v, f->step);
    return true;
}

/* Orders that came by no mail of its own. */
static bool
add_given(Log *log, GError **error)
{
    g_autoptr(CommandOrders) rows = NULL;
    if (!command_orders_list(log->cli->db, log->job->id, &rows, error))
        return false;
    LIST_EACH(const CommandOrder, g, rows)
        add(log, g->at_us, "order", 0, "%s", g->text);
    return true;
}

/* About held mail is asked in the commit of the step that wrote it: behind it, as that mail. */
static bool
asked_at(const Log *log, const Question *q, int64_t *ret_us, GError **error)
{
    g_autoptr(QuestionMails) mails = NULL;
    g_autoptr(OutRows) rows = NULL;
    *ret_us = q->asked_us;
    if (!question_mails(log->cli->db, q->id, &mails, error))
        return false;
    if (q->about.v || mails->len == 0)
        return true;
    OutQuery first = {.id = ((const QuestionMail *)g_ptr_array_index(mails, 0))->id,
                      .all = true};
    if (!outbox_list(log->cli->db, &VIEWER_OPERATOR, &first, &rows, error))
        return false;
    if (rows->len > 0)
        *ret_us = MAX(q->asked_us, behind_step(log, g_ptr_array_index(rows, 0)));
    return true;
}

static bool
add_questions(Log *log, GError **error)
{
    g_autoptr(Questions) rows = NULL;
    if (!questions_list(log->cli->db, log->job->id, &rows, error))
        return false;
    LIST_EACH(const Question, q, rows) {
        int64_t asked_us;
        if (!asked_at(log, q, &asked_us, error))
            return false;
        add(log, asked_us, "question", 0, "%s (<%s>)", q->asks, q->msgid);
        if (q->state != QUESTION_OPEN)
            add(log, q->decided_us ? q->decided_us : q->asked_us, "answer", 0, "%s%s%s%s%s",
                question_state_name(q->state), q->who ? " by " : "", q->who ? q->who : "",
                q->why ? ": " : "", q->why ? q->why : "");
    }
    return true;
}

/* How it is now: stops and wakes that no mail told of are seen here. */
static void
add_state(Log *log)
{
    const Job *job = log->job;
    const GPtrArray *all = log->events;
    const Event *last = all->len > 0 ? g_ptr_array_index(all, all->len - 1) : NULL;
    int64_t at_us = MAX(job->updated_us, last ? last->at_us : job->created_us);
    g_autofree char *due = NULL;
    if (job->state == JOB_PARKED && job->resume.us != USEC_NEVER)
        due = job->resume.us > home_now(log->cli->home) ? clock_format_iso(job->resume.us)
                                                        : g_strdup("the next pass");
    if (due && job->waiting_for && strstr(job->waiting_for, due))
        g_clear_pointer(&due, g_free); /* it says so itself */
    add(log, at_us, "now", 0, "%s%s%s%s%s%s%s", job_state_words(job->state),
        job->waiting_for ? ", for " : "", job->waiting_for ? job->waiting_for : "",
        due ? ", until " : "", due ? due : "", job->why ? ": " : "", job->why ? job->why : "");
}

/* How it is now is always last. */
static bool
collect(Log *log, GError **error)
{
    ForkPoint from;
    g_ptr_array_set_size(log->events, 0);
    g_clear_pointer(&log->steps, steps_free);
    if (!fork_of(log->cli->db, log->job->id, &from, error) ||
        !steps_list(log->cli->db, &VIEWER_OPERATOR, log->job->id, &log->steps, error))
        return false;
    if (from.job.v)
        add(log, log->job->created_us, "began", 0,
            "as a fork of job %" PRId64 " at step %d: %s", from.job.v, from.step,
            log->job->subject);
    if (!add_mail_in(log, error))
        return false;
    add_steps(log);
    if (!add_mail_out(log, error) || !add_forks(log, error) || !add_given(log, error) ||
        !add_questions(log, error))
        return false;
    g_ptr_array_sort(log->events, compare);
    add_state(log);
    return true;
}

/* --- what is printed --- */

static char *
format_json(const Log *log, const Event *e)
{
    g_autoptr(json_t) line =
        json_pack("{s:o, s:I, s:s, s:o, s:s}", "at", shape_time(e->at_us), "job",
                  (json_int_t)log->job->id.v, "event", e->what, "step",
                  e->step ? json_integer(e->step) : json_null(), "text", e->text);
    return json_format(line);
}

static char *
format_text(Cli *cli, const Event *e)
{
    enum { FIXED = 28 };
    unsigned width = step_columns();
    g_autofree char *at = width ? step_time(e->at_us) : clock_format_iso(e->at_us);
    g_autofree char *text = width ? cli_short_ids(cli, e->text) : g_strdup(e->text);
    g_auto(GStrv) lines = step_wrap(text, width ? width - FIXED : UINT_MAX);
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "%s  %-10s  ", at, e->what);
    for (char **line = lines; *line; line++)
        g_string_append_printf(out, "%s%*s%s", line == lines ? "" : "\n",
                               line == lines ? 0 : FIXED, "", *line);
    return g_string_free(out, FALSE);
}

static void
print_new(Log *log)
{
    LIST_EACH(const Event, e, log->events) {
        char *line = log->cli->json ? format_json(log, e) : format_text(log->cli, e);
        if (g_hash_table_contains(log->printed, line)) {
            g_free(line);
            continue;
        }
        cli_print(log->cli, "%s\n", line);
        g_hash_table_add(log->printed, line);
    }
}

static bool
rests(JobState s)
{
    return s != JOB_QUEUED && s != JOB_RUNNING;
}

/* -1: it may go on. */
static int
look(void *data)
{
    Log *log = data;
    GError *error = NULL;
    JobId id = log->job->id;
    Job *now = NULL;
    if (!job_load(log->cli->db, &VIEWER_OPERATOR, id, &now, &error))
        return cli_error(0, error);
    if (!now)
        return cli_fail(EX_NOINPUT, "job %" PRId64 " is gone", id.v);
    job_free(log->job);
    log->job = now;
    if (!collect(log, &error))
        return cli_error(0, error);
    print_new(log);
    return rests(now->state) ? 0 : -1;
}

int
cmd_job_log(Cli *cli, int argc, char **argv)
{
    GError *error = NULL;
    JobId id;
    Log log = {.cli = cli};
    int status;
    if (argc != 2)
        return cli_usage(cli, "log needs one job");
    if ((status = cli_db(cli, DB_READ)) || (status = cli_job(cli, argv[1], &id)))
        return status;
    if (!job_load(cli->db, &VIEWER_OPERATOR, id, &log.job, &error))
        return cli_error(0, error);
    log.events = g_ptr_array_new_with_free_func(event_free);
    log.printed = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    status = cli_flag(cli, "follow") ? tail_store(cli, look, &log) : look(&log);
    g_ptr_array_unref(log.events);
    g_clear_pointer(&log.steps, steps_free);
    g_hash_table_unref(log.printed);
    job_free(log.job);
    return MAX(status, 0);
}
