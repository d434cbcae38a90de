#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/job/show_job.h"
#include "store/job/jobs.h"

static const CliColumn columns[] = {
    {"JOB", "id"},      {"ROLE", "role"},           {"STATE", "state"},
    {"ROUND", "round"}, {"STEPS", "steps"},         {"UPDATED", "updated"},
    {"FROM", "from"},   {"SUBJECT", "subject", 50}, {NULL}};

/* For people with all its steps, its state in their words, and how long ago that was. */
static json_t *
job_json(Cli *cli, const Job *j)
{
    json_t *row = shape_json(&job_shape, j);
    g_autofree char *ago = cli_ago(cli, j->updated_us);
    if (cli->json)
        return row;
    json_object_set_new(row, "state", json_string(job_state_words(j->state)));
    json_object_set_new(row, "steps", json_integer(j->steps));
    json_object_set_new(row, "updated", json_string(ago));
    return row;
}

int
cmd_job_list(Cli *cli, int argc, char **argv)
{
    const char *role = cli_text(cli, "role"), *state = cli_text(cli, "state");
    bool all = cli_flag(cli, "all");
    int limit = cli_number(cli, "limit", 0);
    JobState known;
    int status = cli_db(cli, DB_READ);
    if (status)
        return status;
    if (limit < 0)
        return cli_usage(cli, "--limit must be 1 or more");
    /* By either of its names: what this prints for people is typed back. */
    if (state && !job_state_parse(state, &known) &&
        !words_parse(&job_state_said, state, &known))
        return cli_no_state(cli, state, &job_state_said, NULL);
    if (role && !config_role_get(cli->home->config, role, &cli->error))
        return cli_failed(cli, EX_NOINPUT);

    g_autoptr(Jobs) jobs = NULL;
    JobQuery q = {.role = role,
                  .state = state ? job_state_name(known) : NULL,
                  .live_only = !all && !state,
                  .limit = (unsigned)limit};
    if (!jobs_list(cli->db, &VIEWER_OPERATOR, &q, &jobs, &cli->error))
        return cli_failed(cli, 0);
    json_t *rows = json_array();
    LIST_EACH(const Job, j, jobs)
        json_array_append_new(rows, job_json(cli, j));
    cli_print_list(cli, rows, columns,
                   all ? "no jobs" : "no live jobs; --all shows the ended ones", NULL);
    return 0;
}

int
cmd_job_show(Cli *cli, int argc, char **argv)
{
    return show_job(cli, argv[1]);
}
