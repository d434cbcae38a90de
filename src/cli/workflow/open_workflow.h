#pragma once

/* How every verb of the workflow opens the home. */
#include "cli/cli.h"
#include "engine/engine.h"

/* As cli_engine(). A record that was lost with its store is read from mail again before
 * (workflow/flow_past.h). */
int cli_workflow(Cli *cli, Engine **ret);
/* The same for what decides, moves or writes: refused in a copy of a home, and while nothing may leave, since the files of a
 * project are there once. */
int cli_workflow_act(Cli *cli, Engine **ret);
