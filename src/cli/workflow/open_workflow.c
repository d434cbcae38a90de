#include "cli/workflow/open_workflow.h"
#include "base/living.h"
#include "base/lock.h"
#include "cli/faces.h"
#include "store/age.h"
#include "workflow/flow_past.h"

int
cli_workflow(Cli *cli, Engine **ret)
{
    int status = cli_engine(cli, ret);

    if (status)
        return status;
    return flow_past_take(*ret, &cli->error) ? 0 : cli_failed(cli, 0);
}

int
cli_workflow_act(Cli *cli, Engine **ret)
{
    int status = cli_engine(cli, ret);

    if (status)
        return status;
    bool served = lock_is_held(cli->home->state_fd, "master.lock"); /* then the master has looked */
    if (!living_check(cli->home, false, &cli->error) ||
        (!served && !age_check((*ret)->db, &cli->error)))
        return cli_failed(cli, 0);
    g_autofree char *why = db_hold_all((*ret)->db);
    if (why)
        return cli_fail(EX_TEMPFAIL, "nothing is decided here now: %s", why);
    return flow_past_take(*ret, &cli->error) ? 0 : cli_failed(cli, 0);
}
