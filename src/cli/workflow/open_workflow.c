#include "cli/workflow/open_workflow.h"
#include "cli/faces.h"
#include "workflow/flow_past.h"

int
cli_workflow(Cli *cli, Engine **ret)
{
    int status = cli_engine(cli, ret);

    if (status)
        return status;
    return flow_past_take(*ret, &cli->error) ? 0 : cli_failed(cli, 0);
}
