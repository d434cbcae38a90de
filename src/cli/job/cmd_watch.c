/* `watch`: what happens, as it happens. */
#include "base/json.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/home/tail.h"
#include "show/news.h"
#include "store/report.h"

typedef struct Watch {
    Cli *cli;
    News *news;
    JobId only; /* {0}: everything */
} Watch;

static void
print_event(Cli *cli, const Event *e)
{
    if (cli->json) {
        g_autoptr(json_t) line =
            shape_pick(&event_shape, e, "at", "event", "job", "text", NULL);
        g_autofree char *compact = json_format(line);
        cli_print(cli, "%s\n", compact);
        return;
    }
    g_autofree char *at = clock_format_iso(e->at_us);
    g_autofree char *who = e->job.v ? g_strdup_printf("job %" PRId64, e->job.v) : g_strdup("-");
    cli_print_line(cli, "%s  %-8s  %-8s  %s", at, who, e->what, e->text);
}

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
        return -1;
    case JOB_N_STATES: /* it is gone */
        break;
    }
    return EX_NOINPUT;
}

/* Tells what is new. -1: go on; else the exit status. */
static int
look(void *data)
{
    const Watch *w = data;
    g_autoptr(Events) events = NULL;
    JobState state;
    if (!news_read(w->news, &events, &state, &w->cli->error))
        return cli_failed(w->cli, 0);
    LIST_EACH(const Event, e, events)
        print_event(w->cli, e);
    return w->only.v ? status_of(state) : -1;
}

/* The job of a briefing. */
static int
find_date(Cli *cli, const char *date, JobId *ret)
{
    const char *said = cli_text(cli, "role"), *role = said ? said : cli->home->config->report_role;
    g_autofree char *day = NULL;
    g_autoptr(ReportLines) lines = NULL;
    bool known;
    int status = cli_date(cli, date, &day);
    if (status)
        return status;
    if (!report_known(cli->db, &known, &cli->error) ||
        (known && !report_lines(cli->db, role, day, &lines, &cli->error)))
        return cli_failed(cli, 0);
    if (!lines || lines->len == 0)
        return cli_fail(EX_NOINPUT, "there is no briefing of %s", day);
    *ret = lines->pdata[0]->job;
    return 0;
}

int
cmd_watch(Cli *cli, int argc, char **argv)
{
    const char *date = cli_text(cli, "date");
    g_autoptr(News) news = NULL;
    JobId only = {0};
    if (argv[1] && date)
        return cli_usage(cli, "takes a JOB or a --date");
    if (!date && cli_text(cli, "role"))
        return cli_usage(cli, "--role is that of a --date");
    int status = cli_db(cli, DB_READ);
    if (status || (argv[1] && (status = cli_job(cli, argv[1], &only))) ||
        (date && (status = find_date(cli, date, &only))))
        return status;
    if (!news_open(cli->db, only, &news, &cli->error))
        return cli_failed(cli, 0);
    return tail_store(cli, look, &(Watch){cli, news, only});
}
