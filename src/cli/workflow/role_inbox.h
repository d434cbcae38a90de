#pragma once

/* The typed mail of a role, as `role inbox` and `role run` show it. */
#include "cli/cli.h"
#include "engine/engine.h"
#include "store/workflow.h"

/* The role or person of that name; NULL: nobody is called so, which is an error already. */
const char *inbox_role(Cli *cli, const char *name);
/* What came behind that event and still waits for the role, one line each in the order of reading; how many. */
int inbox_show(Cli *cli, Engine *engine, const char *role, EventId behind, unsigned *ret_n);
