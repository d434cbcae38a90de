#pragma once

/*
 * The run process: claims a ready job, works its steps, and takes the next one until nothing is
 * ready (at most 100). SIGTERM: finish the step, give a program `drain` to end, release the
 * claim. SIGUSR1 (poke_run): look at the claim; when an order took it away, end the program and
 * go quietly.
 */
#include "engine/engine.h"

typedef struct RunStats {
    unsigned jobs, steps, failed;
} RunStats;

/* want {0}: whatever is ready. *ret_got false: nothing was ready. ERR_CANCELLED: a signal came.
 */
bool run_one(Engine *engine, JobId want, RunStats *stats, bool *ret_got, GError **error);
/* Exit status: 75 when the wanted job is not ready. */
int run_main(Engine *engine, JobId want);
