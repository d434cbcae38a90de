#include "show/news.h"
#include "store/index/index.h"
#include "store/job/doings.h"
#include "store/job/step_rows.h"
#include "store/out/outbox.h"

#define BATCH 1000

/* What was last said about a job. */
typedef struct SeenJob {
    JobState state;
    int steps;
    int64_t doing; /* the last line of its program */
} SeenJob;

struct News {
    Db *db;
    JobId only;           /* {0}: everything */
    int64_t last_message; /* rows up to these were there before us, or are told */
    int64_t last_out;
    GHashTable *jobs;       /* JobId.v -> SeenJob */
    GHashTable *deliveries; /* id -> OutState + 1, of mail that has not left */
    GHashTable *unsent;     /* OutId.v of those */
    Events *events;         /* that nobody was told yet */
};

static int64_t *
key_of(int64_t v)
{
    return g_memdup2(&v, sizeof v);
}

static bool
is_wanted(const News *n, JobId job)
{
    return n->only.v == 0 || n->only.v == job.v;
}

/* --- what is new --- */

static bool
look_at_mail(News *n, GError **error)
{
    g_autoptr(MsgRows) rows = NULL;
    do {
        g_clear_pointer(&rows, msg_rows_free);
        if (!index_behind(n->db, n->last_message, BATCH, &rows, error))
            return false;
        LIST_EACH(const MsgRow, m, rows) {
            n->last_message = m->id.v;
            if (is_wanted(n, m->job))
                events_say(n->events, m->received_us, "mail in",
                           "%s for %s from %s, %s%s%s: %s", msg_class_name(m->class), m->role,
                           m->from, msg_state_name(m->state), m->why ? ", " : "",
                           m->why ? m->why : "", m->subject)
                    ->job = m->job;
        }
    } while (rows->len == BATCH);
    return true;
}

static bool
look_at_steps(News *n, const Job *job, int told, GError **error)
{
    g_autoptr(Steps) steps = NULL;
    if (!steps_list(n->db, &VIEWER_OPERATOR, job->id, told, &steps, error))
        return false;
    LIST_EACH(const Step, s, steps)
        events_say(n->events, s->at_us, "step", "%d: %s", s->n, s->did)->job = job->id;
    return true;
}

/* What the program that works on it says. */
static bool
look_at_doings(News *n, const Job *job, SeenJob *seen, GError **error)
{
    g_autoptr(Doings) said = NULL;
    if (!doings_list(n->db, job->id, job->fence, seen->doing, &said, error))
        return false;
    LIST_EACH(const Doing, d, said) {
        events_say(n->events, d->at_us, d->what[0] == 'm' ? "told" : "doing", "%s", d->said)
            ->job = job->id;
        seen->doing = d->id;
    }
    return true;
}

static bool
look_at_job(News *n, const Job *job, GError **error)
{
    SeenJob *seen = g_hash_table_lookup(n->jobs, &job->id.v);
    if (!seen) {
        seen = g_new0(SeenJob, 1);
        seen->state = JOB_N_STATES;
        g_hash_table_insert(n->jobs, key_of(job->id.v), seen);
    }
    if (job->state == JOB_RUNNING && !look_at_doings(n, job, seen, error))
        return false;
    if (job->steps > seen->steps && !look_at_steps(n, job, seen->steps, error))
        return false;
    seen->steps = job->steps;
    if (job->state != seen->state)
        events_say(n->events, job->updated_us, "job", "%s%s%s: %s", job_state_words(job->state),
                   job->why ? ", " : "", job->why ? job->why : "", job->subject)
            ->job = job->id;
    seen->state = job->state;
    return true;
}

/* Jobs that were alive when we last looked and are not any more. */
static bool
look_at_ended(News *n, const Jobs *live, GError **error)
{
    g_autoptr(GHashTable) alive = g_hash_table_new(g_int64_hash, g_int64_equal);
    LIST_EACH(Job, job, live)
        g_hash_table_add(alive, &job->id.v);
    g_autofree gpointer *ids = g_hash_table_get_keys_as_array(n->jobs, NULL);
    for (gpointer *id = ids; *id; id++) {
        g_autoptr(Job) job = NULL;
        JobId which = {*(const int64_t *)*id};
        if (g_hash_table_contains(alive, *id))
            continue;
        if (!job_load(n->db, &VIEWER_OPERATOR, which, &job, error) ||
            (job && !look_at_job(n, job, error)))
            return false;
        g_hash_table_remove(n->jobs, &which.v);
    }
    return true;
}

static bool
live_jobs(News *n, Jobs **ret, GError **error)
{
    JobQuery q = {.live_only = true, .limit = BATCH};
    return jobs_list(n->db, &VIEWER_OPERATOR, &q, ret, error);
}

static bool
look_at_jobs(News *n, GError **error)
{
    g_autoptr(Jobs) live = NULL;
    if (!live_jobs(n, &live, error))
        return false;
    LIST_EACH(const Job, job, live)
        if (!look_at_job(n, job, error))
            return false;
    return look_at_ended(n, live, error);
}

