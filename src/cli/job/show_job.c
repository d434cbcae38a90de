#include "cli/job/show_job.h"
#include "base/text.h"
#include "cli/job/step_view.h"
#include "engine/people/tell.h"
#include "store/job/forks.h"
#include "store/mail/messages.h"
#include "store/out/outbox.h"
#include <inttypes.h>

#define MAIL_MAX 200

static void
add_in(CliTable *t, const MsgRow *m)
{
    g_autofree char *at = clock_format_iso(m->received_us);
    cli_table_add(t, "in", at, msg_state_name(m->state), m->from, m->subject, NULL);
}

static void
add_out(CliTable *t, const OutRow *o)
{
    g_autofree char *at = clock_format_iso(o->created_us);
    cli_table_add(t, "out", at, out_state_name(o->state), o->address, o->subject, NULL);
}

static bool
is_earlier(const MsgRow *m, const OutRow *o)
{
    return m->received_us <= o->created_us;
}

/* In the order of time. */
static int
print_mail(Cli *cli, JobId id)
{
    static const char *const headings[] = {"MAIL", "WHEN", "STATE", "WHO", "SUBJECT", NULL};
    GError *error = NULL;
    g_autoptr(MsgRows) in = NULL;
    g_autoptr(OutRows) out = NULL;
    MsgQuery mq = {.job = id, .oldest_first = true, .limit = MAIL_MAX};
    OutQuery oq = {.job = id, .all = true, .limit = MAIL_MAX};
    if (!messages_list(cli->db, &VIEWER_OPERATOR, &mq, &in, &error) ||
        !outbox_list(cli->db, &VIEWER_OPERATOR, &oq, &out, &error))
        return cli_error(0, error);
    CliTable *t = cli_table_new(headings);
    guint i = 0, left = out->len; /* the newest of these is the first */
    while (i < in->len || left > 0) {
        if (left == 0 || (i < in->len && is_earlier(in->pdata[i], out->pdata[left - 1])))
            add_in(t, in->pdata[i++]);
        else
            add_out(t, out->pdata[--left]);
    }
    cli_print(cli, "\n");
    cli_table_print(cli, t);
    return 0;
}

static bool
job_json(Cli *cli, const Job *job, const Steps *steps, json_t **ret, GError **error)
{
    g_autoptr(Forks) forks = NULL;
    ForkPoint from;
    if (!fork_of(cli->db, job->id, &from, error) ||
        !forks_list(cli->db, job->id, &forks, error))
        return false;
    json_t *o = shape_pick(&job_shape, job, "id", "role", "state", "phase", "subject", "from",
                           "round", "total_iterations", "cost_usd", NULL);
    json_object_set_new(o, "steps", shape_list_json(&step_shape, steps));
    json_object_set_new(o, "forks", shape_list_json(&fork_shape, forks));
    json_object_set_new(
        o, "forked_from",
        from.job.v ? json_pack("{s:I, s:i}", "job", (json_int_t)from.job.v, "step", from.step)
                   : json_null());
    *ret = o;
    return true;
}

/* Whose fork it is, and which forks it has. */
static bool
print_forks(Cli *cli, JobId job, GError **error)
{
    g_autoptr(Forks) forks = NULL;
    ForkPoint from;
    if (!fork_of(cli->db, job, &from, error) || !forks_list(cli->db, job, &forks, error))
        return false;
    if (from.job.v)
        cli_print(cli, "Forked from job %" PRId64 " at step %d.\n", from.job.v, from.step);
    LIST_EACH(const Fork, f, forks)
        cli_print(cli, "Job %" PRId64 " was forked from it at step %d.\n", f->job.v, f->step);
    return true;
}

static int
print_job(Cli *cli, const Job *job, const Steps *steps)
{
    GError *error = NULL;
    g_autofree char *sentence = tell_job(cli->db, job->id, &error);
    g_autofree char *cost = text_money(job->cost_micro);
    if (!sentence)
        return cli_error(0, error);
    cli_print_vis(cli, sentence, true);
    if (job->cost_micro > 0)
        cli_print(cli, "It has cost %s.\n", cost);
    if (!print_forks(cli, job->id, &error))
        return cli_error(0, error);
    if (steps->len) {
        cli_print(cli, "\n");
        step_print_table(cli, steps);
    }
    return print_mail(cli, job->id);
}

static const Step *
find_step(const Steps *steps, int64_t n)
{
    LIST_EACH(const Step, s, steps)
        if (s->n == n)
            return s;
    return NULL;
}

int
show_job(Cli *cli, const char *text)
{
    GError *error = NULL;
    g_auto(GStrv) parts = g_strsplit(*text ? text : "@", "@", 2);
    int64_t only = 0;
    JobId id;
    int status = cli_db(cli, DB_READ);
    if (status || (status = cli_job(cli, parts[0], &id)))
        return status;
    if (parts[1] && !text_parse_int(parts[1], 1, INT_MAX, &only))
        return cli_usage(cli, "'%s' is no step", parts[1]);

    g_autoptr(Job) job = NULL;
    g_autoptr(Steps) steps = NULL;
    json_t *json = NULL;
    if (!job_load(cli->db, &VIEWER_OPERATOR, id, &job, &error) ||
        !(only ? steps_list_whole : steps_list)(cli->db, &VIEWER_OPERATOR, id, &steps, &error))
        return cli_error(0, error);
    const Step *step = only ? find_step(steps, only) : NULL;
    if (only && !step)
        return cli_fail(EX_NOINPUT, "job %s has no step %s; its newest is step %d", parts[0],
                        parts[1], job->steps);
    if (step)
        return show_step(cli, job, step);
    if (!cli->json)
        return print_job(cli, job, steps);
    if (!job_json(cli, job, steps, &json, &error))
        return cli_error(0, error);
    cli_print_json(cli, json);
    return 0;
}
