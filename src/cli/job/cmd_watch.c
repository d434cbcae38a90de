/* `watch`: what happens, as it happens. */
#include "base/json.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/home/tail.h"
#include "store/index/index.h"
#include "store/job/jobs.h"
#include "store/job/step_rows.h"
#include "store/out/outbox.h"
#include <inttypes.h>

#define BATCH 1000

/* What was last said about a job. */
typedef struct SeenJob {
    JobState state;
    int steps;
} SeenJob;

typedef struct Watch {
    Cli *cli;
    JobId only;           /* {0}: everything */
    int64_t last_message; /* rows up to these were there before us, or are told */
    int64_t last_out;
    GHashTable *jobs;       /* JobId.v -> SeenJob */
    GHashTable *deliveries; /* id -> OutState + 1, of mail that has not left */
    GHashTable *unsent;     /* OutId.v of those */
} Watch;

static void
watch_init(Watch *w, Cli *cli)
{
    *w = (Watch){.cli = cli};
    w->jobs = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    w->deliveries = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    w->unsent = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
}

static void
watch_clear(Watch *w)
{
    g_hash_table_unref(w->jobs);
    g_hash_table_unref(w->deliveries);
    g_hash_table_unref(w->unsent);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Watch, watch_clear)

static int64_t *
key_of(int64_t v)
{
    return g_memdup2(&v, sizeof v);
}

/* --- lines --- */

static void tell(Watch *w, int64_t at_us, JobId job, const char *event, const char *fmt, ...)
    G_GNUC_PRINTF(5, 6);
static void
tell(Watch *w, int64_t at_us, JobId job, const char *event, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    g_autofree char *text = g_strdup_vprintf(fmt, args);
    va_end(args);
    if (w->cli->json) {
        g_autoptr(json_t) line =
            json_pack("{s:o, s:s, s:o, s:s}", "at", shape_time(at_us), "event", event, "job",
                      job.v ? json_integer(job.v) : json_null(), "text", text);
        g_autofree char *compact = json_format(line);
        cli_print(w->cli, "%s\n", compact);
        return;
    }
    g_autofree char *at = clock_format_iso(at_us);
    g_autofree char *who = job.v ? g_strdup_printf("job %" PRId64, job.v) : g_strdup("-");
    cli_print(w->cli, "%s  %-8s  %-8s  ", at, who, event);
    cli_print_vis(w->cli, text, false);
    cli_print(w->cli, "\n");
}

static bool
is_wanted(const Watch *w, JobId job)
{
    return w->only.v == 0 || w->only.v == job.v;
}

/* --- what is new --- */

static bool
look_at_mail(Watch *w, GError **error)
{
    g_autoptr(MsgRows) rows = NULL;
    do {
        g_clear_pointer(&rows, msg_rows_free);
        if (!index_behind(w->cli->db, w->last_message, BATCH, &rows, error))
            return false;
        LIST_EACH(const MsgRow, m, rows) {
            w->last_message = m->id.v;
            if (is_wanted(w, m->job))
                tell(w, m->received_us, m->job, "mail in", "%s for %s from %s, %s%s%s: %s",
                     msg_class_name(m->class), m->role, m->from, msg_state_name(m->state),
                     m->why ? ", " : "", m->why ? m->why : "", m->subject);
        }
    } while (rows->len == BATCH);
    return true;
}

static bool
look_at_steps(Watch *w, const Job *job, int told, GError **error)
{
    g_autoptr(Steps) steps = NULL;
    if (!steps_list(w->cli->db, &VIEWER_OPERATOR, job->id, &steps, error))
        return false;
    LIST_EACH(const Step, s, steps)
        if (s->n > told)
            tell(w, s->at_us, job->id, "step", "%d: %s", s->n, s->did);
    return true;
}

