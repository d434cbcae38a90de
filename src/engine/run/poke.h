#pragma once

/* Tells a living run on this machine to look at its claim and at its mail, after an order or a
 * mail was committed: SIGUSR1 to its owner, whose pid and start time are checked. Harmless when
 * there is none. */
#include "store/job/jobs.h"

void poke_run(Db *db, JobId job);
