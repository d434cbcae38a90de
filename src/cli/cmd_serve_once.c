#include "base/banned.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/pass.h"

int
cmd_serve_once(Cli *cli, int argc, char **argv)
{
    gboolean once = FALSE;
    int max_iterations = INT_MIN;
    const GOptionEntry options[] = {{"once", 0, 0, G_OPTION_ARG_NONE, &once, NULL, NULL},
                                    PASS_OPTIONS(&max_iterations),
                                    G_OPTION_ENTRY_NULL};
    GError *error = NULL;
    g_autoptr(Engine) engine = NULL;
    PassStats stats;
    int status = cli_options("serve", options, &argc, &argv);
    if (status || (status = pass_check_options("serve", &max_iterations)))
        return status;
    if (argc > 1)
        return cli_usage("serve", "takes no operand");
    if ((status = cli_engine(cli, &engine)))
        return status;
    if (!pass_run(engine, DB_WAIT_MS, max_iterations, &stats, &error))
        return cli_error(0, error);
    if (cli->json)
        cli_print_json(cli, json_pack("{s:i, s:i, s:i, s:i}", "mails", (int)stats.mails, "jobs",
                                      (int)stats.jobs, "steps", (int)stats.steps, "sent",
                                      (int)stats.sent));
    return 0;
}
