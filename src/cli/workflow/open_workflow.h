#pragma once

/* What every verb of the workflow begins with. */
#include "cli/cli.h"
#include "engine/engine.h"

/* As cli_engine(); and a record that was lost with its store has been read from mail again (workflow/flow_past.h). */
int cli_workflow(Cli *cli, Engine **ret);
/* The same for what decides, moves or writes: refused in a copy of a home, and while nothing may leave, since the files of a
 * project are there once. */
int cli_workflow_act(Cli *cli, Engine **ret);
