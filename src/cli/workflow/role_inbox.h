#pragma once

/* The typed mail of a role, as `role inbox` and `role run` show it. */
#include "cli/cli.h"
#include "engine/engine.h"
#include "store/workflow.h"

/* The role or person of that name, where "coordinator" may stand for the coordinator's own name. NULL, after a message:
 * nobody is called so. Borrowed. */
const char *inbox_role(Cli *cli, const char *name);
/* Prints what came behind that event and still waits for the role, at most 50 events, one line each in the order of reading.
 * *ret_n: how many lines. 0, or an exit status after a message. */
int inbox_show(Cli *cli, Engine *engine, const char *role, EventId behind, unsigned *ret_n);
