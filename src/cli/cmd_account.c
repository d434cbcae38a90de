/* The parts, by hand: account, run, index. */
#include "base/banned.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/pass.h"
#include "engine/account.h"
#include "engine/follow.h"
#include "engine/run.h"
#include "store/jobs.h"

int
cmd_account(Cli *cli, int argc, char **argv)
{
    gboolean once = FALSE;
    const GOptionEntry options[] = {{"once", 0, 0, G_OPTION_ARG_NONE, &once, NULL, NULL},
                                    G_OPTION_ENTRY_NULL};
    g_autoptr(Engine) engine = NULL;
    int status = cli_options("account", options, &argc, &argv);
    if (status)
        return status;
    if (argc != 2)
        return cli_usage("account", "needs one account's name");
    if ((status = cli_engine(cli, &engine)))
        return status;
    const ConfAccount *account = config_account(cli->home->config, argv[1]);
    if (!account)
        return cli_fail(EX_NOINPUT, "there is no account '%s'", argv[1]);
    if (!g_str_equal(account->kind, "maildir"))
        return cli_fail(EX_UNAVAILABLE, "account '%s': kind '%s' is not built yet",
                        account->name, account->kind);
    return account_main(engine, account, once);
}

int
cmd_run(Cli *cli, int argc, char **argv)
{
    int max_iterations = INT_MIN;
    gboolean timers = FALSE;
    const GOptionEntry options[] = {PASS_OPTIONS(&max_iterations),
                                    {"timers", 0, 0, G_OPTION_ARG_NONE, &timers, NULL, NULL},
                                    G_OPTION_ENTRY_NULL};
    g_autoptr(Engine) engine = NULL;
    JobId job = {0};
    int status = cli_options("run", options, &argc, &argv);
    if (status || (status = pass_check_options("run", &max_iterations)))
        return status;
    if (argc > 2 || (timers && argc > 1))
        return cli_usage("run", timers ? "--timers takes no job" : "takes one job");
    if (argc == 2 && !job_id_parse(argv[1], &job))
        return cli_usage("run", "'%s' is no job", argv[1]);
    if ((status = cli_engine(cli, &engine)))
        return status;
    if (timers)
        return run_timers(engine);
    if (!job.v)
        return run_main(engine, job, max_iterations);
    const Viewer viewer = VIEWER_OPERATOR;
    GError *error = NULL;
    g_autoptr(Job) row = NULL;
    if (!job_load(engine->db, &viewer, job, &row, &error))
        return cli_error(0, error);
    if (!row)
        return cli_fail(EX_NOINPUT, "there is no job %s; see: postrider job list", argv[1]);
    status = run_main(engine, job, max_iterations);
    return status == EX_TEMPFAIL
               ? cli_fail(status, "job %s is not ready; see: postrider show %s", argv[1],
                          argv[1])
               : status;
}

int
cmd_index(Cli *cli, int argc, char **argv)
{
    GError *error = NULL;
    g_autoptr(Engine) engine = NULL;
    g_autoptr(Index) ix = NULL;
    bool fresh;
    if (argc > 1)
        return cli_usage("index", "takes no operand");
    int status = cli_engine(cli, &engine);
    if (status)
        return status;
    if (!index_open(cli->home, &ix, &fresh, &error) ||
        !follow_index(engine, ix, 0, NULL, &error))
        return cli_error(0, error);
    return 0;
}
