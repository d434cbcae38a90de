#pragma once

/* For whoever waits at a terminal: a line on stderr for each step. Elsewhere nothing is said. */
#include "engine/engine.h"

bool progress_wanted(void);
/* Says the steps of a job behind *told, and moves it on. What can't be read is left out. */
void progress_tell(Db *db, JobId job, int *told);
/* The newest step; for RunLimits. */
void progress_step(const Engine *engine, JobId job);
