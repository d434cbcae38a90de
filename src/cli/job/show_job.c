#include "cli/job/show_job.h"
#include "cli/job/step_view.h"
#include "engine/people/tell.h"
#include "show/job_whole.h"

static int
print_mail(Cli *cli, JobId id)
{
    static const CliColumn columns[] = {{"MAIL", "mail"},       {"WHEN", "when"},
                                        {"STATE", "state"},     {"WHO", "who"},
                                        {"SUBJECT", "subject"}, {NULL}};
    json_t *mail = NULL;
    if (!job_mail_json(cli->db, id, &mail, &cli->error))
        return cli_failed(cli, 0);
    cli_print(cli, "\n");
    cli_print_list(cli, mail, columns, NULL, NULL);
    return 0;
}

static int
print_job(Cli *cli, const JobWhole *w)
{
    g_autofree char *sentence = tell_job(cli->db, w->job->id, &cli->error);
    g_autofree char *cost = text_money(w->job->cost_micro);
    if (!sentence)
        return cli_failed(cli, 0);
    cli_print_vis(cli, sentence, true);
    if (w->job->cost_micro > 0)
        cli_print(cli, "It has cost %s.\n", cost);
    if (w->from.job.v)
        cli_print(cli, "Forked from job %" PRId64 " at step %d.\n", w->from.job.v,
                  w->from.step);
    LIST_EACH(const Fork, f, w->forks)
        cli_print(cli, "Job %" PRId64 " was forked from it at step %d.\n", f->job.v, f->step);
    if (w->steps->len) {
        cli_print(cli, "\n");
        step_print_table(cli, w->steps);
    }
    return print_mail(cli, w->job->id);
}

int
show_job(Cli *cli, const char *text)
{
    g_auto(JobWhole) w = {0};
    JobId id;
    int step;
    int status = cli_db(cli, DB_READ);
    if (status || (status = cli_step(cli, text, &id, &step)))
        return status;
    if (step)
        return show_step(cli, id, step);
    if (!job_whole_load(cli->db, id, &w, &cli->error))
        return cli_failed(cli, 0);
    if (!cli->json)
        return print_job(cli, &w);
    cli_print_json(cli, job_whole_json(&w));
    return 0;
}
