#pragma once

/* One job, one of its steps, all that was decided about it: for people or as JSON. Each returns
 * an exit status. */
#include "cli/cli.h"
#include "store/job/step_rows.h"

/* The sentence, the steps, its mail in and out. text is "12" or "12@3". */
int show_job(Cli *cli, const char *text);
/* All of one step. */
int show_step(Cli *cli, JobId job, int n);
