#include "engine/people/tell.h"
#include "engine/people/repliers.h"
#include "store/job/budget.h"
#include "store/job/doings.h"
#include "store/job/questions.h"
#include "store/job/seats.h"
#include "store/job/step_rows.h"
#include "store/mail/messages.h"
#include "store/out/outbox.h"

static char *
since(const Home *home, int64_t then_us)
{
    int64_t span_us = home_now(home) - then_us;
    return span_us < USEC_PER_SEC ? g_strdup("a moment") : clock_format_span(span_us);
}

static const char *
job_title(const Job *job)
{
    return *job->subject ? job->subject : "no subject";
}

/* " by a reply" of "stopped by a reply"; NULL: its reason is another. */
static const char *
ended_by(const Job *job)
{
    const char *word = job_state_words(job->state);
    return job->why && g_str_has_prefix(job->why, word) ? job->why + strlen(word) : NULL;
}

/* "has been working for 3 s", "was done 3 s ago", "was stopped by a reply 3 s ago". */
static char *
state_since(const Home *home, const Job *job)
{
    g_autofree char *span = since(home, job->updated_us);
    const char *word = job_state_words(job->state);
    if (job->state == JOB_FAILED)
        return g_strdup_printf("failed %s ago", span);
    if (job->state == JOB_QUEUED || job->state == JOB_RUNNING || job->state == JOB_PARKED)
        return g_strdup_printf("has been %s for %s", word, span);
    const char *by = ended_by(job);
    return g_strdup_printf("was %s%s %s ago", word, by ? by : "", span);
}

/* Says what happens when the wait ends. The persons who are awaited are left out when they
 * can't be read. */
static char *
wait_words(Db *db, const Job *job, const char *span)
{
    g_auto(Repliers) awaited = {0};
    if (job->wait_then == WAIT_ESCALATE)
        return g_strdup_printf("It asks the owner in %s, and goes on when somebody writes.",
                               span);
    g_autofree char *names =
        repliers_load(db, job, &awaited, NULL) ? repliers_names(&awaited) : g_strdup("them");
    return g_strdup_printf("It reminds %s in %s, and goes on when somebody writes.", names,
                           span);
}

/* CONTINUE alone raises no budget. */
static const char *
continue_words(Db *db, const Job *job)
{
    const ConfRole *role = config_role(db_home(db)->config, job->role);
    int64_t limit = role ? role->max_cost_micro : 0, day, today;
    if (job->cost_limit_micro)
        limit = job->cost_limit_micro;
    bool spent = limit > 0 && job->round_cost_micro >= limit;
    if (!spent && budget_today(db, &day, &today, NULL))
        spent = day > 0 && today >= day;
    return spent ? "Reply CONTINUE $1 to let it spend $1 more." : "Reply CONTINUE to go on.";
}

/* For what a job waits that nothing but others keeps from its work. */
static char *
place_words(Db *db, const Job *job)
{
    g_autofree char *place = NULL;
    (void)seat_wait(db, job, &place, NULL);
    return place ? g_strdup_printf("It waits for %s.", place)
                 : g_strdup("It begins as soon as a worker is free.");
}

/* Says in a sentence what happens next. */
static char *
next_of(Db *db, const Job *job)
{
    int64_t now = home_now(db_home(db));
    int64_t at_us = job->state == JOB_QUEUED ? job->ready_us : job->resume.us;
    g_autofree char *wait =
        at_us > now && at_us != USEC_NEVER ? clock_format_span(at_us - now) : NULL;
    switch (job->state) {
    case JOB_QUEUED:
        if (wait && job->why) /* somebody may have mended it meanwhile */
            return g_strdup_printf("It is tried again in %s; reply CONTINUE to try at once.",
                                   wait);
        return wait ? g_strdup_printf("It is tried again in %s.", wait) : place_words(db, job);
    case JOB_RUNNING:
        return g_strdup("Reply STOP to end its work.");
    case JOB_PARKED:
        if (wait && job->wait_then != WAIT_CONTINUE)
            return wait_words(db, job, wait);
        if (wait)
            return g_strdup_printf("It goes on in %s, or when somebody writes.", wait);
        return g_strdup(at_us == USEC_NEVER ? "It goes on when somebody writes."
                                            : "It goes on by itself with the next pass.");
    case JOB_STOPPED:
    case JOB_FAILED:
        return g_strdup(continue_words(db, job));
    default:
        return g_strdup("Write on its thread, and it goes on.");
    }
}

/* Held mail, and mail in doubt, that a person was asked about. */
static bool
add_questions(Db *db, JobId id, GString *s, GError **error)
{
    g_autoptr(Questions) open = NULL;
    if (!questions_open(db, id, &open, error))
        return false;
    LIST_EACH(const Question, q, open) {
        g_autoptr(QuestionMails) mails = NULL;
        if (!question_mails(db, q->id, &mails, error))
            return false;
        if (mails->len == 0)
            g_string_append_printf(s,
                                   "It asks: %s APPROVE or REJECT, as a reply to the mail "
                                   "that asks.\n",
                                   q->asks);
        LIST_EACH(const QuestionMail, m, mails)
            if (m->undecided)
                g_string_append_printf(
                    s,
                    "Mail %" G_GINT64_FORMAT
                    " to %s %s: APPROVE or REJECT, as a reply to the mail that asks.\n",
                    m->id.v, m->to, q->about.v ? "may not have arrived" : "is held");
    }
    return true;
}

