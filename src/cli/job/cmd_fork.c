/* job fork: a second job from an old step of a first one. */
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "engine/people/tell.h"
#include "engine/run/fork.h"

/* The step must be there, before the store is opened for writing. */
static int
find_point(Cli *cli, const char *text, JobId *ret_job, int *ret_step)
{
    g_autoptr(Job) job = NULL;
    int status = cli_step(cli, text, ret_job, ret_step);
    if (status)
        return status;
    if (!job_load(cli->db, &VIEWER_OPERATOR, *ret_job, &job, &cli->error))
        return cli_failed(cli, 0);
    return *ret_step <= job->steps
               ? 0
               : cli_fail(EX_NOINPUT,
                          "job %" G_GINT64_FORMAT " has no step %d; its newest is step %d",
                          ret_job->v, *ret_step, job->steps);
}

int
cmd_fork(Cli *cli, int argc, char **argv)
{
    g_autoptr(Engine) engine = NULL;
    JobId job, fork;
    int step = 0;
    int status;
    if (cli_in_agent())
        return cli_fail(EX_NOPERM, "fork: an agent may not");
    if ((status = cli_db(cli, DB_READ)) || (status = find_point(cli, argv[1], &job, &step)))
        return status;
    g_clear_pointer(&cli->db, db_close); /* opened again for writing */
    if ((status = cli_engine(cli, &engine)))
        return status;
    g_autofree char *instruction = argc > 2 ? g_strjoinv(" ", argv + 2) : NULL;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &cli->error))
        txn.ok = fork_job(engine, &txn, job, step, instruction, &fork, &cli->error);
    if (!txn.done)
        return cli_failed(cli, 0);
    db_hint(engine->db);
    if (cli->json) {
        cli_print_json(cli, json_pack("{s:I, s:I}", "id", (json_int_t)fork.v, "forked_from",
                                      (json_int_t)job.v));
        return 0;
    }
    g_autofree char *text = tell_job(engine->db, fork, &cli->error);
    if (!text)
        return cli_failed(cli, 0);
    cli_print_vis(cli, text, true);
    return 0;
}
