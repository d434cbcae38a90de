/* `job log`: all that was decided about a job, in the order of time. */
#include "base/json.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/home/tail.h"
#include "cli/job/step_view.h"
#include "show/job_events.h"

typedef struct Log {
    Cli *cli;
    JobId job;
    GHashTable *printed; /* lines that were told already */
} Log;

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
print_new(Log *log, const Events *events)
{
    LIST_EACH(const Event, e, events) {
        g_autoptr(json_t) json = log->cli->json ? shape_json(&event_shape, e) : NULL;
        char *line = json ? json_format(json) : format_text(log->cli, e);
        if (g_hash_table_contains(log->printed, line)) {
            g_free(line);
            continue;
        }
        cli_print(log->cli, "%s\n", line);
        g_hash_table_add(log->printed, line);
    }
}

/* -1: it may go on. */
static int
look(void *data)
{
    Log *log = data;
    Cli *cli = log->cli;
    g_autoptr(Job) job = NULL;
    g_autoptr(Events) events = NULL;
    if (!job_load(cli->db, &VIEWER_OPERATOR, log->job, &job, &cli->error))
        return cli_failed(cli, 0);
    if (!job)
        return cli_fail(EX_NOINPUT, "job %" PRId64 " is gone", log->job.v);
    if (!job_events(cli->db, job, &events, &cli->error))
        return cli_failed(cli, 0);
    print_new(log, events);
    return job->state == JOB_QUEUED || job->state == JOB_RUNNING ? -1 : 0;
}

int
cmd_job_log(Cli *cli, int argc, char **argv)
{
    Log log = {.cli = cli};
    int status = cli_db(cli, DB_READ);
    if (status || (status = cli_job(cli, argv[1], &log.job)))
        return status;
    g_autoptr(GHashTable) printed =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    log.printed = printed;
    status = cli_flag(cli, "follow") ? tail_store(cli, look, &log) : look(&log);
    return MAX(status, 0);
}