/* Mail that failed or was rejected does not wait any more. */
static unsigned
count_waiting(const OutRows *unsent)
{
    unsigned n = 0;
    for (guint i = 0; i < unsent->len; i++)
        n += ((const OutRow *)g_ptr_array_index(unsent, i))->state != OUT_FAILED;
    return n;
}

/* Adds what the job's program said last. */
static bool
add_doing(Db *db, const Job *job, GString *s, GError **error)
{
    g_autoptr(Doing) now = NULL;
    if (job->state != JOB_RUNNING)
        return true;
    if (!doing_last(db, job->id, job->fence, &now, error))
        return false;
    if (!now)
        return true;
    g_autofree char *span = since(db_home(db), now->at_us), *cost = text_money(now->cost_micro);
    g_string_append_printf(s, "%s ago it said: %s", span, now->said);
    if (now->cost_micro > 0)
        g_string_append_printf(s, " (%s so far)", cost);
    g_string_append_c(s, '\n');
    return true;
}

char *
tell_job(Db *db, JobId id, GError **error)
{
    g_autoptr(Job) job = NULL;
    unsigned open;
    g_autoptr(OutRows) unsent = NULL;
    OutQuery q = {.job = id};
    if (!job_load(db, &VIEWER_OPERATOR, id, &job, error))
        return NULL;
    if (!job) {
        err_set(error, ERR_NEVER, "there is no job %" G_GINT64_FORMAT, id.v);
        return NULL;
    }
    if (!messages_count_open(db, id, &open, error) ||
        !outbox_list(db, &VIEWER_OPERATOR, &q, &unsent, error))
        return NULL;

    g_autofree char *state = state_since(db_home(db), job);
    g_autofree char *next = next_of(db, job);
    g_autoptr(GString) s = g_string_new(NULL);
    g_string_append_printf(s, "Job %" G_GINT64_FORMAT " (%s) %s", id.v, job_title(job), state);
    if (job->waiting_for && *job->waiting_for)
        g_string_append_printf(s, ", for %s", job->waiting_for);
    else if (job->state == JOB_PARKED)
        g_string_append(s, ", at its limit of steps in one run");
    if (job->why && *job->why && !ended_by(job))
        g_string_append_printf(s, ": %s", job->why);
    g_string_append_printf(s, ". %s\nRound %d, %d step%s so far", next, job->round, job->steps,
                           job->steps == 1 ? "" : "s");
    if (open)
        g_string_append_printf(s, ", %u mail%s to answer", open, open == 1 ? "" : "s");
    unsigned waits = count_waiting(unsent);
    if (waits)
        g_string_append_printf(s, ", %u mail%s not sent yet", waits, waits == 1 ? "" : "s");
    g_string_append(s, ".\n");
    if (!add_doing(db, job, s, error) || !add_questions(db, id, s, error))
        return NULL;
    return g_string_free(g_steal_pointer(&s), FALSE);
}

char *
tell_why(Db *db, JobId id, GError **error)
{
    g_autoptr(Steps) steps = NULL;
    g_autofree char *status = tell_job(db, id, error);
    if (!status || !steps_list(db, &VIEWER_OPERATOR, id, 0, &steps, error))
        return NULL;
    g_autoptr(GString) s = g_string_new(status);
    if (steps->len == 0)
        g_string_append(s, "\nNo step is finished yet.\n");
    else
        g_string_append(s, "\nWhat it did:\n");
    for (guint i = steps->len > 20 ? steps->len - 20 : 0; i < steps->len; i++) {
        const Step *step = g_ptr_array_index(steps, i);
        g_autofree char *at = clock_format_iso(step->at_us);
        g_string_append_printf(s, "  %d. %s %s%s%s\n", step->n, at, step->did,
                               step->because ? ", because " : "",
                               step->because ? step->because : "");
    }
    return g_string_free(g_steal_pointer(&s), FALSE);
}

/* STATUS without a job: everything of this role that is alive. */
char *
tell_role(Db *db, const char *role, GError **error)
{
    g_autoptr(Jobs) jobs = NULL;
    JobQuery q = {.role = role, .live_only = true};
    if (!jobs_list(db, &VIEWER_OPERATOR, &q, &jobs, error))
        return NULL;
    if (jobs->len == 0)
        return g_strdup("Nothing is going on.\n");
    g_autoptr(GString) s = g_string_new("What is going on:\n\n");
    LIST_EACH(const Job, job, jobs) {
        g_autofree char *state = state_since(db_home(db), job);
        g_string_append_printf(s, "  job %" G_GINT64_FORMAT " (%s) %s\n", job->id.v,
                               job_title(job), state);
    }
    return g_string_free(g_steal_pointer(&s), FALSE);
}
