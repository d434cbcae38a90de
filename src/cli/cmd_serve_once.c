#include "base/banned.h"
#include "base/lock.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/net.h"
#include "cli/pass.h"

/* What came to the mail servers, and what is owed to them. One that is away keeps nobody from
 * working; *status is the first trouble. */
static void
visit_servers(Engine *engine, int *status)
{
    const Config *config = engine->home->config;
    const RemoteOptions once = {.once = true};
    for (unsigned i = 0; net_account && i < config->n_accounts; i++) {
        int ended = config_is_imap(&config->accounts[i])
                        ? net_account(engine, &config->accounts[i], &once)
                        : 0;
        if (*status == 0)
            *status = ended;
    }
}

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
    if (status || (status = pass_check_options("serve", true, &max_iterations)))
        return status;
    if (argc > 1)
        return cli_usage("serve", "takes no operand");
    if ((status = cli_engine(cli, &engine)))
        return status;
    /* It does all this; its processes would only keep us waiting for their locks. */
    if (lock_is_held(cli->home->state_fd, "master.lock"))
        return cli_fail(EX_TEMPFAIL, "process %d serves this home",
                        (int)lock_holder(cli->home->state_fd, "master.lock"));
    visit_servers(engine, &status);
    if (!pass_run(engine, DB_WAIT_MS, max_iterations, &stats, &error))
        return cli_error(0, error);
    visit_servers(engine, &status);
    if (cli->json)
        cli_print_json(cli, json_pack("{s:i, s:i, s:i, s:i}", "mails", (int)stats.mails, "jobs",
                                      (int)stats.jobs, "steps", (int)stats.steps, "sent",
                                      (int)stats.sent));
    return status;
}