/* Remembers the state of one delivery; true when it is another than before. */
static bool
is_changed(News *n, const OutRow *o)
{
    gpointer now = GINT_TO_POINTER((int)o->state + 1);
    if (g_hash_table_lookup(n->deliveries, &o->delivery) == now)
        return false;
    if (o->state == OUT_SENT)
        g_hash_table_remove(n->deliveries, &o->delivery);
    else
        g_hash_table_insert(n->deliveries, key_of(o->delivery), now);
    return true;
}

/* All recipients of one mail. *ret_there: there is such a mail, *ret_left: it left for all. */
static bool
look_at_out(News *n, int64_t id, bool *ret_there, bool *ret_left, GError **error)
{
    g_autoptr(OutRows) rows = NULL;
    OutQuery q = {.id = {id}, .all = true, .copies = true, .limit = BATCH};
    if (!outbox_list(n->db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    *ret_there = rows->len > 0;
    *ret_left = true;
    LIST_EACH(const OutRow, o, rows) {
        if (g_str_equal(o->folder, "Sent"))
            continue; /* the sender's own copy is no news */
        *ret_left = *ret_left && o->state == OUT_SENT;
        if (is_changed(n, o) && is_wanted(n, o->job))
            events_say(n->events, home_now(db_home(n->db)), "mail out", "to %s, %s%s%s: %s",
                       o->address, out_state_name(o->state), o->why ? ", " : "",
                       o->why ? o->why : "", o->subject)
                ->job = o->job;
    }
    return true;
}

/* Numbers are given out in order and never taken back, so the next mail has the next one. */
static bool
look_at_outbox(News *n, GError **error)
{
    bool there = true, left;
    g_autofree gpointer *ids = g_hash_table_get_keys_as_array(n->unsent, NULL);
    for (gpointer *id = ids; *id; id++) {
        if (!look_at_out(n, *(const int64_t *)*id, &there, &left, error))
            return false;
        if (left)
            g_hash_table_remove(n->unsent, *id);
    }
    for (there = true; there;) {
        if (!look_at_out(n, n->last_out + 1, &there, &left, error))
            return false;
        if (there)
            n->last_out++;
        if (there && !left)
            g_hash_table_add(n->unsent, key_of(n->last_out));
    }
    return true;
}

/* --- from now on --- */

static bool
mark_outbox(News *n, GError **error)
{
    g_autoptr(OutRows) newest = NULL, unsent = NULL;
    OutQuery last = {.all = true, .copies = true, .limit = 1};
    OutQuery open = {.limit = BATCH};
    if (!outbox_list(n->db, &VIEWER_OPERATOR, &last, &newest, error) ||
        !outbox_list(n->db, &VIEWER_OPERATOR, &open, &unsent, error))
        return false;
    if (newest->len)
        n->last_out = newest->pdata[0]->id.v;
    LIST_EACH(const OutRow, o, unsent) {
        (void)is_changed(n, o);
        g_hash_table_add(n->unsent, key_of(o->id.v));
    }
    return true;
}

/* Jobs as they are now: only what changes is told. */
static bool
mark_jobs(News *n, GError **error)
{
    g_autoptr(Jobs) live = NULL;
    if (!live_jobs(n, &live, error))
        return false;
    LIST_EACH(const Job, job, live) {
        SeenJob seen = {.state = job->state, .steps = job->steps};
        g_hash_table_insert(n->jobs, key_of(job->id.v), g_memdup2(&seen, sizeof seen));
    }
    return true;
}

static bool
mark_now(News *n, GError **error)
{
    g_autoptr(MsgRows) newest = NULL;
    MsgQuery q = {.limit = 1};
    if (!messages_list(n->db, &VIEWER_OPERATOR, &q, &newest, error))
        return false;
    if (newest->len)
        n->last_message = newest->pdata[0]->id.v;
    return mark_outbox(n, error) && (n->only.v || mark_jobs(n, error));
}

bool
news_open(Db *db, JobId only, News **ret, GError **error)
{
    g_autoptr(News) n = g_new0(News, 1);
    n->db = db;
    n->only = only;
    n->jobs = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    n->deliveries = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    n->unsent = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    n->events = events_new();
    if (!mark_now(n, error))
        return false;
    *ret = g_steal_pointer(&n);
    return true;
}

void
news_free(News *n)
{
    if (!n)
        return;
    g_hash_table_unref(n->jobs);
    g_hash_table_unref(n->deliveries);
    g_hash_table_unref(n->unsent);
    events_free(n->events);
    g_free(n);
}

/* The one job that was asked for; its steps so far are told too. */
static bool
look_at_only(News *n, JobState *ret_state, GError **error)
{
    g_autoptr(Job) job = NULL;
    if (!job_load(n->db, &VIEWER_OPERATOR, n->only, &job, error) ||
        (job && !look_at_job(n, job, error)))
        return false;
    *ret_state = job ? job->state : JOB_N_STATES;
    return true;
}

bool
news_read(News *n, Events **ret, JobState *ret_state, GError **error)
{
    *ret_state = JOB_N_STATES;
    if (!look_at_mail(n, error) ||
        !(n->only.v ? look_at_only(n, ret_state, error) : look_at_jobs(n, error)) ||
        !look_at_outbox(n, error))
        return false;
    *ret = n->events;
    n->events = events_new();
    return true;
}