static bool
look_at_job(Watch *w, const Job *job, GError **error)
{
    SeenJob *seen = g_hash_table_lookup(w->jobs, &job->id.v);
    if (!seen) {
        seen = g_new0(SeenJob, 1);
        seen->state = JOB_N_STATES;
        g_hash_table_insert(w->jobs, key_of(job->id.v), seen);
    }
    if (job->steps > seen->steps && !look_at_steps(w, job, seen->steps, error))
        return false;
    seen->steps = job->steps;
    if (job->state != seen->state)
        tell(w, job->updated_us, job->id, "job", "%s%s%s: %s", job_state_words(job->state),
             job->why ? ", " : "", job->why ? job->why : "", job->subject);
    seen->state = job->state;
    return true;
}

/* Jobs that were alive when we last looked and are not any more. */
static bool
look_at_ended(Watch *w, const Jobs *live, GError **error)
{
    g_autoptr(GHashTable) alive = g_hash_table_new(g_int64_hash, g_int64_equal);
    for (guint i = 0; i < live->len; i++)
        g_hash_table_add(alive, &((Job *)g_ptr_array_index(live, i))->id.v);
    g_autofree gpointer *ids = g_hash_table_get_keys_as_array(w->jobs, NULL);
    for (gpointer *id = ids; *id; id++) {
        g_autoptr(Job) job = NULL;
        JobId which = {*(const int64_t *)*id};
        if (g_hash_table_contains(alive, *id))
            continue;
        if (!job_load(w->cli->db, &VIEWER_OPERATOR, which, &job, error) ||
            (job && !look_at_job(w, job, error)))
            return false;
        g_hash_table_remove(w->jobs, &which.v);
    }
    return true;
}

static bool
live_jobs(Watch *w, Jobs **ret, GError **error)
{
    JobQuery q = {.live_only = true, .limit = BATCH};
    return jobs_list(w->cli->db, &VIEWER_OPERATOR, &q, ret, error);
}

static bool
look_at_jobs(Watch *w, GError **error)
{
    g_autoptr(Jobs) live = NULL;
    if (!live_jobs(w, &live, error))
        return false;
    LIST_EACH(const Job, job, live)
        if (!look_at_job(w, job, error))
            return false;
    return look_at_ended(w, live, error);
}

/* Remembers the state of one delivery; true when it is another than before. */
static bool
is_changed(Watch *w, const OutRow *o)
{
    gpointer now = GINT_TO_POINTER((int)o->state + 1);
    if (g_hash_table_lookup(w->deliveries, &o->delivery) == now)
        return false;
    if (o->state == OUT_SENT)
        g_hash_table_remove(w->deliveries, &o->delivery);
    else
        g_hash_table_insert(w->deliveries, key_of(o->delivery), now);
    return true;
}

