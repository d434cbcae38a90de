/* `show JOB@N --context`: what a step was shown, built again and held against what is kept. */
#include "base/digest.h"
#include "brain/brain.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/mail/mail_view.h"
#include "engine/context/context.h"
#include "store/job/jobs.h"
#include "store/job/step_rows.h"

typedef struct Shown {
    Job *job;
    Step *step, *before; /* before: NULL where it is the first */
} Shown;

static void
shown_clear(Shown *s)
{
    job_free(s->job);
    step_free(s->step);
    step_free(s->before);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Shown, shown_clear)

static int
find_step(Cli *cli, const char *text, Shown *ret)
{
    JobId id;
    int n;
    int status = cli_db(cli, DB_READ);

    if (status || (status = cli_step(cli, text, &id, &n)))
        return status;
    if (n == 0)
        return cli_usage(cli, "--context needs a step, such as 12@3");
    if (!job_load(cli->db, &VIEWER_OPERATOR, id, &ret->job, &cli->error) ||
        !step_upto(cli->db, &VIEWER_OPERATOR, id, n, &ret->step, &cli->error) ||
        !step_upto(cli->db, &VIEWER_OPERATOR, id, n - 1, &ret->before, &cli->error))
        return cli_failed(cli, 0);
    if (!ret->step || ret->step->n != n)
        return cli_fail(EX_NOINPUT, "job %" G_GINT64_FORMAT " has no step %d", id.v, n);
    return 0;
}

static json_t *
file_json(const BrainFile *file)
{
    g_autofree char *hex = digest_hex_of(file->data);

    return json_pack("{s:s, s:s, s:I, s:s}", "filename", file->filename, "content_type",
                     file->media_type, "size_bytes", (json_int_t)g_bytes_get_size(file->data),
                     "sha256", hex);
}

static void
print_json(Cli *cli, const Shown *s, const Rebuilt *r)
{
    g_autofree char *hex = digest_hex(&s->step->context);
    json_t *files = json_array();
    unsigned n;
    const BrainFile *file = context_files(r->context, &n);

    for (unsigned i = 0; i < n; i++)
        json_array_append_new(files, file_json(&file[i]));
    cli_print_json(cli, json_pack("{s:I, s:i, s:b, s:s, s:s?, s:s, s:o, s:o}", "job",
                                  (json_int_t)s->job->id.v, "step", s->step->n, "same",
                                  (int)r->same, "sha256", hex, "system",
                                  context_system(r->context), "text", context_text(r->context),
                                  "files", files, "problems", shape_texts(r->problems)));
}

static int
report(const Shown *s, const Rebuilt *r)
{
    if (r->same)
        return 0;
    for (guint i = 0; i < r->problems->len; i++)
        (void)cli_fail(0, "%s", (const char *)g_ptr_array_index(r->problems, i));
    return cli_fail(EX_DATAERR, "this is not what step %d was shown%s", s->step->n,
                    r->problems->len ? "" : ": this version of postrider builds it otherwise");
}

static int
rebuild(Cli *cli, const Shown *s)
{
    g_auto(Engine) engine = cli_reader(cli);
    Recall recall = {.engine = &engine, .job = s->job, .before = s->before};
    g_auto(Rebuilt) rebuilt = {0};

    bool ok = context_rebuild(&recall, s->step, &rebuilt, &cli->error);
    g_clear_pointer(&recall.names, g_hash_table_unref);
    if (!ok)
        return cli_failed(cli, EX_NOINPUT);
    if (cli->json)
        print_json(cli, s, &rebuilt);
    else if (isatty(STDOUT_FILENO)) /* which would obey some of the bytes */
        cli_print_vis(cli, context_whole(rebuilt.context), true);
    else
        g_string_append(cli->out, context_whole(rebuilt.context));
    return report(s, &rebuilt);
}

/* `show` where the front has seen that ID is no job, or that a context is to be built again. */
int
cmd_show(Cli *cli, int argc, char **argv)
{
    g_auto(Shown) shown = {0};
    if (!cli_flag(cli, "context"))
        return mail_show(cli, argv[1], false, NULL);
    if (cli_in_agent())
        return cli_fail(EX_NOPERM, "show --context is not for program agents");
    int status = find_step(cli, argv[1], &shown);
    return status ? status : rebuild(cli, &shown);
}
