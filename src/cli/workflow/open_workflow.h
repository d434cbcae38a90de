#pragma once

/* What every verb of the workflow begins with. */
#include "cli/cli.h"
#include "engine/engine.h"

/* As cli_engine(); and a record that was lost with its store has been read from mail again (workflow/flow_past.h). */
int cli_workflow(Cli *cli, Engine **ret);
