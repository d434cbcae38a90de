#include "base/banned.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/note_cmd.h"
#include "cli/show_job.h"
#include "engine/tell.h"
#include "store/jobs.h"
#include "store/outbox.h"
#include "store/steps.h"

static json_t *
step_json(const Step *s)
{
    json_t *o = json_pack("{s:i, s:i, s:I, s:f, s:s, s:s, s:s?}", "n", s->n, "round", s->round,
                          "took_ms", (json_int_t)(s->took_us / USEC_PER_MSEC), "cost_usd",
                          (double)s->cost_micro / 1e6, "phase", s->phase, "did", s->did,
                          "because", s->because);
    json_object_set_new(o, "at", cli_json_time(s->at_us));
    return o;
}

static void
print_steps(Cli *cli, const GPtrArray *steps, int only)
{
    static const char *const headings[] = {"STEP", "AT", "TOOK", "DID", NULL};
    CliTable *t = cli_table_new(headings);
    for (guint i = 0; i < steps->len; i++) {
        const Step *s = g_ptr_array_index(steps, i);
        if (only && s->n != only)
            continue;
        g_autofree char *n = g_strdup_printf("%d", s->n);
        g_autofree char *at = clock_format_iso(s->at_us);
        g_autofree char *took = clock_format_span(s->took_us);
        cli_table_add(t, n, at, took, s->did, NULL);
    }
    cli_print(cli, "\n");
    cli_table_print(cli, t);
}

static void
print_step(Cli *cli, const Step *s)
{
    if (s->because) {
        cli_print(cli, "because: ");
        cli_print_vis(cli, s->because, true);
        cli_print(cli, "\n");
    }
    if (s->answer) {
        gsize len;
        const char *data = g_bytes_get_data(s->answer, &len);
        g_autofree char *text = g_strndup(data, len);
        cli_print(cli, "\nwhat the brain said:\n");
        cli_print_vis(cli, text, true);
        cli_print(cli, "\n");
    }
}

static int
print_mail(Cli *cli, JobId id)
{
    const Viewer viewer = VIEWER_OPERATOR;
    GError *error = NULL;
    g_autoptr(GPtrArray) in = NULL, out = NULL;
    MsgQuery mq = {.job = id, .oldest_first = true, .limit = 200};
    OutQuery oq = {.job = id, .all = true, .limit = 200};
    if (!messages_list(cli->db, &viewer, &mq, &in, &error) ||
        !outbox_list(cli->db, &viewer, &oq, &out, &error))
        return cli_error(0, error);
    static const char *const headings[] = {"MAIL", "WHEN", "STATE", "WHO", "SUBJECT", NULL};
    CliTable *t = cli_table_new(headings);
    for (guint i = 0; i < in->len; i++) {
        const MsgRow *m = g_ptr_array_index(in, i);
        g_autofree char *at = clock_format_iso(m->received_us);
        cli_table_add(t, "in", at, msg_state_name(m->state), m->from, m->subject, NULL);
    }
    for (guint i = 0; i < out->len; i++) {
        const OutRow *o = g_ptr_array_index(out, i);
        g_autofree char *at = clock_format_iso(o->created_us);
        cli_table_add(t, "out", at, out_state_name(o->state), o->address, o->subject, NULL);
    }
    cli_print(cli, "\n");
    cli_table_print(cli, t);
    return 0;
}

static int
show_json(Cli *cli, const Job *job, const GPtrArray *steps)
{
    json_t *array = json_array();
    for (guint i = 0; i < steps->len; i++)
        json_array_append_new(array, step_json(g_ptr_array_index(steps, i)));
    cli_print_json(cli, json_pack("{s:I, s:s, s:s, s:s, s:s, s:i, s:i, s:o}", "id",
                                  (json_int_t)job->id.v, "role", job->role, "state",
                                  job_state_name(job->state), "subject", job->subject, "from",
                                  job->asker, "round", job->round, "total_iterations",
                                  job->total_iterations, "steps", array));
    return 0;
}

int
show_job(Cli *cli, const char *text)
{
    const Viewer viewer = VIEWER_OPERATOR;
    GError *error = NULL;
    g_auto(GStrv) parts = g_strsplit(*text ? text : "@", "@", 2);
    int64_t only = 0;
    JobId id;
    int status = cli_db(cli, DB_READ);
    if (status || (status = cli_job(cli, parts[0], &id)))
        return status;
    if (parts[1] && !text_parse_int(parts[1], 1, INT_MAX, &only))
        return cli_usage("show", "'%s' is no step", parts[1]);

    g_autoptr(Job) job = NULL;
    g_autoptr(GPtrArray) steps = NULL;
    if (!job_load(cli->db, &viewer, id, &job, &error) ||
        !steps_list(cli->db, &viewer, id, &steps, &error))
        return cli_error(0, error);
    if (only > (int64_t)steps->len)
        return cli_fail(EX_NOINPUT, "job %s has %u step%s", parts[0], steps->len,
                        steps->len == 1 ? "" : "s");
    if (cli->json)
        return show_json(cli, job, steps);
    g_autofree char *sentence = tell_job(cli->db, id, &error);
    if (!sentence)
        return cli_error(0, error);
    cli_print_vis(cli, sentence, true);
    if (steps->len)
        print_steps(cli, steps, (int)only);
    if (only) {
        print_step(cli, g_ptr_array_index(steps, only - 1));
        return 0;
    }
    return print_mail(cli, id);
}

/* A mail's id has an '@', a note's key has none. */
static int
is_note(Cli *cli, const char *id, bool *ret)
{
    g_autoptr(Note) note = NULL;
    GError *error = NULL;
    *ret = false;
    if (!note_key_valid(id))
        return 0;
    int status = cli_db(cli, DB_READ);
    if (status == 0 && !note_look(cli->db, id, 0, &note, &error))
        return cli_error(0, error);
    *ret = note != NULL;
    g_clear_pointer(&cli->db, db_close); /* note_get() opens it for writing */
    return status;
}

int
cmd_show(Cli *cli, int argc, char **argv)
{
    bool note = false;
    if (argc != 2)
        return cli_usage("show", "needs one ID");
    if (g_ascii_isdigit(argv[1][0]) && !strchr(argv[1], '.') && !strchr(argv[1], '<'))
        return show_job(cli, argv[1]);
    int status = cli_in_agent() ? 0 : is_note(cli, argv[1], &note);
    if (status)
        return status;
    if (note)
        return note_get(cli, argc, argv);
    if (argv[1][0] == '-')
        return cli_usage("show", "unknown option '%s'", argv[1]);
    if (!cli_in_agent() && !strchr(argv[1], '@'))
        return cli_fail(EX_NOINPUT, "there is no job, mail or note '%s'", argv[1]);
    return -1; /* a mail is parsed: the other program */
}
