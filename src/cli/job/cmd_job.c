#include "base/text.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/job/show_job.h"
#include "store/job/jobs.h"

static void
print_table(Cli *cli, const Jobs *jobs)
{
    static const char *const headings[] = {"JOB",     "ROLE", "STATE",   "ROUND", "STEPS",
                                           "UPDATED", "FROM", "SUBJECT", NULL};
    CliTable *t = cli_table_new(headings);
    LIST_EACH(const Job, j, jobs) {
        g_autofree char *id = g_strdup_printf("%" G_GINT64_FORMAT, j->id.v);
        g_autofree char *round = g_strdup_printf("%d", j->round);
        g_autofree char *steps = g_strdup_printf("%d", j->steps);
        g_autofree char *ago = cli_ago(cli, j->updated_us);
        g_autofree char *subject = text_shorten(j->subject, 50);
        cli_table_add(t, id, j->role, job_state_words(j->state), round, steps, ago, j->asker,
                      subject, NULL);
    }
    cli_table_print(cli, t);
}

/* By either of its names: what `job list` prints for people is typed back. */
static bool
find_state(const char *name, JobState *ret)
{
    if (job_state_parse(name, ret))
        return true;
    for (int s = 0; s < JOB_N_STATES; s++) {
        if (g_str_equal(name, job_state_words((JobState)s))) {
            *ret = (JobState)s;
            return true;
        }
    }
    return false;
}

static int
unknown_state(const Cli *cli, const char *name)
{
    const char *names[JOB_N_STATES + 1] = {NULL};
    for (int s = 0; s < JOB_N_STATES; s++)
        names[s] = job_state_words((JobState)s);
    return cli_no_state(cli, name, names);
}

int
cmd_job_list(Cli *cli, int argc, char **argv)
{
    const char *role = cli_text(cli, "role"), *state = cli_text(cli, "state");
    bool all = cli_flag(cli, "all");
    int limit = cli_number(cli, "limit", 0);
    GError *error = NULL;
    JobState known;
    int status = cli_db(cli, DB_READ);
    if (status)
        return status;
    if (argc > 1 || limit < 0)
        return cli_usage(cli, "list takes no operand");
    if (state && !find_state(state, &known))
        return unknown_state(cli, state);
    if (role && !config_role_get(cli->home->config, role, &error))
        return cli_error(EX_NOINPUT, error);

    g_autoptr(Jobs) jobs = NULL;
    JobQuery q = {.role = role,
                  .state = state ? job_state_name(known) : NULL,
                  .live_only = !all && !state,
                  .limit = (unsigned)limit};
    if (!jobs_list(cli->db, &VIEWER_OPERATOR, &q, &jobs, &error))
        return cli_error(0, error);
    if (cli->json)
        cli_print_json(cli, shape_list_json(&job_shape, jobs));
    else if (jobs->len == 0)
        cli_print(cli, "no %sjobs%s\n", all ? "" : "live ",
                  all ? "" : "; --all shows the ended ones");
    else
        print_table(cli, jobs);
    return 0;
}

int
cmd_job_show(Cli *cli, int argc, char **argv)
{
    if (argc != 2)
        return cli_usage(cli, "show needs one job");
    return show_job(cli, argv[1]);
}