/* All recipients of one mail. *ret_there: there is such a mail, *ret_left: it left for all. */
static bool
look_at_out(Watch *w, int64_t id, bool *ret_there, bool *ret_left, GError **error)
{
    g_autoptr(OutRows) rows = NULL;
    OutQuery q = {.id = {id}, .all = true, .copies = true, .limit = BATCH};
    if (!outbox_list(w->cli->db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    *ret_there = rows->len > 0;
    *ret_left = true;
    LIST_EACH(const OutRow, o, rows) {
        if (g_str_equal(o->folder, "Sent"))
            continue; /* the sender's own copy is no news */
        *ret_left = *ret_left && o->state == OUT_SENT;
        if (is_changed(w, o) && is_wanted(w, o->job))
            tell(w, home_now(w->cli->home), o->job, "mail out", "to %s, %s%s%s: %s", o->address,
                 out_state_name(o->state), o->why ? ", " : "", o->why ? o->why : "",
                 o->subject);
    }
    return true;
}

/* Numbers are given out in order and never taken back, so the next mail has the next one. */
static bool
look_at_outbox(Watch *w, GError **error)
{
    bool there = true, left;
    g_autofree gpointer *ids = g_hash_table_get_keys_as_array(w->unsent, NULL);
    for (gpointer *id = ids; *id; id++) {
        if (!look_at_out(w, *(const int64_t *)*id, &there, &left, error))
            return false;
        if (left)
            g_hash_table_remove(w->unsent, *id);
    }
    for (there = true; there;) {
        if (!look_at_out(w, w->last_out + 1, &there, &left, error))
            return false;
        if (there)
            w->last_out++;
        if (there && !left)
            g_hash_table_add(w->unsent, key_of(w->last_out));
    }
    return true;
}

/* --- from now on --- */

static bool
mark_outbox(Watch *w, GError **error)
{
    g_autoptr(OutRows) newest = NULL, unsent = NULL;
    OutQuery last = {.all = true, .copies = true, .limit = 1};
    OutQuery open = {.limit = BATCH};
    if (!outbox_list(w->cli->db, &VIEWER_OPERATOR, &last, &newest, error) ||
        !outbox_list(w->cli->db, &VIEWER_OPERATOR, &open, &unsent, error))
        return false;
    if (newest->len)
        w->last_out = ((const OutRow *)g_ptr_array_index(newest, 0))->id.v;
    LIST_EACH(const OutRow, o, unsent) {
        (void)is_changed(w, o);
        g_hash_table_add(w->unsent, key_of(o->id.v));
    }
    return true;
}

/* Jobs as they are now: only what changes is told. */
static bool
mark_jobs(Watch *w, GError **error)
{
    g_autoptr(Jobs) live = NULL;
    if (!live_jobs(w, &live, error))
        return false;
    LIST_EACH(const Job, job, live) {
        SeenJob seen = {.state = job->state, .steps = job->steps};
        g_hash_table_insert(w->jobs, key_of(job->id.v), g_memdup2(&seen, sizeof seen));
    }
    return true;
}

static bool
mark_now(Watch *w, GError **error)
{
    g_autoptr(MsgRows) newest = NULL;
    MsgQuery q = {.limit = 1};
    if (!messages_list(w->cli->db, &VIEWER_OPERATOR, &q, &newest, error))
        return false;
    if (newest->len)
        w->last_message = ((const MsgRow *)g_ptr_array_index(newest, 0))->id.v;
    return mark_outbox(w, error) && (w->only.v || mark_jobs(w, error));
}

/* --- the loop --- */

/* The exit status once the watched job rests; -1 while it does not. */
static int
status_of(JobState s)
{
    switch (s) {
    case JOB_DONE:
        return 0;
    case JOB_FAILED:
    case JOB_CANCELLED:
        return 1;
    case JOB_STOPPED:
    case JOB_PARKED:
        return EX_TEMPFAIL;
    case JOB_QUEUED:
    case JOB_RUNNING:
    case JOB_N_STATES:
        break;
    }
    return -1;
}

/* The one job that was asked for; its steps so far are told too. */
static bool
look_at_only(Watch *w, int *ret_status, GError **error)
{
    g_autoptr(Job) job = NULL;
    if (!job_load(w->cli->db, &VIEWER_OPERATOR, w->only, &job, error) ||
        (job && !look_at_job(w, job, error)))
        return false;
    *ret_status = job ? status_of(job->state) : EX_NOINPUT;
    return true;
}

/* Tells what is new. -1: go on; else the exit status. */
static int
look(void *data)
{
    Watch *w = data;
    GError *error = NULL;
    int status = -1;
    if (!look_at_mail(w, &error) ||
        !(w->only.v ? look_at_only(w, &status, &error) : look_at_jobs(w, &error)) ||
        !look_at_outbox(w, &error))
        return cli_error(0, error);
    return status;
}

int
cmd_watch(Cli *cli, int argc, char **argv)
{
    GError *error = NULL;
    g_auto(Watch) w = {0};
    watch_init(&w, cli);
    int status;
    if (argc > 2)
        return cli_usage(cli, "takes one job at most");
    if ((status = cli_db(cli, DB_READ)) ||
        (argc == 2 && (status = cli_job(cli, argv[1], &w.only))))
        return status;
    if (!mark_now(&w, &error))
        return cli_error(0, error);
    return tail_store(cli, look, &w);
}
