#pragma once

/* For whoever waits at a terminal: a line on stderr for each step. Elsewhere nothing is said. */
#include "engine/engine.h"

bool step_lines_wanted(void);
/* Says the steps of a job behind *told, and moves it on. What can't be read is left out. */
void step_lines_tell(Db *db, JobId job, int *told);
/* The newest step; for RunLimits. */
void step_lines_show(const Engine *engine, JobId job);
